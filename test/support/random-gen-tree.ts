import {
  typeSize,
  type Instruction,
  type Operand,
  type Program,
  type Register,
} from '../../server/src/targets/gen/program.js';
import { blocksOf, g, ins, program } from './gen-machine.js';

/**
 * Programs of the EU as trees of statements, so that a failing one can be made smaller by leaving statements out:
 * `assemble` makes a program of any such tree, since everything that a statement needs it either makes itself or
 * finds in registers that the program's beginning sets.
 */
export interface Shape {
  readonly dialect: Program['dialect'];
  readonly width: 8 | 16;
  /** Virtual registers that statements work on. */
  readonly registers: number;
  readonly statements: number;
  /** Registers of the machine that may be used, beside payload. */
  readonly room: number;
}

export type Statement =
  | { readonly kind: 'code'; readonly code: readonly Instruction[] }
  | {
      readonly kind: 'if';
      readonly test: Instruction;
      readonly branch: Instruction;
      readonly then: Statement[];
      readonly otherwise: Statement[];
    }
  | {
      readonly kind: 'loop';
      readonly begin: readonly Instruction[];
      readonly top: readonly Instruction[];
      readonly body: Statement[];
    };

export interface RandomProgram {
  readonly shape: Shape;
  readonly registers: readonly Register[];
  readonly statements: readonly Statement[];
  /** What every program ends with. */
  readonly end: readonly Instruction[];
}

export const FIRST_FREE = 4;
export const SCRATCH = 128;

/** The program of a tree of statements. */
export function assemble({ shape, registers, statements, end }: RandomProgram): Program {
  const code: Instruction[] = [];
  const walk = (list: readonly Statement[]) => {
    for (const statement of list) {
      if (statement.kind === 'code') code.push(...statement.code);
      else if (statement.kind === 'if') {
        code.push(statement.test, statement.branch);
        walk(statement.then);
        if (statement.otherwise.length > 0) {
          code.push(ins('else', undefined));
          walk(statement.otherwise);
        }
        code.push(ins('endif', undefined));
      } else {
        code.push(...statement.begin, ins('do', undefined), ...statement.top);
        walk(statement.body);
        code.push(ins('while', undefined));
      }
    }
  };
  walk(statements);
  code.push(...end);
  const { dialect, width } = shape;
  const instructions = code.map((instruction, origin) => ({
    ...instruction,
    origin,
    sources:
      width === 16 ? instruction.sources.map((operand) => apart(instruction, operand)) : instruction.sources,
    ...(instruction.opcode.flow !== undefined && { execSize: width }),
  }));
  return {
    ...program(instructions, {
      dialect,
      width,
      registers,
      firstFree: FIRST_FREE,
      registerLimit: FIRST_FREE + shape.room,
    }),
    ...blocksOf(instructions),
    scratchBytes: SCRATCH,
  };
}

/**
 * 16 channels execute as two halves. What reads other bytes of the register than it writes means something else for
 * the second half than for the first, and no compiler makes it.
 */
function apart({ destinations, opcode }: Instruction, operand: Operand): Operand {
  if (operand.file !== 'virtual' || opcode.kind === 'message') return operand;
  const meets = destinations.some(
    (d) =>
      d.file === 'virtual' &&
      d.register === operand.register &&
      (operand.stride !== 1 || operand.offset !== d.offset || typeSize(operand.type) !== typeSize(d.type)),
  );
  return meets ? g(1, { type: operand.type, stride: 0 }) : operand;
}

/** Trees that are smaller by one statement, or by one level. */
export function* smaller(made: RandomProgram): Generator<RandomProgram> {
  for (const statements of smallerLists(made.statements)) yield { ...made, statements };
}

function* smallerLists(list: readonly Statement[]): Generator<Statement[]> {
  for (let size = list.length; size > 1; size = Math.ceil(size / 2))
    for (let at = 0; at < list.length; at += size) yield [...list.slice(0, at), ...list.slice(at + size)];
  for (let at = 0; at < list.length; at++) {
    const statement = list[at];
    const put = (...instead: Statement[]): Statement[] => [
      ...list.slice(0, at),
      ...instead,
      ...list.slice(at + 1),
    ];
    if (list.length > 0) yield put();
    if (statement.kind === 'if') {
      yield put(...statement.then, ...statement.otherwise);
      if (statement.otherwise.length > 0) yield put({ ...statement, otherwise: [] });
      for (const then of smallerLists(statement.then)) yield put({ ...statement, then });
      for (const otherwise of smallerLists(statement.otherwise)) yield put({ ...statement, otherwise });
    } else if (statement.kind === 'loop') {
      yield put(...statement.body);
      for (const body of smallerLists(statement.body)) yield put({ ...statement, body });
    } else if (statement.code.length > 1)
      for (let k = 0; k < statement.code.length; k++)
        yield put({ kind: 'code', code: [...statement.code.slice(0, k), ...statement.code.slice(k + 1)] });
  }
}
