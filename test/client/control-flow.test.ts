import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  blockAt,
  fitted,
  revealing,
  stepFrom,
  toLayout,
  toScreen,
  zoomedAt,
  type Camera,
} from '../../client/src/views/control-flow/camera.js';
import {
  blockFacts,
  blockName,
  blockOfLine,
  blockWords,
  boxLines,
  FIRST_COST,
  graphOf,
  summaryWords,
  type Graph,
} from '../../client/src/views/control-flow/graph.js';
import { layered, type Layout } from '../../client/src/views/control-flow/layout.js';
import { inTextOrder } from '../../client/src/views/control-flow/text-order.js';
import type { BlockView, ControlFlowView, EdgeView } from '../../server/src/features/views/data.js';
import { runs } from '../support/fuzz.js';

function viewOf(count: number, edges: readonly EdgeView[]): ControlFlowView {
  const blocks = Array.from({ length: count }, (_, b): BlockView => ({
    name: b % 2 === 0 ? `$L${b}` : '',
    first: 3 * b,
    length: 3,
    firstLine: 5 * b + 1,
    lastLine: 5 * b + 3,
    loopDepth: edges.some(({ isBack, from, to }) => isBack && to <= b && b <= from) ? 1 : 0,
    isLoopHead: edges.some(({ isBack, to }) => isBack && to === b),
    loopEntries: 0,
    isReachable: true,
    entry: [b],
    exit: [b + 1],
    peakWritten: [b + 2],
    peakCompiled: [b + 1],
    spillStores: b === 1 ? 2 : 0,
    spillLoads: 0,
    stallCycles: b === 1 ? 40 : 0,
    notes: [],
  }));
  return {
    id: 'x',
    name: 'f',
    language: 'Toy',
    target: 'toy',
    model: 'toy, limit 8',
    line: 10,
    lineCount: 5 * count,
    summary: '',
    classes: [{ name: 'general', unit: 'register', peak: count + 1 }],
    limit: 8,
    blocks,
    edges,
  };
}

/** Structured control flow in text order: falls through, branches forward, branches back to a block before. */
const randomGraph: fc.Arbitrary<Graph> = fc
  .array(fc.record({ jump: fc.nat({ max: 5 }), kind: fc.constantFrom('none', 'forward', 'back') }), {
    minLength: 1,
    maxLength: 14,
  })
  .map((steps) => {
    const edges: EdgeView[] = [];
    steps.forEach(({ jump, kind }, b) => {
      if (b + 1 < steps.length) edges.push({ from: b, to: b + 1, kind: 'fallThrough', isBack: false });
      const forward = Math.min(steps.length - 1, b + 1 + jump);
      if (kind === 'forward' && forward > b)
        edges.push({ from: b, to: forward, kind: 'taken', isBack: false });
      // a branch back closes a loop where nothing jumps into its middle; the layout takes any
      if (kind === 'back') edges.push({ from: b, to: Math.max(0, b - jump), kind: 'taken', isBack: true });
    });
    return graphOf(viewOf(steps.length, edges));
  });

const taskOf = (graph: Graph): Parameters<typeof layered>[0] => ({ sizes: graph.sizes, edges: graph.edges });
const depthsOf = (graph: Graph): number[] => graph.blocks.map(({ loopDepth }) => loopDepth);

