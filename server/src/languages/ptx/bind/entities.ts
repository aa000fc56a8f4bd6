import type { Span } from '../../../text/span.js';
import type { UnitSymbol } from '../../symbols.js';
import { NameClass, packName, spaceId, typeId, type NameType } from '../isa/types.js';
import type { ModuleFact } from '../declarations.js';
import type { CallPrototype, TargetList } from '../tree.js';

/** What a name of a function body can stand for. */
export const enum EntityKind {
  Register,
  /** `.param` of the function or of a call block, or a local `.local`, `.shared`, `.global`, `.const` variable. */
  Variable,
  Parameter,
  Label,
  /** `P: .callprototype` */
  Prototype,
  /** `T: .branchtargets` or `.calltargets` */
  Targets,
  /** Declared at module level. */
  ModuleVariable,
  Function,
  SpecialRegister,
  /** Declared nowhere; kept so that it is looked for only once. */
  Unknown,
}

/** One name of one scope. The numbers and counts change while the unit is bound. */
export interface Entity {
  readonly kind: EntityKind;
  readonly name: string;
  /** With the dot; '' where it has none. */
  readonly type: string;
  /** Elements of a vector register, else 1. */
  readonly vector: number;
  readonly space: string;
  readonly declaration: Span | undefined;
  readonly extent: Span | undefined;
  readonly scope: Span | undefined;
  /** Set for the registers of a range `%r<10>`. */
  readonly range: RangeDeclaration | undefined;
  readonly fact: ModuleFact | undefined;
  readonly node: CallPrototype | TargetList | undefined;
  /** A `.reg` parameter has a value on entry, a `.reg` return value is read at the end. */
  readonly flow: 'input' | 'output' | undefined;
  /** What the instruction tables see in the name, and in one of its components. */
  readonly nameType: NameType;
  readonly componentType: NameType;
  /** Number in the unit's symbol index, or -1 before the first mention. */
  symbol: number;
  /** First virtual register, or -1 before the first use; a vector has one for each element. */
  register: number;
  /** Of a label: the number of the instruction that follows it, or -1 before it is reached. */
  position: number;
  reads: number;
  writes: number;
  /** First read, for the problem that nothing wrote it. */
  firstRead: Span | undefined;
  firstWrite: Span | undefined;
}

export interface RangeDeclaration {
  readonly prefix: string;
  readonly count: number;
  readonly space: string;
  readonly type: string;
  readonly vector: number;
  readonly declaration: Span;
  readonly extent: Span;
  readonly scope: Span;
  /** How each of its registers can get a declaration of its own. */
  readonly ownDeclaration: NonNullable<UnitSymbol['ownDeclaration']>;
  readonly detail: string;
  used: number;
}

const classes: Readonly<Record<EntityKind, NameClass>> = {
  [EntityKind.Register]: NameClass.Register,
  [EntityKind.Variable]: NameClass.Variable,
  [EntityKind.Parameter]: NameClass.Variable,
  [EntityKind.ModuleVariable]: NameClass.Variable,
  [EntityKind.Label]: NameClass.Label,
  [EntityKind.Prototype]: NameClass.Prototype,
  [EntityKind.Targets]: NameClass.Targets,
  [EntityKind.Function]: NameClass.Function,
  [EntityKind.SpecialRegister]: NameClass.SpecialRegister,
  [EntityKind.Unknown]: NameClass.Unknown,
};

const typeNumbers = new Map<string, number>();
const spaceNumbers = new Map<string, number>();

/** `of(word without its dot)`, remembered: a program has few types and spaces, and many registers. */
function numberOf(known: Map<string, number>, word: string, of: (name: string) => number): number {
  const found = known.get(word);
  if (found !== undefined) return found;
  const fresh = Math.max(0, of(word.slice(1)));
  if (known.size < 1000) known.set(word, fresh);
  return fresh;
}

const packEntity = (kind: EntityKind, type: string, vector: number, space: string): NameType =>
  packName(
    classes[kind],
    numberOf(typeNumbers, type, typeId),
    vector > 1 ? vector : 0,
    numberOf(spaceNumbers, space, spaceId),
  );

type EntityOptions = Partial<
  Pick<
    Entity,
    'type' | 'vector' | 'space' | 'declaration' | 'extent' | 'scope' | 'range' | 'fact' | 'node' | 'flow'
  >
>;

export function entity(kind: EntityKind, name: string, options: EntityOptions = {}): Entity {
  const { type = '', vector = 1, space = '' } = options;
  const nameType = packEntity(kind, type, vector, space);
  return {
    kind,
    name,
    type,
    vector,
    space,
    declaration: options.declaration,
    extent: options.extent,
    scope: options.scope,
    range: options.range,
    fact: options.fact,
    node: options.node,
    flow: options.flow,
    nameType,
    componentType: vector > 1 ? packEntity(kind, type, 1, space) : nameType,
    symbol: -1,
    register: -1,
    position: -1,
    reads: 0,
    writes: 0,
    firstRead: undefined,
    firstWrite: undefined,
  };
}

/** `%r1 (.u32)`, `buffer (.shared .f32)`: a name as messages show it. */
export function describeEntity(e: Entity): string {
  const words = [e.space === '.reg' ? '' : e.space, e.vector > 1 ? `.v${e.vector}` : '', e.type].filter(
    (word) => word !== '',
  );
  return words.length === 0 ? e.name : `${e.name} (${words.join(' ')})`;
}
