import type { BlockView, ControlFlowView } from '../../../../server/src/features/views/data.js';

/** The content of the control-flow picture, by the blocks that are drawn. */
export interface Graph {
  readonly view: ControlFlowView;
  /** In text order: all but those that hold nothing and lead nowhere. */
  readonly blocks: readonly BlockView[];
  /** Between numbers of `blocks`. */
  readonly edges: readonly GraphEdge[];
  /** Edges by the block that they leave and enter. */
  readonly out: readonly (readonly number[])[];
  readonly into: readonly (readonly number[])[];
  readonly sizes: readonly Size[];
}

export interface GraphEdge {
  readonly from: number;
  readonly to: number;
  readonly isTaken: boolean;
  readonly isBack: boolean;
  /** Closes a loop with several entries and goes on in the direction of the text. */
  readonly isOnward?: true;
}

/** Leads up in the picture: closes a loop, and not on its way down. */
export const leadsUp = ({ isBack, isOnward }: GraphEdge): boolean => isBack && isOnward !== true;

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels of a box at its natural size. */
export const BOX_WIDTH = 208;
export const LINE_HEIGHT = 16;
export const BOX_PADDING = 8;

export function graphOf(view: ControlFlowView): Graph {
  const touched = new Set(view.edges.flatMap(({ from, to }) => [from, to]));
  const kept = view.blocks.flatMap((block, b) => (block.length > 0 || b === 0 || touched.has(b) ? [b] : []));
  const numberOf = new Map(kept.map((b, k) => [b, k]));
  const edges = view.edges.flatMap(({ from, to, kind, isBack }): GraphEdge[] => {
    const a = numberOf.get(from);
    const b = numberOf.get(to);
    if (a === undefined || b === undefined) return [];
    const isOnward = isBack && to > from && !view.blocks[to].isLoopHead;
    return [{ from: a, to: b, isTaken: kind === 'taken', isBack, ...(isOnward && { isOnward }) }];
  });
  const out: number[][] = kept.map(() => []);
  const into: number[][] = kept.map(() => []);
  edges.forEach(({ from, to }, e) => {
    out[from].push(e);
    into[to].push(e);
  });
  const blocks = kept.map((b) => view.blocks[b]);
  const sizes = blocks.map((block) => ({
    width: BOX_WIDTH,
    height: 2 * BOX_PADDING + LINE_HEIGHT * (boxLines(block).length + 1),
  }));
  return { view, blocks, edges, out, into, sizes };
}

const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;

/** The label of a block, or its number where it has none. */
export const blockName = (graph: Graph, b: number): string =>
  graph.blocks[b].name !== '' ? graph.blocks[b].name : b === 0 ? 'entry' : `block ${b}`;

/** `lines 12–20`, as a person counts; '' for a block that stands nowhere. */
export function lineWords({ view }: Graph, { firstLine, lastLine }: BlockView): string {
  if (firstLine < 0) return '';
  const from = view.line + firstLine + 1;
  const to = view.line + lastLine + 1;
  return from === to ? `line ${from}` : `lines ${from}–${to}`;
}

/** The first of those lines of a box that say what it costs. */
export const FIRST_COST = 2;

const numbers = ['', '', 'two', 'three', 'four'];

/** `two-entry loop` */
const entryLoop = (entries: number): string =>
  entries < 2
    ? 'loop'
    : numbers[entries] === undefined
      ? `loop with ${entries} entries`
      : `${numbers[entries]}-entry loop`;

const loopWords = ({ loopDepth, loopEntries }: BlockView): string =>
  loopEntries > 0 ? ` · ${entryLoop(loopEntries)}` : loopDepth > 0 ? ` · loop ${loopDepth}` : '';

/** What a box says below its name. */
export function boxLines(block: BlockView): string[] {
  const lines = [
    `${count(block.length, 'instruction')}${loopWords(block)}`,
    `live ${block.entry[0] ?? 0} → ${block.exit[0] ?? 0} · peak ${block.peakWritten[0] ?? 0}`,
  ];
  const spills = [
    ...(block.spillStores > 0 ? [count(block.spillStores, 'store')] : []),
    ...(block.spillLoads > 0 ? [count(block.spillLoads, 'reload')] : []),
  ];
  if (spills.length > 0) lines.push(spills.join(' · '));
  if (block.stallCycles > 0) lines.push(`waits ${count(block.stallCycles, 'cycle')}`);
  return lines;
}

