import type { Problem, Severity } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import type { Facts } from '../facts.js';
import { FlowKind } from '../flow.js';
import type { Operand } from '../operand.js';
import type { Registers } from '../sizes.js';
import { operations } from '../reference/operations.js';
import { edit, nearest } from '../spelling.js';
import type { Directive, Instruction, MesaUnit, NumberWord, ReservedDirective } from '../tree.js';

/**
 * What can be said of names and operands without a model of the machine. A captured dump is what a compiler did, so
 * that little of it can be called wrong; where a written program gets a warning, a dump gets a hint at most.
 */
export interface CheckContext {
  readonly parsed: MesaUnit;
  readonly facts: Facts;
  readonly registers: Registers;
  readonly instructions: readonly Instruction[];
  readonly flowKinds: Uint8Array;
  readonly problems: Problem[];
}

export function checkProgram(context: CheckContext): void {
  checkDirectives(context);
  const { instructions, flowKinds, registers } = context;
  const usage: Usage = {
    written: new Uint8Array(registers.numbers.length),
    read: new Uint8Array(registers.numbers.length),
    firstRead: [],
    firstWrite: [],
    isMixtureTold: false,
    isModeTold: false,
  };
  const unknown = new Set<string>();
  for (let i = 0; i < instructions.length; i++) {
    const instruction = instructions[i];
    checkMnemonic(context, instruction, unknown);
    checkDestination(context, instruction, flowKinds[i], usage);
    checkParts(context, instruction, usage);
    checkMode(context, instruction, usage);
    for (let k = 0; k < instruction.sources.length; k++) checkSource(context, instruction, k, usage);
  }
  for (const { operands } of context.facts.liveOuts)
    for (const operand of operands) if (operand.file === 'virtual') noteRead(context, operand, usage);
  if (context.facts.phase === 'virtual') checkUsage(context, usage);
}

function report(
  { problems }: CheckContext,
  code: Problem['code'],
  severity: Severity,
  { start, end }: Span,
  message: string,
  more: Pick<Problem, 'fixes' | 'tags' | 'related'> = {},
): void {
  problems.push({ code, severity, span: { start, end }, message, ...more });
}

/** The one name that is known not to exist: the machine's rules say why (`hw/unaligned-write`). */
const REFUSED = 'unaligned_oword_block_write';

/** An operation that is not known may be one of a later compiler: it is taken as opaque, and told once. */
function checkMnemonic(context: CheckContext, { opcode }: Instruction, unknown: Set<string>): void {
  const { text } = opcode;
  if (operations().has(text) || unknown.has(text) || text === REFUSED) return;
  unknown.add(text);
  const near = nearest(text, operations().keys());
  report(
    context,
    'isa/unknown-instruction',
    'warning',
    opcode,
    `there is no operation '${text.slice(0, 40)}': ${near === undefined ? 'it may do anything' : `did you mean ${near}?`}`,
    near === undefined ? {} : { fixes: [edit(`Change to '${near}'`, opcode, near)] },
  );
}

/** Swizzles and masks in scalar code, regions in SIMD4x2: pasted from the other back-end; told once. */
function checkParts(context: CheckContext, instruction: Instruction, usage: Usage): void {
  if (usage.isMixtureTold) return;
  const { dialect } = context.parsed;
  for (const operand of [instruction.destination, ...instruction.sources]) {
    if (dialect === 'vec4' ? operand.stride < 0 : operand.channels < 0) continue;
    usage.isMixtureTold = true;
    report(
      context,
      'type/dialect',
      'warning',
      operand,
      dialect === 'vec4'
        ? 'the program is SIMD4x2, whose operands have masks and swizzles and no strides: the stride means nothing here'
        : 'the program is scalar, whose operands have strides and no masks or swizzles: the letters mean nothing here',
    );
    return;
  }
}

/** Operations and execution sizes that only the other mode has; told once. */
function checkMode(context: CheckContext, { opcode, width, ...head }: Instruction, usage: Usage): void {
  if (usage.isModeTold) return;
  const isVec4 = context.parsed.dialect === 'vec4';
  if (isVec4 ? width <= 8 : !/^dp[234h]$/.test(opcode.text)) return;
  usage.isModeTold = true;
  report(
    context,
    'type/dialect',
    'warning',
    isVec4 ? { start: head.widthStart, end: head.widthEnd } : opcode,
    isVec4
      ? `the program is SIMD4x2, where 8 channels execute, four of each vertex: there is no (${width})`
      : `the program is scalar, and ${opcode.text} adds up the channels of a SIMD4x2 vector: multiply and add them one by one`,
  );
}

