/**
 * Reference text of the directives: what each says, where it may stand, and the version that brought it. Versions
 * and places follow the PTX ISA manual; where ptxas 13.0.88 behaves in a way of its own, the text says so.
 */

export type DirectivePlace = 'module' | 'function head' | 'body' | 'declaration' | 'parameter' | 'section';

export interface Directive {
  /** With the dot. */
  readonly name: string;
  readonly group:
    | 'module'
    | 'function'
    | 'performance'
    | 'cluster'
    | 'debugging'
    | 'linking'
    | 'control flow'
    | 'state space'
    | 'type'
    | 'attribute';
  readonly places: readonly DirectivePlace[];
  readonly syntax: string;
  readonly isa: string;
  readonly sm: number;
  /** Markdown. */
  readonly text: string;
}

type Row = readonly [name: string, syntax: string, text: string, isa?: string, sm?: number];

const rowsOf = (
  group: Directive['group'],
  places: readonly DirectivePlace[],
  rows: readonly Row[],
): Directive[] =>
  rows.map(([name, syntax, text, isa = '1.0', sm = 10]) => ({ name, group, places, syntax, isa, sm, text }));

const moduleDirectives = rowsOf(
  'module',
  ['module'],
  [
    [
      '.version',
      '.version 8.0',
      'The PTX ISA version of the file; must come first. It decides which instructions exist, and a driver older than it refuses the file.',
    ],
    [
      '.target',
      '.target sm_90',
      'The architecture that the code needs, and options. `sm_90` runs on every later one; `sm_100f` on its family; `sm_90a` on that one alone.',
    ],
    [
      '.address_size',
      '.address_size 64',
      'Width of addresses in the module. ptxas 13.0 takes 64 only.',
      '2.3',
    ],
  ],
);

const functionDirectives = [
  ...rowsOf(
    'function',
    ['module'],
    [
      [
        '.entry',
        '.entry name (.param .u64 p) { ... }',
        'A kernel: what a launch starts. Its parameters are read with `ld.param`; it returns nothing.',
      ],
      [
        '.func',
        '.func (.param .b32 r) name (.param .b32 a) { ... }',
        'A function, callable with `call`. Arguments and results are `.param` or `.reg` variables. ptxas inlines most; a call that stays costs a fixed set of registers.',
      ],
      ['.alias', '.alias name, target;', 'Another name for a function of the same module.', '6.3', 30],
    ],
  ),
  ...rowsOf(
    'function',
    ['function head'],
    [
      [
        '.noreturn',
        '.noreturn',
        'The function does not return to its caller, so that nothing is kept alive across the call.',
        '6.4',
        30,
      ],
      [
        '.abi_preserve',
        '.abi_preserve 8',
        'How many general registers the callee keeps for its caller.',
        '9.0',
        80,
      ],
      [
        '.abi_preserve_control',
        '.abi_preserve_control 4',
        'How many predicate registers the callee keeps for its caller.',
        '9.0',
        80,
      ],
    ],
  ),
];

const controlDirectives = rowsOf(
  'control flow',
  ['body'],
  [
    [
      '.branchtargets',
      'T: .branchtargets L0, L1;',
      'The labels that a `brx.idx` may reach, in order of their index. Must precede the branch.',
      '2.1',
      20,
    ],
    [
      '.calltargets',
      'T: .calltargets f, g;',
      'The functions that an indirect call may reach, so that ptxas can bound its registers and stack.',
      '2.1',
      20,
    ],
    [
      '.callprototype',
      'P: .callprototype (.param .b32 _) _ (.param .b64 _);',
      'The signature of an indirect call whose targets are not listed.',
      '2.1',
      20,
    ],
  ],
);

