import type { Graph } from '../../../passes/cfg.js';
import type { IrLine, LabelName, Line, SelectionLine } from './tree.js';

/** Blocks of the code; block 0 is the entry. */
export interface Blocks extends Graph {
  /** First line of code of each block, and the number of lines at the end. */
  readonly start: Int32Array;
  readonly names: readonly string[];
  /** Where a branch goes, by line of the code: a block, or -1 where that is not known. */
  readonly targets: ReadonlyMap<number, number>;
  /** The first branch whose target the dump has lost, or undefined. */
  readonly firstLost: SelectionLine | undefined;
  /** Branches to labels that are nowhere, and IF, ELSE and ENDIF without their partner. */
  readonly unknownLabels: readonly LabelName[];
  readonly unmatched: readonly (SelectionLine | IrLine)[];
}

type Branch = 'if' | 'else' | 'endif' | 'while' | 'jump' | 'end';

const branches: Readonly<Record<string, Branch>> = {
  IF: 'if',
  ELSE: 'else',
  ENDIF: 'endif',
  WHILE: 'while',
  JMPI: 'jump',
  BRC: 'jump',
  BRD: 'jump',
  BRA: 'jump',
  EOT: 'end',
  RET: 'end',
};

export const branchOf = (line: Line): Branch | undefined =>
  line.kind === 'selection' || line.kind === 'ir'
    ? Object.hasOwn(branches, line.opcode.text)
      ? branches[line.opcode.text]
      : undefined
    : undefined;

const targetLabels = (line: SelectionLine | IrLine): readonly LabelName[] => {
  if (line.kind === 'ir') return line.target === undefined ? [] : [line.target];
  return [line.jip, line.uip].filter((label) => label !== undefined);
};

/**
 * The graph of a section. Blocks begin at labels, behind branches, and at an ENDIF. IF, ELSE and ENDIF find each
 * other by their nesting, whether or not the dump prints their targets; an ELSE also goes on into its own part,
 * where the lanes go that skipped the first one. Where a JMPI or WHILE goes, plain Beignet does not print: its edge
 * is missing then, and the lines behind it count as reached, so that the rest of the kernel still means something.
 */
export function blocksOf(code: readonly Line[]): Blocks {
  const labels = new Map<number, number>();
  const leader = new Uint8Array(code.length + 1);
  leader[0] = 1;
  for (let i = 0; i < code.length; i++) {
    const line = code[i];
    if (line.kind === 'label') {
      leader[i] = 1;
      if (!labels.has(line.number)) labels.set(line.number, i);
    }
    const branch = branchOf(line);
    if (branch === 'endif') {
      if (i > 0 && code[i - 1].kind !== 'label') leader[i] = 1;
    } else if (branch !== undefined && i + 1 < code.length) leader[i + 1] = 1;
  }
  const starts: number[] = [];
  const blockAt = new Int32Array(code.length + 1);
  for (let i = 0; i < code.length; i++) {
    if (leader[i] === 1) starts.push(i);
    blockAt[i] = starts.length - 1;
  }
  if (starts.length === 0) starts.push(0);
  const blockCount = starts.length;
  blockAt[code.length] = blockCount - 1;

  const nest = nesting(code);
  const edges = new EdgeFinder(code, labels, blockAt, nest.partner);
  const successorStart = new Int32Array(blockCount + 1);
  const successors: number[] = [];
  starts.push(code.length);
  for (let b = 0; b < blockCount; b++) {
    for (const to of new Set(edges.of(starts[b + 1] - 1, b, blockCount))) successors.push(to);
    successorStart[b + 1] = successors.length;
  }
  return {
    start: Int32Array.from(starts),
    names: starts.slice(0, blockCount).map((i) => nameOf(code.at(i))),
    targets: edges.targets,
    firstLost: edges.firstLost,
    unknownLabels: edges.unknownLabels,
    unmatched: nest.unmatched,
    blockCount,
    successorStart,
    successors: Int32Array.from(successors),
  };
}