function assertDrawable(graph: Graph, layout: Layout): void {
  graph.sizes.forEach((size, b) => {
    assert.ok(layout.x[b] - size.width / 2 >= 0 && layout.x[b] + size.width / 2 <= layout.width + 1);
    assert.ok(layout.y[b] - size.height / 2 >= 0 && layout.y[b] + size.height / 2 <= layout.height + 1);
    for (let c = 0; c < b; c++) {
      const apartX = Math.abs(layout.x[b] - layout.x[c]) >= (size.width + graph.sizes[c].width) / 2;
      const apartY = Math.abs(layout.y[b] - layout.y[c]) >= (size.height + graph.sizes[c].height) / 2;
      assert.ok(apartX || apartY, `blocks ${c} and ${b} overlap`);
    }
  });
  graph.edges.forEach(({ from, to }, e) => {
    const points = layout.edges[e];
    const touches = (b: number, x: number, y: number): boolean =>
      Math.abs(layout.x[b] - x) <= graph.sizes[b].width / 2 + 1 &&
      Math.abs(layout.y[b] - y) <= graph.sizes[b].height / 2 + 1;
    assert.ok(points.length >= 4 && points.every(Number.isFinite));
    assert.ok(touches(from, points[0], points[1]), `edge ${e} begins elsewhere`);
    assert.ok(touches(to, points[points.length - 2], points[points.length - 1]), `edge ${e} ends elsewhere`);
  });
}

describe('layouts of control flow', () => {
  it('in layers: blocks apart, edges from box to box, downward where they close no loop', () => {
    fc.assert(
      fc.property(randomGraph, (graph) => {
        const layout = layered(taskOf(graph));
        assertDrawable(graph, layout);
        for (const { from, to, isBack } of graph.edges)
          if (from !== to) assert.equal(layout.y[to] > layout.y[from], !isBack);
      }),
      { numRuns: runs(40) },
    );
  });

  it('in the order of the text: the same, for graphs of any size', () => {
    fc.assert(
      fc.property(randomGraph, (graph) => {
        const layout = inTextOrder(taskOf(graph), depthsOf(graph));
        assertDrawable(graph, layout);
        for (let b = 1; b < graph.blocks.length; b++) assert.ok(layout.y[b] > layout.y[b - 1]);
      }),
      { numRuns: runs(100) },
    );
    const sizes = Array.from({ length: 20_000 }, () => ({ width: 100, height: 40 }));
    const edges = sizes.slice(1).map((_, b) => ({ from: b, to: b + 1, isTaken: b % 3 === 0, isBack: false }));
    assert.equal(inTextOrder({ sizes, edges }, []).x.length, 20_000);
  });
});

const loop = graphOf(
  viewOf(4, [
    { from: 0, to: 1, kind: 'fallThrough', isBack: false },
    { from: 1, to: 2, kind: 'fallThrough', isBack: false },
    { from: 1, to: 3, kind: 'taken', isBack: false },
    { from: 2, to: 1, kind: 'taken', isBack: true },
  ]),
);

describe('keys of the control-flow picture', () => {
  const layout = layered(taskOf(loop));
  const step = (b: number, direction: Parameters<typeof stepFrom>[3], cameFrom = -1): number =>
    stepFrom(loop, layout, b, direction, cameFrom);

  it('follow the edges', () => {
    assert.equal(step(-1, 'down'), 0);
    assert.equal(step(0, 'down'), 1);
    assert.equal(step(1, 'down'), 2);
    assert.equal(step(1, 'taken'), 3);
    assert.equal(step(2, 'down'), 1, 'the only way out');
    assert.equal(step(3, 'down'), 3, 'no way out');
    assert.equal(step(1, 'up'), 0, 'not along the edge that closes the loop');
    assert.equal(step(1, 'up', 2), 2, 'back to where one came from');
    assert.equal(step(2, 'last'), 3);
    assert.equal(step(2, 'first'), 0);
  });

  it('go to the neighbour at the same height', () => {
    const flat: Layout = {
      width: 900,
      height: 100,
      x: [100, 400, 700, 100],
      y: [50, 50, 50, 300],
      edges: [],
    };
    assert.equal(stepFrom(loop, flat, 0, 'right', -1), 1);
    assert.equal(stepFrom(loop, flat, 2, 'left', -1), 1);
    assert.equal(stepFrom(loop, flat, 2, 'right', -1), 2);
    assert.equal(stepFrom(loop, flat, 3, 'right', -1), 3);
  });
});

const anyCamera: fc.Arbitrary<Camera> = fc.record({
  x: fc.integer({ min: -500, max: 500 }),
  y: fc.integer({ min: -500, max: 500 }),
  scale: fc.constantFrom(0.05, 0.4, 1, 2.2),
});
const stage = { width: 640, height: 480 };

