/** Directives, attributes, types and the other words of the dialect, with what they are good for. */
export interface WordReference {
  readonly name: string;
  readonly syntax: string;
  readonly text: string;
  /** What an editor inserts, with tab stops. */
  readonly snippet: string;
}

const byName = (rows: readonly WordReference[]): ReadonlyMap<string, WordReference> =>
  new Map(rows.map((row) => [row.name, row]));

const directive = (name: string, syntax: string, snippet: string, text: string): WordReference => ({
  name,
  syntax,
  text,
  snippet,
});

export const directives = byName([
  directive(
    '.gen',
    '.gen 1',
    '.gen ${1:1}',
    'The first line of a file that was written for Spillway; 1 is the version of the format.',
  ),
  directive('.program', '.program NAME', '.program ${1:name}', 'Begins a program and names it.'),
  directive(
    '.target',
    '.target snb | ivb | byt | hsw | bdw',
    '.target ${1|ivb,hsw,byt,snb,bdw|}',
    'The machine. Without it (and without the setting) Ivy Bridge is assumed: its latencies, its rules for message registers and for the end of a thread.',
  ),
  directive(
    '.stage',
    '.stage vs | tcs | tes | gs | fs | cs',
    '.stage ${1|vs,tcs,tes,gs,fs,cs|}',
    'The stage of the pipeline that the program is for.',
  ),
  directive(
    '.mode',
    '.mode simd4x2 | simd4x1 | dual_instance | simd8 | simd16 | simd32',
    '.mode ${1|simd4x2,simd8,simd16,simd32,simd4x1,dual_instance|}',
    'How the lanes are used. `simd4x2`: two vertices of four channels (masks and swizzles); `simd8` and more: one value a lane.',
  ),
  directive(
    '.phase',
    '.phase virtual | allocated | hw',
    '.phase ${1|virtual,allocated,hw|}',
    'What a register number means. `virtual`: `vgrf12` still has to get a place; `allocated`: the number behind `vgrf` is the register; `hw`: no virtual, uniform or attribute operand is left. Only virtual programs are allocated.',
  ),
  directive(
    '.payload',
    '.payload gN-gM, gK',
    '.payload g0-g${1:1}',
    'Registers that the machine has filled before the program begins. A value may take the place of one behind its last use, but for the strategy `i965` in SIMD4x2, which leaves them alone. Without it everything up to the highest `gN` of the text is taken for payload, registers that `.reserved` names left out.',
  ),
  directive(
    '.uniforms',
    '.uniforms COUNT',
    '.uniforms ${1:4}',
    'Push constants: 16-byte vectors in SIMD4x2, dwords elsewhere.',
  ),
  directive(
    '.attrs',
    '.attrs COUNT [interleaved]',
    '.attrs ${1:2}',
    'Vertex attributes, one register each; `interleaved`: two in a register.',
  ),
  directive(
    '.vgrf',
    '.vgrf N [size REGISTERS] [type TYPE] [NAME]',
    '.vgrf ${1:1} size ${2:1} type ${3:F} ${4:NAME}',
    'Says the size of a virtual register, in registers of 32 bytes, and gives it a name for hovers: the last word, without a keyword in front. Without it the size is inferred from the operands.',
  ),
  directive(
    '.grf_limit',
    '.grf_limit COUNT',
    '.grf_limit ${1:112}',
    'Registers that the allocator may use. SIMD4x2 on Gen7 has 112, because g112 to g127 stand for the message registers; else 128.',
  ),
  directive(
    '.reserved',
    '.reserved COUNT @gN',
    '.reserved ${1:8} @g${2:120}',
    "Registers that only spill code uses, like Beignet's pool.",
  ),
  directive(
    '.scratch',
    '.scratch BYTES [limit BYTES]',
    '.scratch ${1:0}',
    'Bytes of scratch memory a thread that the program uses already, and how many it may have.',
  ),
  directive(
    '.option',
    '.option NAME=WORD',
    '.option ${1:name}=${2:value}',
    'An option of the compiler that made the dump, for people.',
  ),
  directive(
    '.live_out',
    '.live_out REGISTER, REGISTER...',
    '.live_out vgrf${1:1}',
    'Registers that somebody reads after the program has ended. It makes the text a fragment.',
  ),
]);

