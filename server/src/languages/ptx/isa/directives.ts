/**
 * The directives of PTX: how each is written, where it may stand, what it means, and the version that brought it.
 * After the PTX ISA manual; where ptxas 13.0.88 behaves in a way of its own, the text says so.
 */

/** `linkage`: behind `.visible` and its like; `head`: between a function's head and its body; `label`: behind a label. */
export type DirectivePlace = 'module' | 'linkage' | 'head' | 'body' | 'label' | 'parameter' | 'declaration';

export interface Directive {
  /** With the dot. */
  readonly name: string;
  readonly group: DirectiveGroup;
  /** Empty for words that are recognised and never written anew. */
  readonly places: readonly DirectivePlace[];
  /** Capitals stand for what is filled in; '' where it cannot be written. */
  readonly syntax: string;
  /** The first version and the first architecture. */
  readonly isa: string;
  readonly sm: number;
  /** Markdown. */
  readonly text: string;
  /** What completion inserts, with tab stops, where it is more than the name. */
  readonly snippet?: string;
}

export type DirectiveGroup =
  | 'module'
  | 'function'
  | 'control flow'
  | 'performance'
  | 'cluster'
  | 'debugging'
  | 'linking'
  | 'attribute'
  | 'state space'
  | 'type';

export type DirectiveRow = readonly [
  name: string,
  places: string,
  syntax: string,
  text: string,
  since?: readonly [isa?: string | undefined, sm?: number | undefined],
  snippet?: string,
];

export const directiveFrom = <G extends DirectiveGroup>(
  group: G,
  [name, places, syntax, text, [isa = '1.0', sm = 10] = [], snippet]: DirectiveRow,
): Directive & { readonly group: G } => ({
  name,
  group,
  places: places.split(' ').filter((place) => place !== '') as DirectivePlace[],
  syntax,
  isa,
  sm,
  text,
  ...(snippet !== undefined && { snippet }),
});