const performanceDirectives = [
  ...rowsOf(
    'performance',
    ['function head'],
    [
      [
        '.maxntid',
        '.maxntid 256, 1, 1',
        'Upper bound of threads in a block (the product counts). Lets ptxas use up to 65536 / threads registers, and switches `--maxrregcount` off. A larger launch fails.',
        '1.3',
      ],
      [
        '.reqntid',
        '.reqntid 256, 1, 1',
        'The exact number of threads in a block. Like `.maxntid`, and `%ntid` becomes a constant. Not together with `.maxntid`.',
        '2.1',
        20,
      ],
      [
        '.minnctapersm',
        '.minnctapersm 2',
        'How many blocks should fit on a multiprocessor: registers are limited so that they do. Needs `.maxntid` or `.reqntid`, else it is ignored.',
        '2.0',
        20,
      ],
      [
        '.maxnctapersm',
        '.maxnctapersm 2',
        'The old name of `.minnctapersm`, from a time when it was a bound in the other direction.',
        '1.3',
      ],
      [
        '.maxnreg',
        '.maxnreg 64',
        'Upper bound of registers a thread. What does not fit is spilled to local memory.',
        '1.3',
      ],
    ],
  ),
  ...rowsOf(
    'performance',
    ['module', 'function head', 'body'],
    [
      [
        '.pragma',
        '.pragma "nounroll";',
        'Advice to ptxas: `"nounroll"` before a loop, `"used_bytes_mask"` before a load, `"enable_smem_spilling"` in a kernel, `"frequency"` at a block. Unknown ones are warned about and ignored.',
        '2.0',
      ],
    ],
  ),
  ...rowsOf(
    'cluster',
    ['function head'],
    [
      [
        '.reqnctapercluster',
        '.reqnctapercluster 2, 1, 1',
        'The exact shape of a cluster in blocks. The launch need not give it, and must agree if it does.',
        '7.8',
        90,
      ],
      ['.explicitcluster', '.explicitcluster', 'The launch must give a cluster shape.', '7.8', 90],
      [
        '.maxclusterrank',
        '.maxclusterrank 8',
        'Upper bound of blocks in a cluster. Not together with `.reqnctapercluster`.',
        '7.8',
        90,
      ],
      [
        '.blocksareclusters',
        '.blocksareclusters',
        'The launch counts clusters where it says blocks. Needs `.reqntid` and `.reqnctapercluster`.',
        '9.0',
        90,
      ],
    ],
  ),
];

const debugDirectives = [
  ...rowsOf(
    'debugging',
    ['module', 'body'],
    [
      [
        '.file',
        '.file 1 "kernel.cu"',
        'Numbers a source file for `.loc`; optionally with time stamp and size.',
      ],
      [
        '.loc',
        '.loc 1 42 7',
        'File, line and column of the source that the instructions after it come from. Has no influence on the code. `function_name` and `inlined_at` tell of inlining.',
      ],
      [
        '.section',
        '.section .debug_info { .b8 1 }',
        'DWARF data as bytes. Statements in it have no semicolon.',
        '2.3',
      ],
    ],
  ),
  ...rowsOf(
    'debugging',
    ['module'],
    [['@@DWARF', '@@DWARF .byte 0x2b', 'DWARF data in the form that compilers wrote before PTX ISA 2.0.']],
  ),
];

const linkingDirectives = rowsOf(
  'linking',
  ['declaration'],
  [
    [
      '.extern',
      '.extern .func f;',
      'Defined in another module. `.extern .shared .b8 s[];` is the dynamic shared memory of a launch.',
    ],
    [
      '.visible',
      '.visible .entry k()',
      'Other modules and the host may see the name. Kernels without it cannot be found by name.',
    ],
    ['.weak', '.weak .func f()', 'Visible, and gives way to another definition of the name.', '3.1', 20],
    [
      '.common',
      '.common .global .b32 x;',
      'Visible; several modules may define it, and share one. For `.global` alone.',
      '5.0',
      20,
    ],
  ],
);

