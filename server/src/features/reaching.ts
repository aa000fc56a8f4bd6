import { isVirtual, virtual } from '../ir/place.js';
import { controlFlow, type Cfg } from '../passes/cfg.js';
import { occurrencesOf, type Occurrences } from '../passes/occurrences.js';
import { definitionsReaching } from '../passes/reaching.js';
import type { Function } from '../ir/function.js';
import { occurrenceAt } from '../languages/symbols.js';
import type { Span } from '../text/span.js';
import type { Unit } from '../workspace/snapshot.js';
import { occurrenceSpan } from './locate.js';

const graphs = new WeakMap<Function, Cfg>();

/** The control flow of a function, made when it is first asked for. */
export function controlFlowOf(f: Function): Cfg {
  let known = graphs.get(f);
  if (known === undefined) graphs.set(f, (known = controlFlow(f)));
  return known;
}

const mentioned = new WeakMap<Function, Occurrences>();

/** Where each register of a function is mentioned, made when it is first asked for. */
export function registerOccurrences(f: Function): Occurrences {
  let known = mentioned.get(f);
  if (known === undefined) mentioned.set(f, (known = occurrencesOf(f)));
  return known;
}

/**
 * Names in the text whose definitions may reach the use at `place` in instruction `instruction`. The operands
 * under the place say which registers are meant (a vector is several); `fallback` is asked about when none is.
 */
export function definitionPlaces(unit: Unit, place: Span, instruction: number, fallback: number): Span[] {
  const f = unit.function;
  if (f === undefined || instruction >= f.instructionCount) return [];
  const registers = new Set<number>();
  for (let o = f.operandStart[instruction]; o < f.operandStart[instruction + 1]; o++) {
    if (!isVirtual(virtual(f.operandPlace[o]))) continue;
    if (f.operandSpanStart[o] < place.end && place.start < f.operandSpanEnd[o])
      registers.add(f.operandPlace[o]);
  }
  if (registers.size === 0 && fallback >= 0) registers.add(fallback);
  const spans = new Map<number, Span>();
  for (const register of registers)
    for (const operand of definitionsReaching(
      f,
      controlFlowOf(f),
      instruction,
      register,
      registerOccurrences(f),
    )) {
      // what is handed over at the start has no place in the text
      if (f.operandSpanStart[operand] < 0) continue;
      const span = nameAt(unit, f.operandSpanStart[operand], f.operandSpanEnd[operand]);
      spans.set(span.start, span);
    }
  return [...spans.values()].sort((a, b) => a.start - b.start);
}

/** The name that stands at an operand: the operand may be wider (`[a]`) or narrower (`v.x`) than it. */
function nameAt(unit: Unit, start: number, end: number): Span {
  const index = occurrenceAt(unit.bound.symbols, start);
  if (index >= 0) {
    const name = occurrenceSpan(unit, index);
    if (name.end > start) return name;
  }
  return { start, end };
}
