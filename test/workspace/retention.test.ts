import assert from 'node:assert/strict';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Draft, Store } from '../../server/src/workspace/store.js';
import { registry } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import { span } from '../../server/src/text/span.js';
import type { Document } from '../../server/src/workspace/document.js';

const kernel = (name: string): string =>
  `.visible .entry ${name}(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\tmov.u32 %r1, 1;\n\tadd.u32 %r2, %r1, 2;\n\tret;\n}\n`;
const text = `.version 8.0\n.target sm_80\n.address_size 64\n${kernel('a')}${kernel('b')}`;

/** Forces collections; the loop gives finalisers and weak references their turn. */
async function collect(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  for (let i = 0; i < 5; i++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function touch(document: Document): void {
  for (const unit of document.units) void unit.compilation?.stats;
}

const gpirProgram = (name: string): string =>
  `.program ${name}\n  %r = rcp a0.x\n  %s = mul %r, u0.x\n  st_var v0.x, %s\n`;

describe('what a document keeps', () => {
  it('is nothing of its earlier versions, of gpir and its searches too', async () => {
    const store = new Store();
    const uri = 'file:///kept.gpir';
    touch(store.open(uri, registry[1], 1, gpirProgram('a') + gpirProgram('b'), defaultSettings));
    const old: WeakRef<Document>[] = [];
    const edit = (i: number): void => {
      const before = store.get(uri)!;
      old.push(new WeakRef(before));
      before.improveAt(i % 2);
      const at = before.text.indexOf('  %s', i % 2 === 0 ? 0 : before.text.indexOf('.program b'));
      const draft = new Draft(before);
      draft.apply({ span: span(at, at), newText: `  st_var v${i + 1}.y, ${i}\n` });
      touch(store.commit(draft, i + 2));
    };
    for (let i = 0; i < 12; i++) edit(i);
    await collect();
    assert.equal(old.filter((reference) => reference.deref() !== undefined).length, 0);
  });

  it('is nothing of its earlier versions, though units keep their results', async () => {
    const store = new Store();
    const uri = 'file:///kept.ptx';
    touch(store.open(uri, registry[0], 1, text, defaultSettings));
    const old: WeakRef<Document>[] = [];
    const edit = (i: number): void => {
      const before = store.get(uri)!;
      old.push(new WeakRef(before));
      const at = before.text.indexOf('mov.u32', i % 2 === 0 ? 0 : before.text.indexOf('.entry b'));
      const draft = new Draft(before);
      draft.apply({ span: span(at, at), newText: `add.u32 %r3, %r1, ${i};\n\t` });
      touch(store.commit(draft, i + 2));
    };
    for (let i = 0; i < 12; i++) edit(i);
    await collect();
    assert.equal(old.filter((reference) => reference.deref() !== undefined).length, 0);
  });
});