const attributeDirectives = [
  ...rowsOf(
    'attribute',
    ['declaration'],
    [
      [
        '.attribute',
        '.global .attribute(.managed) .b32 x;',
        'Special properties of a variable or function: `.managed`, `.unified`.',
        '4.0',
        30,
      ],
      [
        '.managed',
        '.attribute(.managed)',
        'The variable lives in unified memory: one address for host and GPU, moved on demand.',
        '4.0',
        30,
      ],
      [
        '.unified',
        '.attribute(.unified(0, 0))',
        'The name has the same address on host and GPU, by the 128-bit identifier given.',
        '8.0',
        90,
      ],
      [
        '.align',
        '.align 16',
        'Alignment of the variable in bytes, a power of two. Vector accesses need the size of the whole vector.',
      ],
    ],
  ),
  ...rowsOf(
    'attribute',
    ['parameter'],
    [
      [
        '.ptr',
        '.param .u64 .ptr .global .align 16 p',
        'The kernel parameter is a pointer, into this state space, with this alignment. A hint, trusted by ptxas.',
        '2.2',
      ],
    ],
  ),
];

/** A place where values live. */
export interface StateSpace extends Directive {
  readonly group: 'state space';
  /** `threads` of that scope see one instance of a variable. */
  readonly sharedBy: 'thread' | 'block' | 'cluster' | 'grid' | 'context';
  readonly isAddressable: boolean;
  readonly isWritable: boolean;
  readonly hasInitializer: boolean;
}

type SpaceRow = readonly [
  name: string,
  sharedBy: StateSpace['sharedBy'],
  traits: string,
  text: string,
  isa?: string,
  sm?: number,
];

/** Traits: `a` has addresses, `w` can be written, `i` may be initialised. */
const spaceRows: readonly SpaceRow[] = [
  [
    '.reg',
    'thread',
    'w',
    'Virtual registers, as many as wanted; ptxas allocates at most 255 real ones of 32 bits a thread and spills the rest to local memory. No addresses.',
  ],
  ['.sreg', 'thread', '', 'Special registers, predefined and read-only. Cannot be declared.'],
  [
    '.const',
    'grid',
    'ai',
    'Constant memory, 64 KiB of it for static variables, through a cache of its own. Fast when all lanes of a warp read the same address, serialised when not.',
  ],
  [
    '.global',
    'context',
    'awi',
    'Device memory, seen by all threads of the context and by the host. Several hundred cycles away when not cached.',
  ],
  [
    '.local',
    'thread',
    'aw',
    'Private memory of a thread, in device memory behind the caches. Holds arrays with computed indices and spilled registers; interleaved so that lanes with equal offsets coalesce.',
  ],
  [
    '.param',
    'grid',
    'a',
    'Parameters. Of a kernel: read-only, the same for all threads, in constant memory. Of a function: passing area of a call, private to the thread.',
  ],
  ['.param::entry', 'grid', 'a', 'Parameters of a kernel, said explicitly.', '8.3'],
  ['.param::func', 'thread', 'aw', 'Parameters of a function, said explicitly.', '8.3'],
  [
    '.shared',
    'block',
    'aw',
    'On-chip memory of a block, in 32 banks of 4 bytes: lanes that hit one bank at different words wait for each other. Not initialised.',
  ],
  [
    '.shared::cta',
    'block',
    'aw',
    'Shared memory of the own block: what `.shared` means in a declaration.',
    '7.8',
    30,
  ],
  [
    '.shared::cluster',
    'cluster',
    'aw',
    'Shared memory of any block of the cluster; `mapa` makes such addresses.',
    '7.8',
    90,
  ],
  ['.tex', 'context', 'a', 'Textures in PTX ISA before 1.5; now `.global .texref`. ptxas 13.0 refuses it.'],
];

export const stateSpaces: ReadonlyMap<string, StateSpace> = new Map(
  spaceRows.map(([name, sharedBy, traits, text, isa = '1.0', sm = 10]) => [
    name,
    {
      name,
      group: 'state space',
      places: ['module', 'body', 'parameter'],
      syntax: `${name} .b32 x;`,
      isa,
      sm,
      text,
      sharedBy,
      isAddressable: traits.includes('a'),
      isWritable: traits.includes('w'),
      hasInitializer: traits.includes('i'),
    },
  ]),
);

