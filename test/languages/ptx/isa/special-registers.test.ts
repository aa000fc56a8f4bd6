import assert from 'node:assert/strict';
import {
  specialRegister,
  specialRegisters,
} from '../../../../server/src/languages/ptx/isa/special-registers.js';
import { isaVersion } from '../../../../server/src/languages/ptx/isa/versions.js';
import { assemble, hasPtxas } from './assembler.js';

describe('ptx special registers', () => {
  it('have components exactly where the machine has three dimensions', () => {
    assert.equal(specialRegister('%tid.x')?.type, 'u32');
    assert.equal(specialRegister('%ctaid.w')?.name, '%ctaid');
    assert.equal(specialRegister('%laneid.x'), undefined);
    assert.equal(specialRegister('%tid.q'), undefined);
    assert.equal(specialRegister('%nosuch'), undefined);
  });

  it('that clocks and counters feed are not constant', () => {
    for (const name of ['%clock', '%clock64', '%globaltimer', '%pm3', '%pm3_64', '%warpid', '%smid'])
      assert.equal(specialRegisters.get(name)?.isConstant, false, name);
    for (const name of ['%tid', '%ctaid', '%ntid', '%laneid', '%envreg7'])
      assert.equal(specialRegisters.get(name)?.isConstant, true, name);
  });

  it('name versions that exist and say something', () => {
    for (const register of specialRegisters.values()) {
      assert.ok(isaVersion(register.isa), register.name);
      assert.ok(register.text.length > 20, register.name);
    }
  });

  it('are read by ptxas with the type that the table gives', function () {
    if (!hasPtxas()) this.skip();
    const reads = [...specialRegisters.values()].map((register) => {
      const name = register.isVector ? `${register.name}.x` : register.name;
      const operand = { u32: '%u1', u64: '%ud1', pred: '%p1' }[register.type];
      return { arch: 'sm_90', version: '9.0', text: `mov.${register.type} ${operand}, ${name};` };
    });
    assert.deepEqual(assemble(reads), []);
  });
});
