/**
 * What `ptxas -v` prints, read. The form is that of CUDA 9 to 13 (probed with 13.0): messages begin with `ptxas`, have
 * a severity before ` : ` and, where a place is known, a line; the figures of a function follow its name.
 *
 *     ptxas a.ptx, line 9; error   : Unknown modifier '.s33'
 *     ptxas info    : Compiling entry function 'k' for 'sm_80'
 *     ptxas info    : Function properties for k
 *         64 bytes stack frame, 56 bytes spill stores, 60 bytes spill loads
 *     ptxas info    : Used 32 registers, used 1 barriers, 128 bytes smem, 360 bytes cmem[0]
 *
 * Any text is accepted; lines of another form are passed over.
 */
export interface PtxasFunction {
  readonly name: string;
  /** False for a function that others call: ptxas counts its registers into those of its callers. */
  readonly isEntry: boolean;
  /** 32-bit registers a thread; absent where ptxas does not say. */
  readonly registers?: number;
  /** Bytes of local memory a thread, arrays of the source included. */
  readonly stackBytes: number;
  /** Of a function that is no entry these include the registers that it saves for its caller. */
  readonly spillStoreBytes: number;
  readonly spillLoadBytes: number;
}

/** A message about the text. */
export interface PtxasMessage {
  readonly severity: 'error' | 'warning' | 'information';
  /** One-based; absent where ptxas names none. */
  readonly line?: number;
  /** The function that the message is about, where it names one. */
  readonly function?: string;
  readonly message: string;
}

/** What one run of ptxas said. */
export interface PtxasReport {
  readonly functions: ReadonlyMap<string, PtxasFunction>;
  readonly messages: readonly PtxasMessage[];
  /** False when no line has the form of a message of ptxas. */
  readonly isUnderstood: boolean;
}

/** `ptxas`, a place, a severity, blanks and a colon. */
const MESSAGE = /^ptxas (?:[^;]*, line (\d+); )?(fatal|error|warning|info) *: (.*)$/;
const ENTRY = /^Compiling entry function '(.*)' for '/;
const PROPERTIES = /^Function properties for (.*)$/;
const BYTES = /^ +(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads/;
const USED = /^Used (\d+) registers/;
/** Advice such as `(C7508) Potential Performance Loss: ...` comes as information, with its number. */
const ADVICE = /^\(C\d+\) /;
/** It follows every error and says nothing more. */
const ABORTED = 'Ptx assembly aborted due to errors';
/** No line that ptxas writes is longer; what is behind this is not looked at. */
const LONGEST = 4096;

export function readReport(output: string): PtxasReport {
  const functions = new Map<string, PtxasFunction>();
  const messages: PtxasMessage[] = [];
  const entries = new Set<string>();
  let isUnderstood = false;
  let current: string | undefined;
  const update = (name: string, figures: Partial<PtxasFunction>): void => {
    const before = functions.get(name);
    functions.set(name, {
      name,
      isEntry: entries.has(name),
      stackBytes: 0,
      spillStoreBytes: 0,
      spillLoadBytes: 0,
      ...before,
      ...figures,
    });
  };
  for (const whole of output.split('\n')) {
    const line = whole.slice(0, LONGEST).trimEnd();
    const bytes = current === undefined ? null : BYTES.exec(line);
    if (bytes !== null && current !== undefined) {
      const [stackBytes, spillStoreBytes, spillLoadBytes] = bytes.slice(1).map(Number);
      update(current, { stackBytes, spillStoreBytes, spillLoadBytes });
      continue;
    }
    const match = MESSAGE.exec(line);
    if (match === null) continue;
    isUnderstood = true;
    const [, place, severity, text] = match;
    if (severity !== 'info') {
      if (text !== ABORTED) messages.push(messageOf(severity, place, text));
      continue;
    }
    const entry = ENTRY.exec(text);
    const properties = PROPERTIES.exec(text);
    const used = current === undefined ? null : USED.exec(text);
    if (entry !== null) entries.add((current = entry[1]));
    else if (properties !== null) current = properties[1];
    else if (used !== null && current !== undefined) update(current, { registers: Number(used[1]) });
    else if (ADVICE.test(text)) messages.push(messageOf(severity, place, text));
  }
  return { functions, messages, isUnderstood };
}

const severities = { fatal: 'error', error: 'error', warning: 'warning', info: 'information' } as const;

function messageOf(severity: string, place: string | undefined, text: string): PtxasMessage {
  const line = place ?? /\bon line (\d+)/.exec(text)?.[1];
  const name = /\b(?:function|entry|for) '([^']+)'/.exec(text)?.[1];
  return {
    severity: severities[severity as keyof typeof severities],
    ...(line !== undefined && { line: Number(line) }),
    ...(name !== undefined && { function: name }),
    message: text,
  };
}

/** `13.0.88` of what `ptxas --version` prints. */
export const versionOf = (output: string): string | undefined =>
  /\bV(\d+\.\d+(?:\.\d+)?)/.exec(output.slice(0, LONGEST))?.[1];
