import { functionWith } from '../../../../ir/function.js';
import { codeWith, type MachineCode } from '../code.js';

/** The same code with its instructions in another order; `order[k]` is the old number of instruction k. */
export function inOrder(code: MachineCode, order: Int32Array): MachineCode {
  const { f } = code;
  const count = f.instructionCount;
  const operandStart = starts(f.operandStart, order);
  const operandOrder = members(f.operandStart, operandStart, order);
  const executesStart = starts(code.executesStart, order);
  const executesOrder = members(code.executesStart, executesStart, order);
  const newNumber = new Int32Array(operandOrder.length);
  for (let k = 0; k < operandOrder.length; k++) newNumber[operandOrder[k]] = k;
  const operandTied = picked(f.operandTied, operandOrder);
  for (let k = 0; k < operandTied.length; k++)
    if (operandTied[k] >= 0) operandTied[k] = newNumber[operandTied[k]];
  const operandFixed = new Map([...f.operandFixed].map(([o, register]) => [newNumber[o], register]));
  const short = (from: Uint16Array, by: Int32Array): Uint16Array => {
    const to = new Uint16Array(by.length);
    for (let k = 0; k < by.length; k++) to[k] = from[by[k]];
    return to;
  };
  const temporaries = new Uint8Array(count);
  for (let k = 0; k < count; k++) temporaries[k] = code.temporaries[order[k]];
  return codeWith(code, {
    f: functionWith(f, {
      opcode: picked(f.opcode, order),
      instructionFlags: short(f.instructionFlags, order),
      spanStart: picked(f.spanStart, order),
      spanEnd: picked(f.spanEnd, order),
      operandStart,
      operandPlace: picked(f.operandPlace, operandOrder),
      operandFlags: short(f.operandFlags, operandOrder),
      operandWidth: short(f.operandWidth, operandOrder),
      operandOffset: short(f.operandOffset, operandOrder),
      operandTied,
      operandSpanStart: picked(f.operandSpanStart, operandOrder),
      operandSpanEnd: picked(f.operandSpanEnd, operandOrder),
      operandPayload: f.operandPayload && picked(f.operandPayload, operandOrder),
      operandFixed,
    }),
    origin: picked(code.origin, order),
    executesStart,
    executes: picked(code.executes, executesOrder),
    temporaries,
  });
}

function picked(from: Int32Array, by: Int32Array): Int32Array {
  const to = new Int32Array(by.length);
  for (let k = 0; k < by.length; k++) to[k] = from[by[k]];
  return to;
}

function starts(old: Int32Array, order: Int32Array): Int32Array {
  const start = new Int32Array(order.length + 1);
  for (let k = 0; k < order.length; k++) start[k + 1] = start[k] + old[order[k] + 1] - old[order[k]];
  return start;
}

/** Old numbers of what belongs to the instructions, in their new order. */
function members(old: Int32Array, start: Int32Array, order: Int32Array): Int32Array {
  const to = new Int32Array(start[order.length]);
  for (let k = 0; k < order.length; k++)
    for (let n = start[k]; n < start[k + 1]; n++) to[n] = old[order[k]] + n - start[k];
  return to;
}
