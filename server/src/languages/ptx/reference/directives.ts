/** The directives of PTX: how each is written, where it may stand, and what it means. After the PTX ISA manual. */
export interface Directive {
  readonly name: string;
  readonly syntax: string;
  readonly places: readonly DirectivePlace[];
  /** Markdown. */
  readonly text: string;
  /** What completion inserts, with tab stops, where it is more than the name. */
  readonly snippet?: string;
}

export type DirectivePlace = 'module' | 'linkage' | 'head' | 'body' | 'label' | 'parameter' | 'declaration';

type Row = readonly [name: string, places: string, syntax: string, text: string, snippet?: string];

const rows: readonly Row[] = [
  [
    '.version',
    'module',
    '.version MAJOR.MINOR',
    'The PTX ISA version of the file: which instructions it may use, and how new the driver must be. The first directive of a file.',
    '.version ${1:8.0}',
  ],
  [
    '.target',
    'module',
    '.target sm_NN[a|f] [, texmode_independent | texmode_unified | debug]',
    'The oldest machine that the code runs on; newer ones take it too. With the suffix `a` it uses features of this machine alone, with `f` those of its family.',
    '.target ${1:sm_80}',
  ],
  [
    '.address_size',
    'module',
    '.address_size 64',
    'Width of addresses in bits. 32 is gone with CUDA 13.',
    '.address_size 64',
  ],
  [
    '.entry',
    'module linkage',
    '.entry NAME (PARAMETERS) DIRECTIVES { BODY }',
    'A kernel: what a launch starts. Parameters lie in constant memory and are read with `ld.param`.',
    '.entry ${1:kernel}(\n\t.param .u64 ${2:pointer}\n)\n{\n\t$0\n\tret;\n}',
  ],
  [
    '.func',
    'module linkage',
    '.func (RETURNS) NAME (PARAMETERS) { BODY }',
    'A function that device code calls. Without a body it is a prototype, which must stand before the first call.',
    '.func (.param .b32 ${1:result}) ${2:name}(\n\t.param .b32 ${3:argument}\n)\n{\n\t$0\n\tret;\n}',
  ],
  [
    '.visible',
    'module',
    '.visible DECLARATION',
    'The symbol is known to other modules. A kernel must be visible to be launched by name.',
  ],
  [
    '.extern',
    'module',
    '.extern DECLARATION',
    'The symbol is defined in another module. `.extern .shared ... name[]` is shared memory whose size the launch gives.',
  ],
  [
    '.weak',
    'module',
    '.weak DECLARATION',
    'The symbol gives way to a stronger definition of its name in another module.',
  ],
  [
    '.common',
    'module',
    '.common .global DECLARATION',
    'Several modules may define the variable; the linker keeps one, of the largest size.',
  ],
  [
    '.alias',
    'module',
    '.alias NAME, FUNCTION;',
    'A second name for a function. Both are declared before.',
    '.alias ${1:name}, ${2:function};',
  ],
  [
    '.global',
    'module linkage body',
    '.global TYPE NAME[SIZE] = INITIALISER;',
    'Memory of the whole device, alive as long as the module. May be initialised.',
  ],
  [
    '.const',
    'module linkage body',
    '.const TYPE NAME[SIZE] = INITIALISER;',
    'Constant memory, 64 KB in all; fast where all threads of a warp read one address.',
  ],
  [
    '.shared',
    'module linkage body',
    '.shared TYPE NAME[SIZE];',
    'Memory of one thread block, on the multiprocessor. How much a block takes limits how many blocks fit. Never initialised.',
  ],
  [
    '.local',
    'body',
    '.local TYPE NAME[SIZE];',
    'Memory of one thread: an array on its stack, in device memory behind the caches. Bytes of `.local` are no spilled registers.',
  ],
  [
    '.param',
    'body parameter',
    '.param TYPE NAME[SIZE];',
    'A parameter. In a body, a slot for the arguments or results of a call; the back-end keeps it in registers where it can.',
  ],
  [
    '.reg',
    'body parameter',
    '.reg TYPE NAME, NAME<COUNT>;',
    'Virtual registers: as many as wanted. `%r<10>` declares `%r0` to `%r9`. How many are declared says nothing about hardware registers; how many are live at once does.',
    '.reg ${1:.b32} ${2:%r}<${3:10}>;',
  ],
  ['.tex', '', '.tex TYPE NAME;', 'Texture variables of PTX before 1.5; write `.global .texref` now.'],
  ['.sreg', '', '', 'The state space of special registers. They are predefined and cannot be declared.'],
  [
    '.align',
    'declaration',
    '.align BYTES',
    'Alignment of a variable or parameter, a power of two.',
    '.align ${1:8}',
  ],
  [
    '.ptr',
    'parameter',
    '.ptr SPACE .align BYTES',
    'The parameter is a pointer into this space, aligned so. Lets the back-end merge loads.',
  ],
  [
    '.attribute',
    'module declaration',
    '.attribute(.managed)',
    'An attribute of a variable or function: `.managed` moves between host and device, `.unified(a, b)` has the same address on both.',
  ],
  [
    '.managed',
    '',
    '.attribute(.managed)',
    'Unified memory: the variable moves between host and device on demand.',
  ],
  [
    '.unified',
    '',
    '.attribute(.unified(a, b))',
    'The function or variable has the same address in all modules with this 128-bit identity.',
  ],
  [
    '.maxntid',
    'head',
    '.maxntid X, Y, Z',
    'The largest block that a launch may ask for. It bounds the registers of a thread so that such a block fits: 65536 registers divided by its threads. ptxas then ignores `--maxrregcount`.',
    '.maxntid ${1:256}, 1, 1',
  ],
  [
    '.reqntid',
    'head',
    '.reqntid X, Y, Z',
    'The exact size of every launch. Like `.maxntid`, and lets the back-end fold `%ntid`.',
    '.reqntid ${1:256}, 1, 1',
  ],
  [
    '.minnctapersm',
    'head',
    '.minnctapersm N',
    'How many blocks shall fit on a multiprocessor at least. With `.maxntid` or `.reqntid` it lowers the register limit; alone it is ignored.',
    '.minnctapersm ${1:2}',
  ],
  ['.maxnctapersm', '', '.maxnctapersm N', 'The old name of `.minnctapersm`, gone since PTX ISA 2.1.'],
  [
    '.maxnreg',
    'head',
    '.maxnreg N',
    'The most registers that a thread may use, beyond which the back-end spills.',
    '.maxnreg ${1:64}',
  ],
  [
    '.reqnctapercluster',
    'head',
    '.reqnctapercluster X, Y, Z',
    'The size of the cluster of thread blocks, in blocks; sm_90 and newer.',
    '.reqnctapercluster ${1:2}, 1, 1',
  ],
  ['.explicitcluster', 'head', '.explicitcluster', 'The launch must name the cluster size; sm_90 and newer.'],
  [
    '.maxclusterrank',
    'head',
    '.maxclusterrank N',
    'The most blocks that a cluster may have; sm_90 and newer.',
    '.maxclusterrank ${1:8}',
  ],
  [
    '.blocksareclusters',
    'head',
    '.blocksareclusters',
    'The launch counts clusters instead of blocks; sm_90 and newer.',
  ],
  [
    '.noreturn',
    'head',
    '.noreturn',
    'The function never returns, so that nothing after a call to it is live.',
  ],
  ['.abi_preserve', 'head', '.abi_preserve N', 'How many registers a function keeps for its caller.'],
  [
    '.abi_preserve_control',
    'head',
    '.abi_preserve_control N',
    'How many control registers a function keeps for its caller.',
  ],
  [
    '.pragma',
    'module head body',
    '.pragma "TEXT";',
    'A word to the back-end: `"nounroll"` keeps the loop that follows as it is (ptxas unrolls counted loops otherwise, at the price of registers), `"used_bytes_mask 0x.."` says which bytes of a load matter, `"enable_smem_spilling"` spills to shared memory.',
    '.pragma "${1:nounroll}";',
  ],
  [
    '.file',
    'module',
    '.file INDEX "PATH", TIME, SIZE',
    'Names a source file for `.loc`.',
    '.file ${1:1} "${2:path}"',
  ],
  [
    '.loc',
    'body',
    '.loc FILE LINE COLUMN [, function_name LABEL, inlined_at FILE LINE COLUMN]',
    'The source line of the instructions that follow.',
  ],
  ['.section', 'module', '.section .debug_NAME { DATA }', 'Debug information in DWARF, as data.'],
  [
    '.branchtargets',
    'label',
    'LABEL: .branchtargets A, B, C;',
    'The labels that `brx.idx` may jump to, by index from 0. It stands before the branch.',
    '.branchtargets ${1:A}, ${2:B};',
  ],
  [
    '.calltargets',
    'label',
    'LABEL: .calltargets F, G;',
    'The functions that an indirect call may reach; all have one signature.',
    '.calltargets ${1:F};',
  ],
  [
    '.callprototype',
    'label',
    'LABEL: .callprototype (RETURNS) _ (PARAMETERS);',
    'What an indirect call passes and receives.',
    '.callprototype _ (.param .b32 _);',
  ],
];

/** By name, with the dot. */
export const directives: ReadonlyMap<string, Directive> = new Map(
  rows.map(([name, places, syntax, text, snippet]) => [
    name,
    {
      name,
      syntax,
      places: places.split(' ').filter((place) => place !== '') as DirectivePlace[],
      text,
      ...(snippet !== undefined && { snippet }),
    },
  ]),
);

/** The directive of a word, sub-spaces (`.param::entry`) included. */
export function directiveOf(word: string): Directive | undefined {
  const colon = word.indexOf('::');
  return directives.get(colon < 0 ? word : word.slice(0, colon));
}
