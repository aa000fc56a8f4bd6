import { OperandFlag } from '../../../ir/function.js';
import { isVirtual, NoRegister } from '../../../ir/place.js';
import { controlFlow, isReachable, type Cfg } from '../../../passes/cfg.js';
import { dominates, dominatorsOf, type Dominators } from '../../../passes/dominators.js';
import type { Span } from '../../../text/span.js';
import { ClassNumber } from '../classes.js';
import { isBlank } from '../lexer.js';
import { operandEnd, type Blocks, type Code } from './code.js';
import { report, shown, type Context } from './context.js';
import { registerFlow } from './register-flow.js';

/**
 * What holds on all paths: a value's definition dominates its uses, every block can be reached, and a register has
 * been written before it is read, unless the program is a fragment (`.live_out`), whose registers may be handed over.
 * The places of those are returned. Temporaries are never handed over.
 */
export function checkFlow(context: Context, blocks: Blocks, isFragment: boolean): readonly number[] {
  const { code } = context;
  const cfg = controlFlow(blocks);
  checkReachable(context, blocks, cfg);
  checkDominance(context, blocks, cfg);
  const { never, sometimes } = registerFlow(code, blocks, cfg);
  const entry = new Set<number>();
  const isHandedOver = (operand: number): boolean =>
    isFragment && code.place.at(operand) !== NoRegister.Symbol && entry.add(code.place.at(operand)).size > 0;
  for (const operand of never) if (!isHandedOver(operand)) reportUnwritten(context, operand, isFragment);
  for (const operand of sometimes)
    if (!isHandedOver(operand))
      report(
        context,
        'name/undefined-on-path',
        'warning',
        nameSpan(context, operand),
        `'${nameAt(context, operand)}' is read here, and some path to here does not write it before`,
      );
  return [...entry];
}

function reportUnwritten(context: Context, operand: number, isFragment: boolean): void {
  const isTemporary = context.code.place.at(operand) === NoRegister.Symbol;
  const wayOut =
    isTemporary || isFragment
      ? ''
      : "; with '.live_out' the program is a fragment, whose registers may be handed over";
  report(
    context,
    'name/never-written',
    'error',
    nameSpan(context, operand),
    `'${nameAt(context, operand)}' is read here, and no path to here writes it${wayOut}`,
  );
}

function checkReachable(context: Context, blocks: Blocks, cfg: Cfg): void {
  const { labels, nodes } = context.code;
  for (const { name, position } of labels) {
    const block = blocks.blockAt[position];
    const declaration = context.labels.get(name)?.declaration;
    if (isReachable(cfg, block) || position >= nodes.length || declaration === undefined) continue;
    if (blocks.names[block] !== name) continue;
    report(context, 'isa/unreachable', 'warning', declaration, `no path leads to '${shown(name)}'`, {
      isUnnecessary: true,
    });
  }
}

function checkDominance(context: Context, blocks: Blocks, cfg: Cfg): void {
  const { code } = context;
  const definedAt = new Int32Array(code.registerNames.length).fill(-1);
  for (let i = 0; i < code.nodes.length; i++) {
    const first = code.operandStart.at(i);
    if (first >= code.place.length || first >= operandEnd(code, i)) continue;
    const place = code.place.at(first);
    if (isValueAt(code, first) && code.operandFlags.at(first) === OperandFlag.Definition)
      definedAt[place] = i;
  }
  let dominators: Dominators | undefined;
  for (let i = 0; i < code.nodes.length; i++) {
    const block = blocks.blockAt[i];
    for (let o = code.operandStart.at(i); o < operandEnd(code, i); o++) {
      if (code.operandFlags.at(o) !== OperandFlag.Use || !isValueAt(code, o)) continue;
      const from = definedAt[code.place.at(o)];
      if (from < 0 || !isReachable(cfg, block)) continue;
      const home = blocks.blockAt[from];
      if (home === block ? from < i : dominates((dominators ??= dominatorsOf(cfg)), home, block)) continue;
      reportUndominated(context, o, from, i);
    }
  }
}

const isValueAt = (code: Code, operand: number): boolean => {
  const place = code.place.at(operand);
  return isVirtual(place) && code.registerClasses.at(place) === ClassNumber.Value;
};

function reportUndominated(context: Context, operand: number, from: number, use: number): void {
  const { code } = context;
  const node = code.nodes[from];
  const name = nameAt(context, operand);
  const definition = node.kind === 'instruction' ? node.result : undefined;
  const related =
    definition === undefined
      ? []
      : [{ span: { start: definition.start, end: definition.end }, message: 'defined here' }];
  if (use <= from)
    report(
      context,
      'name/used-before-declaration',
      'error',
      nameSpan(context, operand),
      `'${name}' is used before it is defined`,
      { related },
    );
  else
    report(
      context,
      'name/undefined-on-path',
      'error',
      nameSpan(context, operand),
      `'${name}' is not defined on every path to here; a register ('st_reg', 'ld_reg') can have a value on each`,
      { related },
    );
}

/** The name, without its sign and what follows that. */
function nameSpan({ code, unit }: Context, operand: number): Span {
  let start = code.spanStart.at(operand);
  const end = code.spanEnd.at(operand);
  if (code.payload.at(operand) < 0) start++;
  while (start < end && isBlank(unit.text.charCodeAt(start))) start++;
  return { start, end };
}

const nameAt = (context: Context, operand: number): string => {
  const { start, end } = nameSpan(context, operand);
  return shown(context.unit.text.slice(start, end));
};
