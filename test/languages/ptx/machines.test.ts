import assert from 'node:assert/strict';
import { ptx } from '../../../server/src/languages/ptx/index.js';
import type { PtxUnit } from '../../../server/src/languages/ptx/tree.js';
import { nvidia } from '../../../server/src/targets/nvidia/index.js';
import { Document } from '../../../server/src/workspace/document.js';
import { registry, type Pair } from '../../../server/src/workspace/registry.js';
import { resolveSettings } from '../../../server/src/workspace/settings.js';
import type { Unit } from '../../../server/src/workspace/snapshot.js';

const kernel = (target: string, body: string): string =>
  `.version 8.0\n.target ${target}\n.address_size 64\n\n.visible .entry k(.param .u64 p)\n{\n  .reg .b64 %rd<4>;\n  .reg .b32 %r<4>;\n  .reg .pred %p<2>;\n  ld.param.u64 %rd1, [p];\n${body}  ret;\n}\n`;

const loop =
  '  mov.u32 %r1, 0;\n$again:\n  ld.global.u32 %r2, [%rd1];\n  add.s32 %r1, %r1, 1;\n  st.global.u32 [%rd1+4], %r2;\n  setp.lt.s32 %p1, %r1, 8;\n  @%p1 bra $again;\n';
const needs80 = '  cp.async.wait_all;\n';
const needs90a = '  wgmma.fence.sync.aligned;\n';
const unknown = '  add.s31 %r1, %r1, 1;\n';

const { settings } = resolveSettings(undefined, registry);

/** A pair that parses each text once, as a command does for files that have functions in common. */
function sharing(): Pair {
  const known = new Map<string, PtxUnit>();
  const parse = (text: string): PtxUnit => {
    const found = known.get(text) ?? ptx.parse(text);
    known.set(text, found);
    return found;
  };
  return { language: { ...ptx, parse }, target: nvidia };
}

function lastUnit(pair: Pair, text: string): Unit {
  const document = Document.open('file:///k.ptx', pair, 1, text, settings, (error) => {
    throw error;
  });
  return document.units[document.units.length - 1];
}

function found({ bound, compilation }: Unit): unknown {
  return {
    problems: bound.problems,
    stats: compilation?.stats,
    model: compilation?.model,
    told: compilation?.problems,
    pressure: compilation?.asCompiled,
    attributes: compilation?.source.attributes,
  };
}

describe('one kernel for several machines', () => {
  const targets = ['sm_75', 'sm_90', 'sm_80', 'sm_90a', 'sm_75', 'sm_86', 'sm_80, debug', 'sm_80'];
  for (const [what, body] of Object.entries({
    'that every machine runs': loop,
    'that needs sm_80': needs80 + loop,
    'that is for sm_90a alone': needs90a,
    'with an error': unknown,
  }))
    it(`a kernel ${what} comes out as it would alone, in whatever order its machines are met`, () => {
      const shared = sharing();
      for (const target of [...targets, ...targets.slice().reverse()]) {
        const text = kernel(target, body);
        const alone = found(lastUnit({ language: ptx, target: nvidia }, text));
        assert.deepEqual(found(lastUnit(shared, text)), alone, target);
      }
    });

  it('is bound once where the machines do not differ for it', () => {
    const shared = sharing();
    const symbols = (target: string, body: string): unknown =>
      lastUnit(shared, kernel(target, body)).bound.symbols;
    assert.equal(symbols('sm_75', loop), symbols('sm_90', loop));
    assert.equal(symbols('sm_80', needs80), symbols('sm_90', needs80));
    assert.notEqual(symbols('sm_75', needs80), symbols('sm_80', needs80));
    assert.notEqual(symbols('sm_90', needs90a), symbols('sm_90a', needs90a));
  });
});
