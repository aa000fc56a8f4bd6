import { families, GenClass, type FamilyName } from '../classes.js';

/**
 * Beignet's register families (ir/register.hpp) and what a lane of each occupies: a bool and a byte take a word's
 * place, a `reg` is 32 bytes whatever the dispatch width (gen_reg_allocation.cpp, getRegAttrib). A uniform register
 * holds one lane's worth for all lanes.
 */
export type Family = FamilyName;

const laneBytesOf: Readonly<Record<Family, number>> = {
  bool: 2,
  byte: 2,
  word: 2,
  dword: 4,
  qword: 8,
  oword: 16,
  hword: 32,
  reg: 32,
};

export const laneBytes = (family: Family): number => laneBytesOf[family];

/** Bytes of a register of the family at this dispatch width. */
export const registerBytes = (family: Family, isUniform: boolean, width: number): number =>
  family === 'reg' || isUniform ? laneBytesOf[family] : laneBytesOf[family] * width;

export const isFamily = (word: string): word is Family => (families as readonly string[]).includes(word);

const letters: Readonly<Record<string, Family>> = {
  b: 'bool',
  B: 'byte',
  W: 'word',
  D: 'dword',
  Q: 'qword',
  O: 'oword',
  H: 'hword',
  R: 'reg',
};

/** The family of a register allocation's letter. */
export const familyOfLetter = (letter: string): Family => letters[letter] ?? 'dword';

/** Class of the family's registers in the lowered function; one that all lanes share has another. */
export const classOf = (family: Family, isUniform: boolean): number =>
  (isUniform ? GenClass.FirstUniformFamily : GenClass.FirstFamily) + families.indexOf(family);

/** The smallest family whose lane holds so many bytes. */
export function familyOfBytes(bytes: number): Family {
  if (bytes <= 1) return 'byte';
  if (bytes === 2) return 'word';
  if (bytes <= 4) return 'dword';
  if (bytes <= 8) return 'qword';
  return bytes <= 16 ? 'oword' : 'hword';
}

/** The first 41 registers, which every function has (ir/profile.hpp). */
export const predefined: readonly string[] = [
  'local_id_0',
  'local_id_1',
  'local_id_2',
  'group_id_0',
  'group_id_1',
  'group_id_2',
  'num_groups_0',
  'num_groups_1',
  'num_groups_2',
  'local_size_0',
  'local_size_1',
  'local_size_2',
  'enqueued_local_size_0',
  'enqueued_local_size_1',
  'enqueued_local_size_2',
  'global_size_0',
  'global_size_1',
  'global_size_2',
  'global_offset_0',
  'global_offset_1',
  'global_offset_2',
  'stack_pointer',
  'stack_buffer',
  'block_ip',
  'barrier_id',
  'thread_num',
  'work_dim',
  'zero',
  'one',
  'retVal',
  'dw_block_ip',
  'profiling_buffer_pointer',
  'profiling_time_stamps_0',
  'profiling_time_stamps_1',
  'profiling_time_stamps_2',
  'profiling_time_stamps_3',
  'profiling_time_stamps_4',
  'thread_id',
  'constant_address_space',
  'stack_size',
  'enqueue_buffer_pointer',
];

/** Of the predefined registers those that hold another value in each lane. */
export const isPredefinedVector = (number: number): boolean =>
  number <= 2 || (number >= 21 && number <= 23) || number === 29 || number === 30;
