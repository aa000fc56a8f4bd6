import { startByte } from './access.js';
import type { Operand } from './operand.js';
import type { LiveOutDirective, MesaUnit, Statement } from './tree.js';

/** What the directives of a program say, and what its lines say in their place, as attributes of the function. */
export interface Facts {
  readonly name: { readonly text: string; readonly start: number; readonly end: number };
  readonly attributes: Readonly<Record<string, number | string>>;
  readonly width: 8 | 16 | 32;
  readonly phase: 'virtual' | 'allocated' | 'hw';
  /** True where no `.phase` says so, but the lines do. */
  readonly isPhaseAssumed: boolean;
  /** What `.uniforms` and `.attrs` say, if they are there. */
  readonly givenUniforms: number | undefined;
  readonly givenAttributes: number | undefined;
  readonly liveOuts: readonly LiveOutDirective[];
}

const widths: Readonly<Record<string, 8 | 16 | 32>> = { simd8: 8, simd16: 16, simd32: 32 };

/** `looksAllocated`: the lines contradict each other if the registers are virtual. */
export function factsOf(unit: MesaUnit, looksAllocated: boolean): Facts {
  const attributes: Record<string, number | string> = {
    dialect: unit.dialect,
    source: unit.isStandalone ? 'gen' : 'mesa',
  };
  let name: Facts['name'] | undefined;
  let width: Facts['width'] | undefined;
  let phase: Facts['phase'] = 'virtual';
  const liveOuts: LiveOutDirective[] = [];
  let isPhaseAssumed = false;
  for (const statement of unit.statements) {
    switch (statement.kind) {
      case 'program':
        name ??= statement.word;
        break;
      case 'target':
        if (statement.word !== undefined) attributes.platform ??= statement.word.text;
        break;
      case 'stage':
        if (statement.word !== undefined) attributes.stage ??= statement.word.text;
        break;
      case 'mode':
        if (statement.word === undefined) break;
        attributes.mode ??= statement.word.text;
        width ??= Object.hasOwn(widths, statement.word.text) ? widths[statement.word.text] : undefined;
        break;
      case 'phase':
        if (statement.word === undefined || attributes.phase !== undefined) break;
        phase = statement.word.text as Facts['phase'];
        attributes.phase = phase;
        break;
      case 'payload':
        if (statement.ranges.length === 0 || attributes.firstFree !== undefined) break;
        attributes.firstFree = Math.min(128, Math.max(...statement.ranges.map(({ last }) => last + 1)));
        break;
      case 'uniforms':
      case 'attrs':
      case 'grfLimit':
        if (statement.count !== undefined) attributes[statement.kind] ??= statement.count.value;
        break;
      case 'reserved':
        if (statement.count === undefined) break;
        attributes.reserved ??= statement.count.value;
        if (statement.at !== undefined) attributes.reservedAt ??= statement.at.value;
        break;
      case 'scratch':
        if (statement.bytes !== undefined) attributes.scratch ??= statement.bytes.value;
        if (statement.limit !== undefined) attributes.scratchLimit ??= statement.limit.value;
        break;
      case 'liveOut':
        if (!statement.isFaulty) liveOuts.push(statement);
        break;
      default:
        break;
    }
  }
  if (attributes.phase === undefined) {
    isPhaseAssumed = looksAllocated;
    if (looksAllocated) phase = 'allocated';
    attributes.phase = phase;
  }
  const seen = seenIn(unit, phase, poolOf(attributes));
  width ??= unit.dialect === 'vec4' ? 8 : seen.width;
  attributes.width = width;
  const givenUniforms = numberOf(attributes.uniforms);
  const givenAttributes = numberOf(attributes.attrs);
  attributes.uniforms ??= seen.uniforms;
  attributes.attrs ??= seen.attributes;
  if (attributes.firstFree === undefined) {
    attributes.firstFree = seen.firstFree;
    attributes.payloadAssumed = 1;
  }
  return {
    name: name ?? unnamed(unit),
    attributes,
    width,
    phase,
    isPhaseAssumed,
    givenUniforms,
    givenAttributes,
    liveOuts,
  };
}

interface Pool {
  readonly first: number;
  readonly count: number;
}

/** Registers that only spill code uses. */
export function poolOf(attributes: Facts['attributes']): Pool {
  const count = numberOf(attributes.reserved) ?? 0;
  return { first: numberOf(attributes.reservedAt) ?? 128 - count, count };
}

const numberOf = (value: number | string | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined;

/** A program without a name is called `program`, and stands where its first instruction does. */
function unnamed({ statements }: MesaUnit): Facts['name'] {
  const first: Statement | undefined =
    statements.find(({ kind }) => kind === 'instruction') ?? statements.at(0);
  return { text: 'program', start: first?.start ?? 0, end: first?.end ?? 0 };
}

interface Seen {
  uniforms: number;
  attributes: number;
  firstFree: number;
  width: 8 | 16 | 32;
}

/** What the operands mention: the highest uniform, attribute and fixed register, and the widest instruction. */
function seenIn(unit: MesaUnit, phase: Facts['phase'], pool: Pool): Seen {
  const seen: Seen = { uniforms: 0, attributes: 0, firstFree: 1, width: 8 };
  const unitBytes = unit.dialect === 'vec4' ? 16 : 4;
  /** Registers that hold no payload: of the pool, or written before. */
  const isOurs = new Uint8Array(128).fill(1, pool.first, pool.first + pool.count);
  let widest = 8;
  let plain = 0;
  const see = (operand: Operand): void => {
    switch (operand.file) {
      case 'uniform':
        seen.uniforms = Math.max(
          seen.uniforms,
          operand.number + Math.floor(startByte(operand, unitBytes) / unitBytes) + 1,
        );
        break;
      case 'attribute':
        seen.attributes = Math.max(seen.attributes, operand.number + operand.offsetRegisters + 1);
        break;
      case 'grf':
        if (operand.number < 128 && isOurs[operand.number] === 0)
          seen.firstFree = Math.max(
            seen.firstFree,
            Math.min(128, operand.number + operand.offsetRegisters + 1),
          );
        break;
      default:
        break;
    }
  };
  for (const statement of unit.statements) {
    if (statement.kind !== 'instruction' || statement.isFaulty) continue;
    for (const source of statement.sources) see(source);
    const { destination } = statement;
    if (phase === 'hw') {
      if (destination.file === 'grf' && destination.number < 128) isOurs[destination.number] = 1;
    } else see(destination);
    widest = Math.max(widest, statement.width);
    if (statement.group < 0) plain = Math.max(plain, statement.width);
  }
  // The group is printed where the execution size is not the dispatch width.
  if (plain > 0) widest = plain;
  else if (unit.dialect === 'scalar') widest *= 2;
  seen.width = widest >= 32 ? 32 : widest >= 16 ? 16 : 8;
  return seen;
}