describe('the camera of the control-flow picture', () => {
  it('takes pixels back to where they were drawn from', () => {
    fc.assert(
      fc.property(anyCamera, fc.integer(), fc.integer(), (camera, x, y) => {
        const [px, py] = toLayout(camera, stage, ...toScreen(camera, stage, x % 1e4, y % 1e4));
        assert.ok(Math.abs(px - (x % 1e4)) < 1e-6 && Math.abs(py - (y % 1e4)) < 1e-6);
      }),
      { numRuns: runs(100) },
    );
  });

  it('keeps what is under the pointer when it zooms', () => {
    fc.assert(
      fc.property(anyCamera, fc.double({ min: 0.01, max: 9, noNaN: true }), (camera, wanted) => {
        const before = toLayout(camera, stage, 123, 77);
        const after = toLayout(zoomedAt(camera, stage, wanted, 123, 77), stage, 123, 77);
        assert.ok(Math.hypot(before[0] - after[0], before[1] - after[1]) < 1e-6);
      }),
      { numRuns: runs(100) },
    );
  });

  it('finds each block by its middle, and shows it whole when asked to', () => {
    fc.assert(
      fc.property(randomGraph, anyCamera, (graph, camera) => {
        const layout = inTextOrder(taskOf(graph), depthsOf(graph));
        graph.blocks.forEach((_, b) => {
          const [x, y] = toScreen(camera, stage, layout.x[b], layout.y[b]);
          assert.equal(blockAt(graph, layout, camera, stage, x, y), b);
          const shown = revealing(graph, layout, camera, stage, b);
          const [left, top] = toScreen(shown, stage, layout.x[b], layout.y[b]);
          assert.ok(left >= 0 && left <= stage.width && top >= 0 && top <= stage.height);
        });
        const whole = fitted(layout, stage);
        const [right, bottom] = toScreen(whole, stage, layout.width, layout.height);
        if (whole.scale > 0.02) assert.ok(right <= stage.width + 1 && bottom <= stage.height + 1);
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('the control-flow picture in words', () => {
  it('says what a box says, and more', () => {
    assert.deepEqual(boxLines(loop.blocks[0]), ['3 instructions', 'live 0 → 1 · peak 2']);
    assert.deepEqual(boxLines(loop.blocks[1]).slice(FIRST_COST), ['2 stores', 'waits 40 cycles']);
    const facts = new Map(blockFacts(loop, 1));
    assert.equal(facts.get('Length'), '3 instructions, lines 17–19');
    assert.equal(facts.get('Goes to'), '$L2 (falls through), block 3 (branch)');
    assert.equal(facts.get('Comes from'), '$L0 (falls through), $L2 (branch back)');
    assert.equal(new Map(blockFacts(loop, 3)).get('Goes to'), 'leaves the function');
    assert.match(blockWords(loop, 1), /^block 1\. Length: .*head of a loop.*Spills: 2 stores, 0 reloads/);
    assert.match(summaryWords(loop), /4 blocks, 4 edges, 1 loop\. Most is live in block 3: 5/);
  });

  it('finds the block of a line', () => {
    assert.equal(blockOfLine(loop, 10), -1);
    assert.equal(blockOfLine(loop, 11), 0);
    assert.equal(blockOfLine(loop, 15), 0, 'between two blocks');
    assert.equal(blockOfLine(loop, 16), 1);
    assert.equal(blockOfLine(loop, 99), 3);
  });

  it('leaves out what holds nothing and leads nowhere', () => {
    const view = viewOf(2, []);
    const empty = { ...view.blocks[1], length: 0, firstLine: -1, lastLine: -1 };
    const graph = graphOf({ ...view, blocks: [view.blocks[0], empty] });
    assert.equal(graph.blocks.length, 1);
    assert.equal(blockName(graph, 0), '$L0');
  });
});
