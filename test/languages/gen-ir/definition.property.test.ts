import assert from 'node:assert/strict';
import fc from 'fast-check';
import { genIr } from '../../../server/src/languages/gen-ir/index.js';
import { runs } from '../../support/fuzz.js';
import { bound } from './support.js';

/**
 * Definitions that reach a use, against executions: one vertex runs the program along a way that is chosen by
 * chance, remembers who wrote each channel last, and looks who that is at every read.
 */
type Node =
  | {
      readonly kind: 'mov';
      readonly to: number;
      readonly mask: number;
      readonly from: number;
      readonly swizzle: readonly number[];
      readonly isPredicated: boolean;
    }
  | { readonly kind: 'if'; readonly then: readonly Node[]; readonly otherwise: readonly Node[] }
  | { readonly kind: 'loop'; readonly body: readonly Node[]; readonly breaks: boolean };

const move: fc.Arbitrary<Node> = fc.record({
  kind: fc.constant('mov' as const),
  to: fc.nat({ max: 2 }),
  mask: fc.integer({ min: 1, max: 15 }),
  from: fc.nat({ max: 2 }),
  swizzle: fc.array(fc.nat({ max: 3 }), { minLength: 4, maxLength: 4 }),
  isPredicated: fc.boolean(),
});

const { block } = fc.letrec<{ block: Node[]; node: Node }>((tie) => ({
  block: fc.array(tie('node'), { maxLength: 4 }),
  node: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    move,
    move,
    fc.record({ kind: fc.constant('if' as const), then: tie('block'), otherwise: tie('block') }),
    fc.record({ kind: fc.constant('loop' as const), body: tie('block'), breaks: fc.boolean() }),
  ),
}));

const letters = (channels: readonly number[]): string => channels.map((c) => 'xyzw'[c]).join('');
const channelsOf = (mask: number): number[] => [0, 1, 2, 3].filter((c) => (mask & (1 << c)) !== 0);

/** The program as text; the line of each move. */
function written(nodes: readonly Node[]): { readonly text: string; readonly lines: Map<Node, number> } {
  const text: string[] = [];
  const lines = new Map<Node, number>();
  const add = (list: readonly Node[]): void => {
    for (const node of list)
      switch (node.kind) {
        case 'mov':
          lines.set(node, text.length);
          text.push(
            `${node.isPredicated ? '(+f0.0) ' : ''}mov(8) vgrf${node.to}.${letters(channelsOf(node.mask))}:F, vgrf${node.from}.${letters(node.swizzle)}:F`,
          );
          break;
        case 'if':
          text.push('(+f0.0) if(8) (null):UD');
          add(node.then);
          text.push('else(8) (null):UD');
          add(node.otherwise);
          text.push('endif(8) (null):UD');
          break;
        case 'loop':
          text.push('do(8) (null):UD');
          add(node.body);
          if (node.breaks) text.push('(+f0.0) break(8) (null):UD');
          text.push(`${node.breaks ? '' : '(+f0.0) '}while(8) (null):UD`);
      }
  };
  add(nodes);
  return { text: text.join('\n'), lines };
}

/** One execution; `sees(read, write)` for every value that a move reads. */
function execute(
  nodes: readonly Node[],
  chance: () => boolean,
  sees: (read: Node, write: Node) => void,
): void {
  const last = new Map<number, Node>();
  const run = (list: readonly Node[]): void => {
    for (const node of list)
      switch (node.kind) {
        case 'mov': {
          for (const c of channelsOf(node.mask)) {
            const write = last.get(4 * node.from + node.swizzle[c]);
            if (write !== undefined) sees(node, write);
          }
          if (!node.isPredicated || chance())
            for (const c of channelsOf(node.mask)) last.set(4 * node.to + c, node);
          break;
        }
        case 'if':
          run(chance() ? node.then : node.otherwise);
          break;
        case 'loop':
          for (let round = 0; round < 4; round++) {
            run(node.body);
            if (chance()) break;
          }
      }
  };
  run(nodes);
}

describe('gen-ir definitions, random programs', () => {
  it('are what executions see', () =>
    fc.assert(
      fc.property(block, fc.integer(), (nodes, seed) => {
        const { text, lines } = written(nodes);
        if (lines.size === 0) return;
        const starts = [0];
        for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
        const seen = new Map<Node, Set<number>>();
        let state = seed | 1;
        const chance = (): boolean => {
          state = (Math.imul(state, 1103515245) + 12345) | 0;
          return ((state >>> 16) & 1) === 1;
        };
        for (let k = 0; k < 300; k++)
          execute(nodes, chance, (read, write) => {
            let known = seen.get(read);
            if (known === undefined) seen.set(read, (known = new Set()));
            known.add(lines.get(write) ?? -1);
          });
        const unit = bound(text);
        for (const [node, line] of lines) {
          const use = text.indexOf('F, vgrf', starts[line]) + 3;
          const found = (genIr.definitionsReaching?.(unit, use) ?? []).map(({ start }) =>
            starts.findLastIndex((at) => at <= start),
          );
          for (const seenLine of seen.get(node) ?? [])
            assert.ok(found.includes(seenLine), `line ${line} may read what line ${seenLine} wrote`);
          // Chance may miss a way through deep nesting, not through a small program.
          if (lines.size <= 4 && text.split('\n').length <= 12)
            assert.deepEqual(
              found,
              [...(seen.get(node) ?? [])].sort((a, b) => a - b),
              `line ${line}`,
            );
        }
      }),
      { numRuns: runs(150) },
    )).timeout(30_000);
});