/** Everything that is known of a block, as pairs of name and text. */
export function blockFacts(graph: Graph, b: number): (readonly [name: string, text: string])[] {
  const { view } = graph;
  const block = graph.blocks[b];
  const facts: (readonly [string, string])[] = [];
  const lines = lineWords(graph, block);
  facts.push(['Length', `${count(block.length, 'instruction')}${lines === '' ? '' : `, ${lines}`}`]);
  if (block.loopDepth > 0)
    facts.push([
      'Loops around',
      [
        `${block.loopDepth}`,
        ...(block.isLoopHead ? ['head of a loop'] : []),
        ...(block.loopEntries > 0 ? [`an entry of a ${entryLoop(block.loopEntries)}`] : []),
      ].join(', '),
    ]);
  view.classes.forEach(({ unit }, k) => {
    if (block.peakWritten[k] === 0 && block.peakCompiled[k] === 0) return;
    facts.push([
      `Live ${unit}s`,
      `${block.entry[k]} on entry, ${block.exit[k]} on exit; peak ${block.peakWritten[k]} as written, ${block.peakCompiled[k]} as compiled`,
    ]);
  });
  if (block.spillStores + block.spillLoads > 0)
    facts.push(['Spills', `${count(block.spillStores, 'store')}, ${count(block.spillLoads, 'reload')}`]);
  if (block.stallCycles > 0) facts.push(['Waits', count(block.stallCycles, 'cycle')]);
  facts.push(['Comes from', waysWords(graph, graph.into[b], 'from')]);
  facts.push(['Goes to', waysWords(graph, graph.out[b], 'to')]);
  if (!block.isReachable) facts.push(['Reached', 'never']);
  for (const [name, text] of block.notes) facts.push([name, text.replaceAll('`', '')]);
  return facts;
}

const MOST_WAYS = 6;

function waysWords(graph: Graph, edges: readonly number[], end: 'from' | 'to'): string {
  if (edges.length === 0) return end === 'to' ? 'leaves the function' : 'nowhere in the function';
  const words = edges.slice(0, MOST_WAYS).map((e) => {
    const edge = graph.edges[e];
    const forward = edge.isTaken ? 'branch' : 'falls through';
    const how = !edge.isBack ? forward : edge.isOnward ? `${forward}, closes a loop` : 'branch back';
    return `${blockName(graph, edge[end])} (${how})`;
  });
  return edges.length > MOST_WAYS
    ? `${words.join(', ')} and ${edges.length - MOST_WAYS} more`
    : words.join(', ');
}

/** A block in sentences, for a screen reader. */
export const blockWords = (graph: Graph, b: number): string =>
  `${blockName(graph, b)}. ${blockFacts(graph, b)
    .map(([name, text]) => `${name}: ${text}`)
    .join('. ')}.`;

/** The whole picture in some sentences. */
export function summaryWords({ view, blocks, edges }: Graph): string {
  const heads = blocks.filter(({ isLoopHead }) => isLoopHead).length;
  // each of n entries stands for an nth of its loop
  const shares = blocks.reduce((sum, { loopEntries }) => sum + (loopEntries > 0 ? 1 / loopEntries : 0), 0);
  const several = Math.round(shares);
  const loops = heads + several;
  const most = blocks.reduce((best, block, b) => (peakOf(block) > peakOf(blocks[best]) ? b : best), 0);
  const parts = [
    `Control flow of ${view.name}, ${view.model}: ${count(blocks.length, 'block')}, ${count(edges.length, 'edge')}, ${count(loops, 'loop')}${several > 0 ? `, ${several} of them with several entries` : ''}.`,
  ];
  if (blocks.length > 0)
    parts.push(
      `Most is live in ${blocks[most].name || `block ${most}`}: ${peakOf(blocks[most])} as written.`,
    );
  return parts.join(' ');
}

export const peakOf = (block: BlockView | undefined): number => block?.peakWritten[0] ?? 0;

/** The block that holds a line of the document, else the last one that begins above it; -1 above all. */
export function blockOfLine({ blocks, view }: Graph, documentLine: number): number {
  const line = documentLine - view.line;
  let found = -1;
  blocks.forEach((block, b) => {
    if (block.firstLine < 0 || block.firstLine > line) return;
    if (found < 0 || block.firstLine >= blocks[found].firstLine) found = b;
  });
  return found;
}
