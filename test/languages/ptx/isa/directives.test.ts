import assert from 'node:assert/strict';
import {
  directives,
  fundamentalTypes,
  stateSpaces,
} from '../../../../server/src/languages/ptx/isa/directives.js';
import { typeBits, typeId } from '../../../../server/src/languages/ptx/isa/types.js';
import { isaVersion } from '../../../../server/src/languages/ptx/isa/versions.js';

describe('ptx directives', () => {
  it('have a version that exists, a syntax that names them, and a text', () => {
    for (const directive of directives.values()) {
      assert.ok(isaVersion(directive.isa), directive.name);
      assert.ok(directive.syntax.includes(directive.name), directive.name);
      assert.ok(directive.text.length > 10 && directive.text.endsWith('.'), directive.name);
      assert.ok(directive.places.length > 0, directive.name);
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
