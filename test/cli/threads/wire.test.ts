import assert from 'node:assert/strict';
import { FunctionReceiver, FunctionSender } from '../../../server/src/cli/threads/wire.js';
import { OpcodeTable, type Function } from '../../../server/src/ir/function.js';
import { codeOf } from '../../../server/src/ir/same-code.js';
import { registry } from '../../../server/src/workspace/registry.js';
import { ptxHead, ptxSnapshot } from '../../support/ptx.js';

const kernel = (name: string, body: string, bounds = ''): string =>
  `.entry ${name}(.param .u64 p) ${bounds} { .reg .b32 %r<9>; .reg .pred %p<2>; ${body} ret; }\n`;

const functionsOf = (text: string): readonly Function[] =>
  ptxSnapshot(ptxHead + text, registry[0].target).units.flatMap((unit) => unit.function ?? []);

/** What a function says, whatever numbers its tables give to texts. */
function told(f: Function): object {
  const { opcodes, operandTexts, opcode, operandPayload, ...rest } = f;
  return {
    ...rest,
    opcode: Array.from(opcode, (n) => opcodes.text(n)),
    payload: operandPayload && Array.from(operandPayload, (n) => (n === 0 ? '' : operandTexts?.text(n))),
  };
}

const onWire = <T>(value: T): T => structuredClone(value);

describe('functions on their way to another thread', () => {
  const first = functionsOf(kernel('a', 'mov.u32 %r1, 17; add.s32 %r2, %r1, -5; st.global.b32 [p+8], %r2;'));
  const second = functionsOf(kernel('b', 'setp.eq.s32 %p1, %r1, 99; @!%p1 mul.lo.s32 %r2, %r1, 18;'));

  it('arrive as they were', () => {
    const sender = new FunctionSender();
    const receiver = new FunctionReceiver();
    for (const functions of [first, second, first, [...second, ...first]]) {
      const received = receiver.unpack(onWire(sender.pack(functions)));
      assert.deepEqual(received.map(told), functions.map(told));
      for (const { opcodes } of received) assert.ok(opcodes instanceof OpcodeTable);
    }
  });

  it('arrive so too where the other side has numbered texts of its own', () => {
    const sender = new FunctionSender();
    const receiver = new FunctionReceiver();
    const [a] = receiver.unpack(onWire(sender.pack(first)));
    a.operandTexts!.number('99');
    a.operandTexts!.number('of its own');
    a.opcodes.number('an opcode of its own');
    const other = functionsOf(kernel('c', 'mov.u32 %r1, 123456; brev.b32 %r2, %r1; xor.b32 %r3, %r2, 99;'));
    const received = receiver.unpack(onWire(sender.pack([...second, ...other])));
    assert.deepEqual(received.map(told), [...second, ...other].map(told));
  });

  it('code that several have goes once, and is known as the same', () => {
    const text = kernel('k', 'mov.u32 %r1, 17;');
    const [one] = functionsOf(text);
    const sender = new FunctionSender();
    const receiver = new FunctionReceiver();
    const packet = sender.pack([one, one]);
    assert.equal(packet.codes.length, 1);
    const [a, b] = receiver.unpack(onWire(packet));
    const again = sender.pack([one]);
    assert.equal(again.codes.length, 0);
    const [c] = receiver.unpack(onWire(again));
    assert.equal(codeOf(a), codeOf(b));
    assert.equal(codeOf(a), codeOf(c));
  });

  it('code is forgotten on both sides alike', () => {
    const sender = new FunctionSender();
    const receiver = new FunctionReceiver();
    const many = Array.from({ length: 200 }, (_, n) => functionsOf(kernel(`k${n}`, `mov.u32 %r1, ${n};`))[0]);
    for (let at = 0; at < many.length; at += 10)
      receiver.unpack(onWire(sender.pack(many.slice(at, at + 10))));
    const old = sender.pack(many);
    assert.ok(old.codes.length > 100, 'what was long ago is sent again');
    assert.deepEqual(receiver.unpack(onWire(old)).map(told), many.map(told));
    const late = sender.pack(many.slice(-3));
    assert.equal(late.codes.length, 0, 'what was last is known');
    assert.deepEqual(receiver.unpack(onWire(late)).map(told), many.slice(-3).map(told));
  });
});