/** A type that variables or registers can have. */
export interface FundamentalType extends Directive {
  readonly group: 'type';
  readonly bits: number;
  /** May be the type of a `.reg` variable. */
  readonly isRegister: boolean;
}

type TypeRow = readonly [name: string, bits: number, text: string, isa?: string, sm?: number];

const integerText = (kind: string, bits: number): string =>
  bits === 8
    ? `${kind} of 8 bits. Arithmetic has no 8-bit form: load it into a wider register.`
    : `${kind} of ${bits} bits${bits === 64 ? ': takes two registers of 32 bits' : ''}.`;

const typeRows: readonly TypeRow[] = [
  ...[8, 16, 32, 64].flatMap((bits): TypeRow[] => [
    [`.s${bits}`, bits, integerText('Signed integer', bits)],
    [`.u${bits}`, bits, integerText('Unsigned integer', bits)],
    [`.b${bits}`, bits, `${bits} bits without meaning: fits every operand of the same width.`],
  ]),
  ['.b128', 128, '128 bits without meaning, in four registers of 32 bits.', '8.3', 70],
  ['.f16', 16, 'Half precision: 5 bits of exponent, 10 of fraction.', '4.2', 53],
  ['.f16x2', 32, 'Two halves in one register, the first in the low bits.', '4.2', 53],
  ['.f32', 32, 'Single precision.'],
  [
    '.f64',
    64,
    'Double precision: takes two registers of 32 bits, and runs at a small fraction of the f32 rate on all but datacenter machines.',
    '1.4',
    13,
  ],
  [
    '.pred',
    1,
    'Predicate: true or false, in one of seven hardware predicates. Cannot be stored or passed to kernels.',
  ],
];

const opaqueRows: readonly TypeRow[] = [
  [
    '.texref',
    64,
    'Texture (and, unless the target says `texmode_independent`, its sampler). Declared in `.global` or as a parameter.',
    '1.5',
  ],
  ['.samplerref', 64, 'Sampler: filtering and addressing. With `texmode_independent` alone.', '1.5'],
  ['.surfref', 64, 'Surface: an image that can be written.', '1.5'],
];

const typeOf =
  (isRegister: boolean) =>
  ([name, bits, text, isa = '1.0', sm = 10]: TypeRow): FundamentalType => ({
    name,
    group: 'type',
    places: ['declaration'],
    syntax: isRegister ? `.reg ${name} x;` : `.global ${name} x;`,
    isa,
    sm,
    text,
    bits,
    isRegister,
  });

export const fundamentalTypes: ReadonlyMap<string, FundamentalType> = new Map(
  [...typeRows.map(typeOf(true)), ...opaqueRows.map(typeOf(false))].map((type) => [type.name, type]),
);

const vectorDirectives = rowsOf(
  'type',
  ['declaration'],
  [
    [
      '.v2',
      '.reg .v2 .f32 v;',
      'A vector of two: components `.x .y` (or `.r .g`). Each is a register of its own.',
    ],
    [
      '.v4',
      '.reg .v4 .f32 v;',
      'A vector of four: components `.x .y .z .w` (or `.r .g .b .a`). At most 128 bits.',
    ],
    ['.v8', '.reg .v8 .f32 v;', 'A vector of eight, for 256-bit accesses of 32-bit elements.', '8.8', 100],
  ],
);

/** Every directive, state space and type by name, with the dot. */
export const directives: ReadonlyMap<string, Directive> = new Map(
  [
    ...moduleDirectives,
    ...functionDirectives,
    ...controlDirectives,
    ...performanceDirectives,
    ...debugDirectives,
    ...linkingDirectives,
    ...attributeDirectives,
    ...stateSpaces.values(),
    ...fundamentalTypes.values(),
    ...vectorDirectives,
  ].map((directive) => [directive.name, directive]),
);