/** More uniforms or attributes than a directive gives the program. */
function checkCount(context: CheckContext, operand: Operand): void {
  const isUniform = operand.file === 'uniform';
  const count = isUniform ? context.facts.givenUniforms : context.facts.givenAttributes;
  if (count === undefined || operand.number + operand.offsetRegisters < count) return;
  const name = isUniform ? 'uniforms' : 'attrs';
  report(
    context,
    'name/undeclared',
    'warning',
    { start: operand.nameStart, end: operand.nameEnd },
    `'.${name}' gives the program ${count}: this one is beyond them`,
  );
}

interface Usage {
  isMixtureTold: boolean;
  isModeTold: boolean;
  readonly written: Uint8Array;
  readonly read: Uint8Array;
  readonly firstRead: (Operand | undefined)[];
  readonly firstWrite: (Operand | undefined)[];
}

function checkDestination(
  context: CheckContext,
  instruction: Instruction,
  kind: FlowKind,
  usage: Usage,
): void {
  const { destination, opcode } = instruction;
  if (destination.file === 'virtual') {
    const r = context.registers.indexOf(destination.number);
    usage.written[r] = 1;
    usage.firstWrite[r] ??= destination;
    return;
  }
  if (kind === FlowKind.Jump) {
    if (destination.file !== 'word')
      report(
        context,
        'type/operand-kind',
        'error',
        destination,
        `'${opcode.text}' needs the label to go to, such as '${opcode.text}(8) loop'`,
      );
    return;
  }
  if (destination.file === 'word')
    report(
      context,
      'type/operand-kind',
      'error',
      destination,
      'a destination is a register, or (null) where there is none',
    );
  else if (destination.file === 'slot' && opcode.text !== 'spill')
    report(context, 'type/operand-kind', 'error', destination, "only 'spill' writes a scratch slot");
  else if (opcode.text === 'spill' && destination.file !== 'slot')
    report(context, 'type/operand-kind', 'error', destination, "'spill' writes a scratch slot such as s4");
  else if (destination.file === 'uniform' || destination.file === 'attribute')
    report(
      context,
      'type/operand-kind',
      'error',
      destination,
      `nothing can be written to ${destination.file === 'uniform' ? 'a uniform' : 'an attribute'}`,
    );
  else checkNumber(context, destination);
}

function checkSource(context: CheckContext, instruction: Instruction, k: number, usage: Usage): void {
  const source = instruction.sources[k];
  switch (source.file) {
    case 'virtual':
      noteRead(context, source, usage);
      return;
    case 'slot':
      if (instruction.opcode.text !== 'unspill')
        report(context, 'type/operand-kind', 'error', source, "only 'unspill' reads a scratch slot");
      return;
    case 'word':
      if (!takesWords(instruction.opcode.text))
        report(
          context,
          'type/operand-kind',
          'error',
          source,
          'a source is a register with a type, or a number with one, such as vgrf3:F or 1F',
        );
      return;
    case 'uniform':
    case 'attribute':
      checkCount(context, source);
      return;
    default:
      checkNumber(context, source);
  }
}

/** Messages may name their surface; operations that are not known may have anything. */
const takesWords = (name: string): boolean =>
  name.startsWith('oword_') ||
  name.startsWith('unaligned_') ||
  name.includes('surface') ||
  !operations().has(name);

function noteRead({ registers }: CheckContext, operand: Operand, usage: Usage): void {
  const r = registers.indexOf(operand.number);
  usage.read[r] = 1;
  usage.firstRead[r] ??= operand;
}

const limits: Partial<Readonly<Record<Operand['file'], readonly [count: number, what: string]>>> = {
  grf: [128, 'the register file has g0 to g127'],
  message: [24, 'message registers are m0 to m15, on Sandy Bridge to m23'],
  accumulator: [10, 'there is no such accumulator'],
};

function checkNumber(context: CheckContext, operand: Operand): void {
  const limit = limits[operand.file];
  if (
    limit === undefined ||
    operand.number + (operand.file === 'grf' ? operand.offsetRegisters : 0) < limit[0]
  )
    return;
  report(context, 'hw/location', 'error', { start: operand.nameStart, end: operand.nameEnd }, limit[1]);
}

