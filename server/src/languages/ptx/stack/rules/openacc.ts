import type { PtxBound } from '../../bind/index.js';
import type { Span } from '../../../../text/span.js';
import type { ModuleRule } from './module.js';

/**
 * OpenACC in GCC switches warps and lanes off itself, and hands values over through shared memory; with a stack that a
 * warp shares this does not go together. GCC refuses `-msoft-stack` with `-fopenacc`. The marks of such a module: a function map
 * with dimensions, and the buffers of workers and vectors.
 */
const buffers = new Set(['__oacc_bcast', '__worker_red', '__vector_red', '__gangprivate_shared']);
const mapLine = /^\/\/:FUNC_MAP "[^"]*"(?:\s*,\s*(?:0x[\da-f]+|\d+))+/im;

export const openacc: ModuleRule = ({ units, bounds }, add) => {
  const user = units.find((unit) => unit?.usesSoftStack === true);
  if (user === undefined) return;
  bounds.forEach((bound, n) => {
    const mark = markOf(bound);
    if (mark === null) return;
    add(n, {
      code: 'stack/openacc',
      severity: 'error',
      span: mark,
      message: `OpenACC divides the work of this module over workers and vectors, and '${user.name}' keeps a soft stack; compile the one without -fopenacc or the other without -msoft-stack, as two modules`,
      related: [
        {
          span: { start: 0, end: user.name.length },
          anchor: user.name,
          message: 'this function keeps a soft stack',
        },
      ],
    });
  });
};

const marks = new WeakMap<PtxBound, Span | null>();

/** Where a unit says that it is OpenACC's; null for nowhere. The text is searched once. */
function markOf(bound: PtxBound): Span | null {
  let mark = marks.get(bound);
  if (mark === undefined) marks.set(bound, (mark = find(bound)));
  return mark;
}

function find({ parsed }: PtxBound): Span | null {
  const declared = parsed.declares.find(({ name }) => buffers.has(name));
  if (declared !== undefined) return declared.span;
  const at = parsed.text.includes('//:FUNC_MAP') ? mapLine.exec(parsed.text) : null;
  return at === null ? null : { start: at.index, end: at.index + at[0].length };
}
