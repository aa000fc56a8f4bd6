import type { Problem } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import type { UnitCall } from '../../frames.js';
import type { PtxBound } from '../bind/index.js';
import { factOf, type VariableFact } from '../declarations.js';
import { frameOf, mayHaveFrame, type Frame } from './frame.js';
import { stacksArray, uniArray } from './origins.js';
import { alignment } from './rules/alignment.js';
import { deadFrame } from './rules/dead-frame.js';
import { dynamicAllocation } from './rules/dynamic.js';
import { localSpace } from './rules/local-space.js';
import { notRestored } from './rules/not-restored.js';
import { slotIndex } from './rules/slot-index.js';
import type { FunctionRule } from './rules/subject.js';
import { unpublished } from './rules/unpublished.js';
import { unitFrame } from './unit-frame.js';

/** What one unit brings to the findings about a module; made once for a bound unit. */
export interface StackSummary {
  readonly bound: PtxBound;
  /** The function with a body, if the unit has one. */
  readonly name: string;
  readonly nameSpan: Span;
  readonly isEntry: boolean;
  /** Undefined where nothing of a frame is in sight. */
  readonly frame: Frame | undefined;
  /** It takes its stack pointer from a slot, or keeps a frame below one. */
  readonly usesSoftStack: boolean;
  /** As `usesSoftStack`, of a stack that all lanes of a warp share. */
  readonly sharesStack: boolean;
  /** It stores into a slot what does not come from it. */
  readonly setsUp: boolean;
  readonly calls: readonly UnitCall[];
  /** Declarations of the arrays that the runtime shares. */
  readonly arrays: readonly { readonly name: string; readonly span: Span; readonly fact: VariableFact }[];
  /** Findings of the rules about one function. */
  readonly problems: readonly Problem[];
}

const rules: readonly FunctionRule[] = [
  alignment,
  notRestored,
  unpublished,
  slotIndex,
  localSpace,
  dynamicAllocation,
  deadFrame,
];

const known = new WeakMap<PtxBound, StackSummary | undefined>();

/** Undefined for a unit that has neither a function with a body nor one of the arrays. */
export function summaryOf(bound: PtxBound): StackSummary | undefined {
  if (known.has(bound)) return known.get(bound);
  const summary = summarise(bound);
  known.set(bound, summary);
  return summary;
}

function summarise(bound: PtxBound): StackSummary | undefined {
  const arrays = bound.parsed.declares.flatMap((declaration) => {
    if (declaration.name !== stacksArray && declaration.name !== uniArray) return [];
    const fact = factOf(declaration);
    return fact.kind === 'variable' ? [{ name: declaration.name, span: declaration.span, fact }] : [];
  });
  const unit = unitFrame(bound);
  if (unit === undefined && arrays.length === 0) return undefined;
  const frame = mayHaveFrame(bound) ? frameOf(bound) : undefined;
  const flow = frame?.flow;
  return {
    bound,
    name: unit?.name ?? '',
    nameSpan: unit?.span ?? { start: 0, end: 0 },
    isEntry: unit?.isEntry ?? false,
    frame,
    usesSoftStack: (frame?.soft?.loads.length ?? 0) > 0,
    sharesStack: (frame?.soft?.loads.length ?? 0) > 0 && frame?.soft?.array === 'stacks',
    setsUp: (frame?.soft?.otherStores.length ?? 0) > 0,
    calls: unit?.calls ?? [],
    arrays,
    problems:
      frame === undefined || flow === undefined ? [] : rules.flatMap((rule) => rule({ bound, frame, flow })),
  };
}
