import type { Code } from './codes.js';
import type { RemovedElement } from './element-list.js';
import type { Span, TextEdit } from './span.js';

export type Severity = 'error' | 'warning' | 'information' | 'hint';

/** A further place that explains a problem. Relative to the problem's unit, or, with `anchor`, to the span of the module-level declaration of that name. */
export interface RelatedPlace {
  readonly span: Span;
  readonly message: string;
  readonly anchor?: string;
}

/** An edit of a fix. Relative to the problem's unit, or, with `anchor`, to the span of the module-level declaration of that name. */
export interface FixEdit extends TextEdit {
  readonly anchor?: string;
}

/** A repair: complete, and the problem is gone afterwards. */
export interface Fix {
  readonly title: string;
  readonly edits: readonly FixEdit[];
  /**
   * The one that a person would choose most often, and that keeps what the program means or was plainly meant to
   * mean: it may be made together with others, without asking. A guess from the spelling never is.
   */
  readonly preferred?: boolean;
  /** Set when the fix takes one element out of a list of its unit; `edits` are those for this element alone. */
  readonly removes?: RemovedElement;
}

/** A repair of a directive that the target has judged; where it stands, the language knows (`Language.directiveAt`). */
export interface DirectiveFix {
  readonly directive: string;
  /** What it says from then on; without it the directive goes. */
  readonly value?: number;
}

/**
 * One finding. `code` is stable (`family/name`), explained in docs/diagnostics.md, and settings can change its
 * severity. `message` names the thing, what is wrong and a way out, without a final full stop.
 */
export interface Problem {
  readonly code: Code;
  readonly severity: Severity;
  readonly span: Span;
  readonly message: string;
  readonly related?: readonly RelatedPlace[];
  readonly fixes?: readonly Fix[];
  readonly directiveFix?: DirectiveFix;
  readonly tags?: readonly ('unnecessary' | 'deprecated')[];
}