const nameOf = (line: Line | undefined): string => (line?.kind === 'label' ? line.name.text : '');

interface Nesting {
  /** By IF: its ELSE or ENDIF; by ELSE: its ENDIF. */
  readonly partner: ReadonlyMap<number, number>;
  readonly unmatched: readonly (SelectionLine | IrLine)[];
}

/** Which ELSE and ENDIF belong to which IF. */
export function nesting(code: readonly Line[]): Nesting {
  const partner = new Map<number, number>();
  const unmatched: (SelectionLine | IrLine)[] = [];
  const open: number[] = [];
  for (let i = 0; i < code.length; i++) {
    const line = code[i];
    if (line.kind !== 'selection' && line.kind !== 'ir') continue;
    const branch = branchOf(line);
    if (branch === 'if') open.push(i);
    else if (branch === 'else' || branch === 'endif') {
      const from = open.pop();
      if (from === undefined) unmatched.push(line);
      else partner.set(from, i);
      if (branch === 'else') open.push(i);
    }
  }
  for (const i of open) {
    const line = code[i];
    if (line.kind === 'selection' || line.kind === 'ir') unmatched.push(line);
  }
  return { partner, unmatched };
}

class EdgeFinder {
  readonly targets = new Map<number, number>();
  readonly unknownLabels: LabelName[] = [];
  firstLost: SelectionLine | undefined;

  constructor(
    private readonly code: readonly Line[],
    private readonly labels: ReadonlyMap<number, number>,
    private readonly blockAt: Int32Array,
    private readonly partner: ReadonlyMap<number, number>,
  ) {}

  /** Successors of the block that ends with line `last`, the fall-through first. */
  of(last: number, block: number, blockCount: number): number[] {
    const next = block + 1 < blockCount ? [block + 1] : [];
    const line = this.code.at(last);
    if (line === undefined || (line.kind !== 'selection' && line.kind !== 'ir')) return next;
    const branch = branchOf(line);
    const isGuarded = line.predicate !== undefined;
    switch (branch) {
      case undefined:
      case 'endif':
        return next;
      case 'end':
        return isGuarded ? next : [];
      case 'if':
      case 'else':
        return [...next, ...this.nested(last, branch, line)];
      case 'while':
      case 'jump': {
        const to = this.named(last, line);
        if (to.length === 0) return next;
        return isGuarded || !jumpsAtOnce(line) ? [...next, ...to] : to;
      }
    }
  }

  /** Behind the ELSE of an IF, or where its ENDIF is. */
  private nested(last: number, branch: 'if' | 'else', line: SelectionLine | IrLine): number[] {
    const named = line.kind === 'ir' ? this.named(last, line) : [];
    const partner = this.partner.get(last);
    if (partner === undefined) {
      if (named.length === 0) this.lose(last, line);
      return named;
    }
    const isElse = branch === 'if' && branchOf(this.code[partner]) === 'else';
    const at = this.blockAt[Math.min(isElse ? partner + 1 : partner, this.code.length)];
    this.targets.set(last, at);
    return [...named, at];
  }

  private named(last: number, line: SelectionLine | IrLine): number[] {
    const found: number[] = [];
    const labels = targetLabels(line);
    for (const label of labels) {
      const at = this.labels.get(label.number);
      if (at === undefined) this.unknownLabels.push(label);
      else found.push(this.blockAt[at]);
    }
    this.targets.set(last, found.at(0) ?? -1);
    if (labels.length === 0) this.lose(last, line);
    return found;
  }

  private lose(last: number, line: SelectionLine | IrLine): void {
    this.targets.set(last, -1);
    if (line.kind === 'selection') this.firstLost ??= line;
  }
}

/** Without a predicate these go on nowhere else; WHILE, BRC and BRD divide the lanes. */
const jumpsAtOnce = (line: SelectionLine | IrLine): boolean =>
  line.opcode.text === 'JMPI' || line.opcode.text === 'BRA';