const attribute = (name: string, argument: string, text: string): WordReference => ({
  name,
  syntax: argument === '' ? name : `${name} ${argument}`,
  text,
  snippet:
    argument === '' ? name : `${name} \${1:${argument === 'NAME' ? 'dp' : argument === 'HEX' ? '0x0' : '1'}}`,
});

/** Words of `{mlen 2, NoDDClr}` behind an instruction. */
export const attributes = byName([
  attribute('mlen', 'REGISTERS', 'Length of the payload. 15 at most; `base_mrf` + `mlen` at most 16.'),
  attribute('ex_mlen', 'REGISTERS', 'Length of the second payload of a split send.'),
  attribute(
    'base_mrf',
    'NUMBER',
    'First message register of the payload: 13 for scratch writes, 14 for reads, 1 for URB writes.',
  ),
  attribute('header', 'REGISTERS', 'How much of the payload is header.'),
  attribute('rlen', 'REGISTERS', 'Length of the response.'),
  attribute('offset', 'BYTES', 'Byte offset in scratch, which i965 does not print.'),
  attribute('sfid', 'NAME', 'The shared function that gets the message.'),
  attribute('desc', 'HEX', "The message's descriptor."),
  attribute('eot', '', 'The thread ends with this message. Its payload must lie in g112 to g127.'),
  attribute(
    'NoDDClr',
    '',
    "The destination's entry in the scoreboard stays set when this is done: the next write of other channels need not wait. The last write of the sequence must not have it.",
  ),
  attribute(
    'NoDDChk',
    '',
    "Issued without a look at the destination's entry in the scoreboard: an earlier write with NoDDClr writes other channels of the same register.",
  ),
  attribute('AccWrEn', '', 'The result is written to the accumulator too.'),
  attribute('Switch', '', 'The thread lets others go first. A comparison to null needs it on Gen7.'),
  attribute('align1', '', 'Regions instead of swizzles.'),
  attribute('align16', '', 'Swizzles and masks.'),
]);

/** Behind the operands. */
export const flags = byName([
  {
    name: 'NoMask',
    syntax: 'NoMask',
    text: 'Executes in all channels, whatever control flow has switched off.',
    snippet: 'NoMask',
  },
  {
    name: 'group',
    syntax: 'groupN',
    text: 'The first channel that the instruction is for: its channel enables and flags begin there.',
    snippet: 'group${1:0}',
  },
]);

export const types: ReadonlyMap<string, string> = new Map([
  ['F', '32-bit float'],
  ['D', '32-bit integer'],
  ['UD', '32-bit unsigned integer'],
  ['DF', '64-bit float'],
  ['HF', '16-bit float'],
  ['W', '16-bit integer'],
  ['UW', '16-bit unsigned integer'],
  ['B', '8-bit integer'],
  ['UB', '8-bit unsigned integer'],
  ['Q', '64-bit integer'],
  ['UQ', '64-bit unsigned integer'],
  ['VF', 'four 8-bit floats of a constant'],
  ['V', 'eight 4-bit integers of a constant'],
  ['UV', 'eight 4-bit unsigned integers of a constant'],
  ['NF', '66-bit float of the accumulator'],
]);

export const conditions: ReadonlyMap<string, string> = new Map([
  ['z', 'equal (to zero)'],
  ['nz', 'not equal (to zero)'],
  ['g', 'greater'],
  ['ge', 'greater or equal'],
  ['l', 'less'],
  ['le', 'less or equal'],
  ['r', 'round up'],
  ['o', 'overflow'],
  ['u', 'unordered: one is NaN'],
]);

export const predicateModes: ReadonlyMap<string, string> = new Map([
  ['x', 'channel x decides for the vertex'],
  ['y', 'channel y decides for the vertex'],
  ['z', 'channel z decides for the vertex'],
  ['w', 'channel w decides for the vertex'],
  ['any4h', 'any channel of the vertex'],
  ['all4h', 'all channels of the vertex'],
  ['any8h', 'any of eight lanes'],
  ['all8h', 'all of eight lanes'],
  ['any16h', 'any of sixteen lanes'],
  ['all16h', 'all of sixteen lanes'],
]);
