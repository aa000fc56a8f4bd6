import dagre from '@dagrejs/dagre';
import { leadsUp, type GraphEdge, type Size } from './graph.js';

/** Where blocks and edges are drawn. Boxes by their middle; edges as points `x, y, x, y, ...` from box to box. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly x: readonly number[];
  readonly y: readonly number[];
  readonly edges: readonly (readonly number[])[];
}

export interface LayoutTask {
  readonly sizes: readonly Size[];
  readonly edges: readonly GraphEdge[];
}

/** Graphs of more blocks are drawn in the order of the text: layers of them take longer than a person waits. */
export const MOST_LAYERED = 1000;
/** The best placement into layers, as long as it takes little. */
const MOST_SIMPLEX = 300;

/**
 * Layers in the manner of Sugiyama. What closes a loop is turned round for the layout, so that loops run downward and
 * their edges back up, whatever block the layout begins with.
 */
export function layered({ sizes, edges }: LayoutTask): Layout {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 36,
    edgesep: 16,
    ranksep: 40,
    marginx: 24,
    marginy: 24,
    ranker: sizes.length > MOST_SIMPLEX ? 'longest-path' : 'network-simplex',
  });
  sizes.forEach(({ width, height }, b) => graph.setNode(`${b}`, { width, height }));
  const isTurned = (edge: GraphEdge): boolean => leadsUp(edge) && edge.from !== edge.to;
  edges.forEach((edge, e) => {
    const { from, to, isTaken } = edge;
    const [a, b] = isTurned(edge) ? [to, from] : [from, to];
    graph.setEdge(`${a}`, `${b}`, { weight: isTaken ? 1 : 3 }, `${e}`);
  });
  dagre.layout(graph);
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  const nodes = sizes.map((_, b) => graph.node(`${b}`) as { x: number; y: number });
  return {
    width,
    height,
    x: nodes.map(({ x }) => x),
    y: nodes.map(({ y }) => y),
    edges: edges.map((edge, e) => {
      if (edge.from === edge.to) return besideOf(nodes[edge.from], sizes[edge.from]);
      const [a, b] = isTurned(edge) ? [edge.to, edge.from] : [edge.from, edge.to];
      const { points } = graph.edge({ v: `${a}`, w: `${b}`, name: `${e}` }) as {
        points: readonly { x: number; y: number }[];
      };
      const ordered = isTurned(edge) ? [...points].reverse() : points;
      return ordered.flatMap(({ x, y }) => [x, y]);
    }),
  };
}

/** A block that branches to itself: out and in on its right side, where the layout has left room. */
function besideOf({ x, y }: { readonly x: number; readonly y: number }, { width, height }: Size): number[] {
  const side = x + width / 2;
  return [side, y + height / 4, side + 16, y + height / 4, side + 16, y - height / 4, side, y - height / 4];
}
