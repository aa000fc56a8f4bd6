import assert from 'node:assert/strict';
import {
  fundamentalTypes,
  stateSpaces,
  wordOf,
  writtenWords,
} from '../../../../server/src/languages/ptx/isa/spaces-types.js';
import { typeBits, typeId } from '../../../../server/src/languages/ptx/isa/types.js';
import { isaVersion } from '../../../../server/src/languages/ptx/isa/versions.js';

describe('ptx directives', () => {
  it('have a version that exists, a syntax that names them, and a text', () => {
    for (const directive of [...writtenWords, ...fundamentalTypes.values()]) {
      assert.ok(isaVersion(directive.isa), directive.name);
      assert.ok(directive.syntax.includes(directive.name) || directive.places.length === 0, directive.name);
      assert.equal(wordOf(directive.name), directive);
      assert.ok(directive.text.length > 10 && directive.text.endsWith('.'), directive.name);
    }
  });

  it('give types the width that the instruction check uses', () => {
    for (const type of fundamentalTypes.values())
      assert.equal(type.bits, typeBits(typeId(type.name.slice(1))), type.name);
  });

  it('initialise constant and global memory alone', () => {
    const initialised = [...stateSpaces.values()].filter((space) => space.hasInitializer);
    assert.deepEqual(
      initialised.map((space) => space.name),
      ['.const', '.global'],
    );
  });
});