const rows: readonly (readonly [DirectiveGroup, readonly DirectiveRow[]])[] = [
  [
    'module',
    [
      [
        '.version',
        'module',
        '.version MAJOR.MINOR',
        'The PTX ISA version of the file; must come first. It decides which instructions exist, and a driver older than it refuses the file.',
        [],
        '.version ${1:8.0}',
      ],
      [
        '.target',
        'module',
        '.target sm_NN[a|f] [, texmode_independent | texmode_unified | debug]',
        'The architecture that the code needs, and options. `sm_90` runs on every later one; `sm_100f` on its family; `sm_90a` on that one alone.',
        [],
        '.target ${1:sm_80}',
      ],
      [
        '.address_size',
        'module',
        '.address_size 64',
        'Width of addresses in the module. ptxas 13.0 takes 64 only.',
        ['2.3'],
        '.address_size 64',
      ],
    ],
  ],
  [
    'function',
    [
      [
        '.entry',
        'module linkage',
        '.entry NAME (PARAMETERS) DIRECTIVES { BODY }',
        'A kernel: what a launch starts. Its parameters lie in constant memory and are read with `ld.param`; it returns nothing.',
        [],
        '.entry ${1:kernel}(\n\t.param .u64 ${2:pointer}\n)\n{\n\t$0\n\tret;\n}',
      ],
      [
        '.func',
        'module linkage',
        '.func (RETURNS) NAME (PARAMETERS) { BODY }',
        'A function, callable with `call`. Arguments and results are `.param` or `.reg` variables. ptxas inlines most; a call that stays costs a fixed set of registers. Without a body it is a prototype, which must stand before the first call.',
        [],
        '.func (.param .b32 ${1:result}) ${2:name}(\n\t.param .b32 ${3:argument}\n)\n{\n\t$0\n\tret;\n}',
      ],
      [
        '.alias',
        'module',
        '.alias NAME, FUNCTION;',
        'Another name for a function of the same module.',
        ['6.3', 30],
        '.alias ${1:name}, ${2:function};',
      ],
      [
        '.noreturn',
        'head',
        '.noreturn',
        'The function does not return to its caller, so that nothing is kept alive across the call.',
        ['6.4', 30],
      ],
      [
        '.abi_preserve',
        'head',
        '.abi_preserve N',
        'How many general registers the callee keeps for its caller.',
        ['9.0', 80],
      ],
      [
        '.abi_preserve_control',
        'head',
        '.abi_preserve_control N',
        'How many predicate registers the callee keeps for its caller.',
        ['9.0', 80],
      ],
    ],
  ],
  [
    'control flow',
    [
      [
        '.branchtargets',
        'label',
        'LABEL: .branchtargets A, B, C;',
        'The labels that a `brx.idx` may reach, in order of their index. Must precede the branch.',
        ['6.0', 30],
        '.branchtargets ${1:A}, ${2:B};',
      ],
      [
        '.calltargets',
        'label',
        'LABEL: .calltargets F, G;',
        'The functions that an indirect call may reach, so that ptxas can bound its registers and stack.',
        ['2.1', 20],
        '.calltargets ${1:F};',
      ],
      [
        '.callprototype',
        'label',
        'LABEL: .callprototype (RETURNS) _ (PARAMETERS);',
        'The signature of an indirect call whose targets are not listed.',
        ['2.1', 20],
        '.callprototype _ (.param .b32 _);',
      ],
    ],
  ],
  [
    'performance',
    [
      [
        '.maxntid',
        'head',
        '.maxntid X, Y, Z',
        'Upper bound of threads in a block (the product counts). Lets ptxas use up to 65536 / threads registers, and switches `--maxrregcount` off. A larger launch fails.',
        ['1.3'],
        '.maxntid ${1:256}, 1, 1',
      ],
      [
        '.reqntid',
        'head',
        '.reqntid X, Y, Z',
        'The exact number of threads in a block. Like `.maxntid`, and `%ntid` becomes a constant. Not together with `.maxntid`.',
        ['2.1', 20],
        '.reqntid ${1:256}, 1, 1',
      ],
      [
        '.minnctapersm',
        'head',
        '.minnctapersm N',
        'How many blocks should fit on a multiprocessor: registers are limited so that they do. Needs `.maxntid` or `.reqntid`, else it is ignored.',
        ['2.0', 20],
        '.minnctapersm ${1:2}',
      ],
      [
        '.maxnctapersm',
        '',
        '.maxnctapersm N',
        'The old name of `.minnctapersm`, gone since PTX ISA 2.1.',
        ['1.3'],
      ],
      [
        '.maxnreg',
        'head',
        '.maxnreg N',
        'Upper bound of registers a thread. What does not fit is spilled to local memory.',
        ['1.3'],
        '.maxnreg ${1:64}',
      ],
      [
        '.pragma',
        'module head body',
        '.pragma "TEXT";',
        'A word to the back-end: `"nounroll"` keeps the loop that follows as it is (ptxas unrolls counted loops otherwise, at the price of registers), `"used_bytes_mask 0x.."` says which bytes of a load matter, `"enable_smem_spilling"` spills to shared memory, `"frequency"` tells how often a block runs. Unknown ones are warned about and ignored.',
        ['2.0'],
        '.pragma "${1:nounroll}";',
      ],
    ],
  ],
  [
    'cluster',
    [
      [
        '.reqnctapercluster',
        'head',
        '.reqnctapercluster X, Y, Z',
        'The exact shape of a cluster in blocks. The launch need not give it, and must agree if it does.',
        ['7.8', 90],
        '.reqnctapercluster ${1:2}, 1, 1',
      ],
      ['.explicitcluster', 'head', '.explicitcluster', 'The launch must give a cluster shape.', ['7.8', 90]],
      [
        '.maxclusterrank',
        'head',
        '.maxclusterrank N',
        'Upper bound of blocks in a cluster. Not together with `.reqnctapercluster`.',
        ['7.8', 90],
        '.maxclusterrank ${1:8}',
      ],
      [
        '.blocksareclusters',
        'head',
        '.blocksareclusters',
        'The launch counts clusters where it says blocks. Needs `.reqntid` and `.reqnctapercluster`.',
        ['9.0', 90],
      ],
    ],
  ],
  [
    'debugging',
    [
      [
        '.file',
        'module',
        '.file INDEX "PATH", TIME, SIZE',
        'Numbers a source file for `.loc`; optionally with time stamp and size.',
        [],
        '.file ${1:1} "${2:path}"',
      ],
      [
        '.loc',
        'body',
        '.loc FILE LINE COLUMN [, function_name LABEL, inlined_at FILE LINE COLUMN]',
        'File, line and column of the source that the instructions after it come from. Has no influence on the code. `function_name` and `inlined_at` tell of inlining.',
      ],
      [
        '.section',
        'module',
        '.section .debug_NAME { DATA }',
        'DWARF data as bytes. Statements in it have no semicolon.',
        ['2.3'],
      ],
      [
        '@@DWARF',
        'module',
        '@@DWARF .byte 0x2b',
        'DWARF data in the form that compilers wrote before PTX ISA 2.0.',
      ],
    ],
  ],
  [
    'linking',
    [
      [
        '.extern',
        'module',
        '.extern DECLARATION',
        'Defined in another module. `.extern .shared .b8 s[];` is the dynamic shared memory of a launch.',
      ],
      [
        '.visible',
        'module',
        '.visible DECLARATION',
        'Other modules and the host may see the name. Kernels without it cannot be found by name.',
      ],
      [
        '.weak',
        'module',
        '.weak DECLARATION',
        'Visible, and gives way to another definition of the name.',
        ['3.1', 20],
      ],
      [
        '.common',
        'module',
        '.common .global DECLARATION',
        'Visible; several modules may define it, and share one. For `.global` alone.',
        ['5.0', 20],
      ],
    ],
  ],
  [
    'attribute',
    [
      [
        '.attribute',
        'module declaration',
        '.attribute(.managed)',
        'Special properties of a variable or function: `.managed`, `.unified`.',
        ['4.0', 30],
      ],
      [
        '.managed',
        '',
        '.attribute(.managed)',
        'The variable lives in unified memory: one address for host and GPU, moved on demand.',
        ['4.0', 30],
      ],
      [
        '.unified',
        '',
        '.attribute(.unified(a, b))',
        'The name has the same address on host and GPU, by the 128-bit identifier given.',
        ['8.0', 90],
      ],
      [
        '.align',
        'declaration',
        '.align BYTES',
        'Alignment of the variable in bytes, a power of two. Vector accesses need the size of the whole vector.',
        [],
        '.align ${1:8}',
      ],
      [
        '.ptr',
        'parameter',
        '.ptr SPACE .align BYTES',
        'The kernel parameter is a pointer, into this state space, with this alignment. A hint, trusted by ptxas.',
        ['2.2'],
      ],
    ],
  ],
];

/** Every directive that is no state space and no type, by name, with the dot. */
export const directives: ReadonlyMap<string, Directive> = new Map(
  rows.flatMap(([group, list]) => list.map((row) => [row[0], directiveFrom(group, row)] as const)),
);
