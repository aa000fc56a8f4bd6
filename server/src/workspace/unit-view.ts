import type { Function } from '../ir/function.js';
import type { BoundUnit, Environment, ParsedUnit } from '../languages/language.js';
import type { Compilation } from '../targets/target.js';
import type { Problem } from '../text/problem.js';
import type { Document } from './document.js';
import type { Unit } from './snapshot.js';
import type { UnitResults } from './units.js';

/** One unit as a version of a document has it: where it stands, and its results, made when they are asked for. */
export class UnitView implements Unit {
  constructor(
    private readonly document: Document,
    readonly index: number,
  ) {}
  get start(): number {
    return this.document.startOf(this.index);
  }
  get end(): number {
    return this.document.startOf(this.index + 1);
  }
  get parsed(): ParsedUnit {
    return this.document.parsedAt(this.index);
  }
  get environment(): Environment {
    return this.document.environment(this.index);
  }
  get bound(): BoundUnit {
    return this.document.boundAt(this.index);
  }
  get function(): Function | undefined {
    return this.document.functionAt(this.index);
  }
  get compilation(): Compilation | undefined {
    return this.document.compilationAt(this.index);
  }
  get isCompiled(): boolean {
    return this.document.isCompiledAt(this.index);
  }
  get fault(): Problem | undefined {
    return this.document.faultAt(this.index);
  }
}

/** On the function's name, or on what the unit declares when it has not come to a function. */
export function compilerFault(
  { function: source, unit }: UnitResults,
  error: unknown,
  doing: string,
): Problem {
  const span = source
    ? { start: source.nameStart, end: source.nameEnd }
    : (unit.parsed.declares.at(0)?.span ?? { start: 0, end: 0 });
  const why = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal/compiler',
    severity: 'error',
    span,
    message: `fault in Spillway, please report it: ${doing} failed with '${why}'`,
  };
}
