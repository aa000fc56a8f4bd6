import { FunctionBuilder } from '../../server/src/ir/builder.js';
import { OpcodeTable, OperandFlag, type Function } from '../../server/src/ir/function.js';
import { NoRegister, physical, virtual, type Place } from '../../server/src/ir/place.js';

/**
 * A `Function` as the Gen language would lower it, from lines of canonical text:
 *
 *     cond=ge.f0.1 head   ->  'cmp(8) cond=ge.f0.1 | null:F <- v3.wwww:F, #F:3f000000'
 *
 * that is the head, destinations, `<-`, sources; a `v` is followed by its register's number. Flags that the head
 * names become operands, as the language makes them. All in one block; registers are one general register wide
 * unless `widths` says more.
 */
export function genFunction(
  lines: readonly string[],
  attributes: Readonly<Record<string, number | string>> = {},
  widths: Readonly<Record<number, number>> = {},
): Function {
  const texts = new OpcodeTable();
  texts.number('');
  const builder = new FunctionBuilder(
    { name: 'main', isEntry: true, attributes, operandTexts: texts },
    new OpcodeTable(),
    [
      { name: 'general', unit: 'GRF' },
      { name: 'flag', unit: 'flag register' },
      { name: 'message', unit: 'message register' },
    ],
  );
  const numbers = lines.flatMap((line) =>
    [...line.matchAll(/(?<![\w.])v(\d+)/g)].map((match) => Number(match[1])),
  );
  const count = Math.max(-1, ...numbers) + 1;
  for (let r = 0; r < count; r++) builder.register(`vgrf${r}`, 0, widths[r] ?? 1);
  builder.block();
  for (const line of lines) {
    const [head, operands = ''] = line.split(' | ');
    const [destinations, sources = ''] = operands.includes('<-') ? operands.split('<-') : ['', operands];
    builder.instruction(head.trim(), 0, 0, 0);
    for (const text of split(destinations)) add(builder, texts, text, OperandFlag.Definition);
    for (const text of split(sources)) add(builder, texts, text, OperandFlag.Use);
    const predicate = /pred=[+-]f(\d)\.(\d)/.exec(head);
    if (predicate !== null)
      builder.operand(flag(predicate), OperandFlag.Use | OperandFlag.Guard, { width: 1 });
    const condition = /cond=\w+\.f(\d)\.(\d)/.exec(head);
    if (condition !== null) builder.operand(flag(condition), OperandFlag.Definition, { width: 1 });
  }
  return builder.finish();
}

const split = (text: string): string[] =>
  text
    .split(', ')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const flag = (match: RegExpExecArray): Place => physical(1, 2 * Number(match[1]) + Number(match[2]));

function add(builder: FunctionBuilder, texts: OpcodeTable, text: string, flags: OperandFlag): void {
  const register = /^(-?\|?)v(\d+)/.exec(text);
  if (register !== null) {
    const payload = texts.number(text.replace(register[0], `${register[1]}v`));
    builder.operand(virtual(Number(register[2])), flags, { payload });
    return;
  }
  const fixed = /^-?\|?([gm])(\d+)/.exec(text);
  const place: Place =
    fixed !== null
      ? physical(fixed[1] === 'g' ? 0 : 2, Number(fixed[2]))
      : text.startsWith('#')
        ? NoRegister.Immediate
        : flags === OperandFlag.Definition
          ? NoRegister.Sink
          : NoRegister.SpecialConstant;
  builder.operand(place, flags, { payload: texts.number(text), width: fixed === null ? 0 : 1 });
}