/** Registers that are only read, only written, or only declared. */
function checkUsage(context: CheckContext, usage: Usage): void {
  const { registers, instructions } = context;
  // Numbers in front of the lines are the compiler's: somebody's dump, perhaps with directives added.
  const isDump = instructions.at(0)?.ip !== -1;
  for (let r = 0; r < registers.numbers.length; r++) {
    const name = `vgrf${registers.numbers[r]}`;
    const read = usage.firstRead[r];
    const write = usage.firstWrite[r];
    if (read !== undefined && write === undefined)
      report(
        context,
        'name/never-written',
        isDump ? 'hint' : 'warning',
        { start: read.nameStart, end: read.nameEnd },
        `${name} is read and nothing writes it: its value is whatever the register held`,
      );
    else if (!isDump && read === undefined && write !== undefined)
      report(
        context,
        'name/never-read',
        'hint',
        { start: write.nameStart, end: write.nameEnd },
        `${name} is written and nothing reads it; .live_out says what is handed over at the end`,
        { tags: ['unnecessary'] },
      );
  }
}

function checkDirectives(context: CheckContext): void {
  const seen = new Map<string, Directive>();
  const mentioned = new Set<number>();
  for (const { destination, sources } of context.instructions)
    for (const operand of [destination, ...sources])
      if (operand.file === 'virtual') mentioned.add(operand.number);
  for (const statement of context.parsed.statements) {
    if (!('directive' in statement)) continue;
    checkDirective(context, statement);
    if (statement.kind === 'vgrf') {
      if (statement.number !== undefined && !mentioned.has(statement.number.value))
        report(
          context,
          'name/unused-register',
          'hint',
          statement.number,
          `vgrf${statement.number.value} is declared and never mentioned`,
          {
            tags: ['unnecessary'],
          },
        );
      continue;
    }
    if (statement.kind === 'option' || statement.kind === 'liveOut' || statement.kind === 'unknownDirective')
      continue;
    const first = seen.get(statement.kind);
    if (first === undefined) seen.set(statement.kind, statement);
    else
      report(
        context,
        'syntax/directive',
        'warning',
        statement.directive,
        `'${statement.directive.text}' stands further up already, and that one counts`,
        {
          related: [{ span: { start: first.start, end: first.end }, message: 'the first one' }],
        },
      );
  }
}

function checkDirective(context: CheckContext, directive: Directive): void {
  const most = (word: NumberWord | undefined, limit: number, message: string): void => {
    if (word !== undefined && word.value > limit) report(context, 'syntax/directive', 'error', word, message);
  };
  switch (directive.kind) {
    case 'gen':
      if (directive.version !== undefined && directive.version.value !== 1)
        report(
          context,
          'syntax/directive',
          'error',
          directive.version,
          `there is no version ${directive.version.value} of the format, only 1`,
        );
      return;
    case 'payload':
      for (const range of directive.ranges)
        if (range.last > 127)
          report(context, 'hw/location', 'error', range, 'the register file has g0 to g127');
      return;
    case 'grfLimit':
      most(directive.count, 128, 'the register file has 128 registers');
      return;
    case 'reserved':
      most(directive.count, 128, 'the register file has 128 registers');
      most(directive.at, 127, 'the register file has g0 to g127');
      checkPool(context, directive);
      return;
    case 'vgrf':
      if (directive.size?.value === 0)
        report(
          context,
          'type/register-size',
          'error',
          directive.size,
          'a register has at least one GRF of 32 bytes',
        );
      most(directive.size, 2048, 'no register is that large');
      return;
    default:
      return;
  }
}

/** The pool lies in the register file, and not over the payload. */
function checkPool(context: CheckContext, { at, count, start, end }: ReservedDirective): void {
  if (count === undefined || count.value > 128 || (at?.value ?? 0) > 127) return;
  const first = at?.value ?? 128 - count.value;
  const last = first + count.value - 1;
  if (last > 127) {
    const fixed = `.reserved ${count.value} @g${128 - count.value}`;
    report(
      context,
      'syntax/directive',
      'error',
      { start, end },
      `the pool would end at g${last}, and the register file has g0 to g127: ${fixed} ends there`,
      { fixes: [edit(`Change to '${fixed}'`, { start, end }, fixed)] },
    );
    return;
  }
  const { firstFree, payloadAssumed } = context.facts.attributes;
  if (payloadAssumed === 1 || typeof firstFree !== 'number' || first >= firstFree || count.value === 0)
    return;
  report(
    context,
    'syntax/directive',
    'error',
    { start, end },
    `the pool begins at g${first}, and the payload reaches to g${firstFree - 1}: spill code would overwrite it; begin the pool at g${firstFree} or behind`,
  );
}
