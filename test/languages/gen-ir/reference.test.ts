import assert from 'node:assert/strict';
import { irOpcodeNames } from '../../../server/src/languages/gen-ir/beignet/ir-opcodes.js';
import { selectionOpcodeNames } from '../../../server/src/languages/gen-ir/beignet/opcodes.js';
import { numericAttributes, switchAttributes } from '../../../server/src/languages/gen-ir/parser/braces.js';
import { directiveNames } from '../../../server/src/languages/gen-ir/parser/directive.js';
import { operations } from '../../../server/src/languages/gen-ir/reference/operations.js';
import { operationText } from '../../../server/src/languages/gen-ir/reference/text.js';
import { attributes, directives, types } from '../../../server/src/languages/gen-ir/reference/words.js';
import { typeNames } from '../../../server/src/languages/gen-ir/types.js';
import { opcodeNames, opcodeOf } from '../../../server/src/targets/gen/opcodes.js';

describe('gen-ir reference', () => {
  it('describes every operation that the machine tables know, and no other', () => {
    const selection = new Set([...selectionOpcodeNames()].map((name) => name.toLowerCase()));
    const own = (name: string): boolean =>
      name.startsWith('ir_') || name === 'live_out' || selection.has(name);
    const missing = [...opcodeNames()].filter((name) => !own(name) && !operations().has(name));
    assert.deepEqual(missing, []);
    assert.deepEqual(
      [...operations().keys()].filter((name) => opcodeOf(name).kind === 'unknown'),
      [],
    );
  });

  it('names as many sources as the machine tables allow', () => {
    for (const { name, sources } of operations().values()) {
      const [least, most] = opcodeOf(name).sources;
      assert.ok(sources.length <= most, `${name}: ${sources.length} of at most ${most}`);
      if (most < 255) assert.ok(sources.length >= least, `${name}: ${sources.length} of at least ${least}`);
    }
  });

  it("describes Beignet's opcodes, both sets", () => {
    assert.deepEqual(
      [...selectionOpcodeNames()].filter((name) => operationText(name, 'selection') === undefined),
      [],
    );
    assert.deepEqual(
      [...irOpcodeNames()].filter((name) => operationText(name, 'genIr') === undefined),
      [],
    );
  });

  it('describes directives, attributes and types', () => {
    assert.deepEqual([...directives.keys()].sort(), directiveNames.map((name) => `.${name}`).sort());
    const braces = [...numericAttributes.keys(), ...switchAttributes.keys(), 'sfid', 'desc'];
    assert.deepEqual([...attributes.keys()].sort(), braces.sort());
    assert.deepEqual(
      typeNames.filter((name) => name !== 'INVALID' && !types.has(name)),
      [],
    );
  });
});
