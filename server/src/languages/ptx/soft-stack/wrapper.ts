import { shift, type TextEdit } from '../../../text/span.js';
import type { PtxBound } from '../bind/index.js';
import type { PlacedUnit } from '../../language.js';
import type { FunctionItem, Instruction, Parameter } from '../tree.js';
import { typeBytes, types } from '../types.js';
import { errorIn, type Candidate, type Fault } from './candidates.js';
import { freshName, stackRegisters, wordsOf } from './registers.js';
import { instructionsOf } from './rewrite.js';
import { slotAddress, type Statement } from './statements.js';
import { wholeLine } from './style.js';

/**
 * The entry that sets the stacks up. It gets the kernel's own parameters and two more, the memory for all stacks and the
 * bytes of each, stores the top of each owner's stack into its slot, and calls the body:
 *
 *   slots[tid.y] = stack_area + stack_bytes * (block * ntid.y + tid.y + 1)
 *
 * and for stacks of single threads the same with their number in the block. `block` is `%ctaid.x` in a grid of one
 * dimension. A kernel becomes a function of the name `NAME$impl`, as in GCC's output, and its entry keeps the name.
 */
export interface Wrapper {
  /** In the document. */
  readonly edits: readonly TextEdit[];
  readonly unit: PlacedUnit<PtxBound>;
}

const BODY_SUFFIX = '$impl';
const ENTRY_SUFFIX = '_kernel';

/** Undefined where the module has the wrapper already. */
export function wrapperFor(
  candidates: readonly Candidate[],
  names: ReadonlySet<string>,
  name: string,
  isPerThread: boolean,
): Wrapper | Fault | undefined {
  const found = candidates.find((c) => c.name === name);
  if (found === undefined)
    return { span: { start: 0, end: 0 }, reason: 'no kernel and no function of this name has a body' };
  const { unit, source } = found;
  const { item } = source;
  const isMade = item.isEntry ? names.has(name + BODY_SUFFIX) : names.has(name + ENTRY_SUFFIX);
  if (isMade) return undefined;
  const error = errorIn(unit);
  if (error !== undefined) return error;
  const fault = item.isEntry ? kernelFault(found) : signatureFault(item);
  if (fault !== undefined) return { span: shift(fault.span, unit.start), reason: fault.reason };
  const bodyName = item.isEntry ? name + BODY_SUFFIX : name;
  const entryName = item.isEntry ? name : name + ENTRY_SUFFIX;
  const edits = item.isEntry ? asFunction(found, bodyName) : [];
  edits.push({
    span: { start: item.end, end: item.end },
    newText: entryText(unit.bound, item, entryName, bodyName, isPerThread),
  });
  return { unit, edits: edits.map(({ span, newText }) => ({ span: shift(span, unit.start), newText })) };
}

/** What a kernel may do with its parameters and a function may not. */
function kernelFault(candidate: Candidate): Fault | undefined {
  const { item } = candidate.source;
  const names = new Set(item.parameters.map((p) => p.name?.text ?? ''));
  for (const instruction of instructionsOf(candidate.body))
    if (!instruction.opcode.text.startsWith('ld.param') && mentionsAny(instruction, names))
      return {
        span: instruction,
        reason: `'${instruction.opcode.text}' takes a kernel's parameter otherwise than by ld.param, which a function cannot; load it first`,
      };
  return signatureFault(item);
}

const mentionsAny = ({ operands }: Instruction, names: ReadonlySet<string>): boolean =>
  operands.some(
    (operand) =>
      (operand.kind === 'name' && names.has(operand.name.text)) ||
      (operand.kind === 'address' && operand.base?.kind === 'name' && names.has(operand.base.name.text)),
  );

function signatureFault(item: FunctionItem): Fault | undefined {
  for (const parameter of [...item.parameters, ...item.returns]) {
    const at = { start: parameter.start, end: parameter.end };
    if (parameter.space.text !== '.param')
      return { span: at, reason: 'an entry cannot hand a register over; use .param' };
    if (bytesOf(parameter) === undefined)
      return {
        span: at,
        reason: 'an entry has no parameter of this kind to hand over; pass an address instead',
      };
  }
  return undefined;
}

/** Undefined for parameters without a size, and for textures. */
function bytesOf({ type, vector, dimensions, name }: Parameter): number | undefined {
  let bytes = typeBytes(type?.text ?? '');
  if (types.get(type?.text ?? '')?.kind === 'opaque') return undefined;
  if (bytes === 0 || bytes > 8 || vector !== undefined || name === undefined) return undefined;
  for (const dimension of dimensions) {
    if (dimension?.integer === undefined) return undefined;
    bytes *= Number(dimension.integer);
  }
  return bytes;
}

/** The kernel's head as that of a function; directives for the launch go to the entry. */
function asFunction({ unit, source }: Candidate, name: string): TextEdit[] {
  const { item } = source;
  const { text } = unit.bound.parsed;
  const edits: TextEdit[] = [
    { span: { start: item.start, end: item.name?.end ?? item.start }, newText: `.func ${name}` },
  ];
  for (const { pointer } of item.parameters) {
    const first = pointer.at(0);
    const last = pointer.at(-1);
    if (first === undefined || last === undefined) continue;
    let start = first.start;
    while (start > 0 && /\s/.test(text[start - 1])) start--;
    edits.push({ span: { start, end: last.end }, newText: '' });
  }
  for (const directive of item.directives) edits.push({ span: wholeLine(text, directive), newText: '' });
  return edits;
}

function entryText(
  bound: PtxBound,
  item: FunctionItem,
  entryName: string,
  bodyName: string,
  isPerThread: boolean,
): string {
  const { text } = bound.parsed;
  // the entry sees the names of the head alone, and the body as the one that it calls
  const head = { start: item.start, end: item.body?.start ?? item.end };
  const taken = wordsOf(bound.parsed, head).add(bodyName);
  const fresh = (name: string): string => {
    const found = freshName(name, taken);
    taken.add(found);
    return found;
  };
  const area = fresh('stack_area');
  const bytes = fresh('stack_bytes');
  const parameters = [
    ...item.parameters.map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' ')),
    `.param .u64 ${area}`,
    `.param .u64 ${bytes}`,
  ];
  const directives = item.isEntry
    ? item.directives.map(({ start, end }) => text.slice(start, end).replace(/\s+/g, ' ') + '\n')
    : [];
  const body = [
    ...setUp(taken, area, bytes, isPerThread),
    ...callBody(item, bodyName, fresh),
    { opcode: 'ret', operands: '' },
  ];
  let depth = 1;
  const lines = body.map(({ opcode, operands }) => {
    if (opcode === '}') depth--;
    const indentation = '\t'.repeat(depth);
    if (opcode === '{') depth++;
    if (opcode === '{' || opcode === '}') return indentation + opcode;
    const gap = operands === '' ? '' : opcode.startsWith('call') || opcode.startsWith('.param') ? ' ' : ' \t';
    return `${indentation}${opcode}${gap}${operands};`;
  });
  const linkage = item.linkage.map((word) => `${word.text} `).join('');
  return (
    `\n\n${item.isEntry ? linkage : '.visible '}.entry ${entryName}(\n\t${parameters.join(',\n\t')}\n)\n` +
    `${directives.join('')}{\n${lines.join('\n')}\n}`
  ).replace(/\n/g, text.includes('\r\n') ? '\r\n' : '\n');
}

/** Stores the top of the owner's stack into its slot. */
function setUp(taken: ReadonlySet<string>, area: string, bytes: string, isPerThread: boolean): Statement[] {
  const r = stackRegisters(taken, isPerThread);
  const code = (opcode: string, operands: string): Statement => ({ opcode, operands });
  const special = (name: string): Statement[] => [code('mov.u32', `${r.extent}, %${name}`)];
  const owners = isPerThread
    ? [
        code('mov.u32', `${r.owners}, %ntid.x`),
        ...special('ntid.y'),
        code('mul.lo.u32', `${r.owners}, ${r.owners}, ${r.extent}`),
        ...special('ntid.z'),
        code('mul.lo.u32', `${r.owners}, ${r.owners}, ${r.extent}`),
      ]
    : [code('mov.u32', `${r.owners}, %ntid.y`)];
  return [
    code('.reg .b32', [r.owner, r.owners, r.block, r.extent, r.position].join(', ')),
    code('.reg .b64', [r.slots, r.slot, r.number, r.area, r.bytes, r.top].join(', ')),
    ...slotAddress(r, isPerThread),
    code('mov.u32', `${r.block}, %ctaid.z`),
    ...special('nctaid.y'),
    code('mov.u32', `${r.position}, %ctaid.y`),
    code('mad.lo.u32', `${r.block}, ${r.block}, ${r.extent}, ${r.position}`),
    ...special('nctaid.x'),
    code('mov.u32', `${r.position}, %ctaid.x`),
    code('mad.lo.u32', `${r.block}, ${r.block}, ${r.extent}, ${r.position}`),
    ...owners,
    code('add.u32', `${r.owner}, ${r.owner}, 1`),
    code('cvt.u64.u32', `${r.number}, ${r.owner}`),
    code('mad.wide.u32', `${r.number}, ${r.block}, ${r.owners}, ${r.number}`),
    code('ld.param.u64', `${r.area}, [${area}]`),
    code('ld.param.u64', `${r.bytes}, [${bytes}]`),
    code('mad.lo.u64', `${r.top}, ${r.number}, ${r.bytes}, ${r.area}`),
    code('st.shared.u64', `[${r.slot}], ${r.top}`),
  ];
}

/** Hands the parameters on, piece by piece where they are arrays. */
function callBody(item: FunctionItem, bodyName: string, fresh: (name: string) => string): Statement[] {
  const code: Statement[] = [];
  const copies: Statement[] = [];
  const formals: string[] = [];
  const results: string[] = [];
  const registers = new Map<number, string>();
  const registerFor = (bytes: number): string => {
    const width = Math.max(2, bytes);
    const known = registers.get(width);
    if (known !== undefined) return known;
    const name = fresh(`%argument${width * 8}`);
    registers.set(width, name);
    return name;
  };
  const declare = (parameter: Parameter, name: string): void => {
    const alignment = parameter.alignment?.integer;
    const align = alignment === undefined ? '' : ` .align ${alignment}`;
    const dimensions = parameter.dimensions.map((d) => `[${d?.integer ?? 0n}]`).join('');
    code.push({
      opcode: `.param${align} ${parameter.type?.text ?? '.b32'}`,
      operands: `${name}${dimensions}`,
    });
  };
  for (const parameter of item.returns) {
    const name = fresh('result');
    declare(parameter, name);
    results.push(name);
  }
  for (const parameter of item.parameters) {
    const name = fresh(`argument${formals.length}`);
    declare(parameter, name);
    formals.push(name);
    const total = bytesOf(parameter) ?? 0;
    const element = typeBytes(parameter.type?.text ?? '');
    const most = Math.min(8, Math.max(element, Number(parameter.alignment?.integer ?? 1n)));
    for (let at = 0; at < total;) {
      let piece = most;
      while (piece > total - at || at % piece !== 0) piece >>= 1;
      const register = registerFor(piece);
      const place = at === 0 ? '' : `+${at}`;
      copies.push(
        {
          opcode: `ld.param.b${piece * 8}`,
          operands: `${register}, [${parameter.name?.text ?? ''}${place}]`,
        },
        { opcode: `st.param.b${piece * 8}`, operands: `[${name}${place}], ${register}` },
      );
      at += piece;
    }
  }
  const declarations = [...registers].map(([width, name]) => ({
    opcode: `.reg .b${width * 8}`,
    operands: name,
  }));
  const given = formals.length === 0 ? '' : `, (${formals.join(', ')})`;
  const taken = results.length === 0 ? '' : `(${results.join(', ')}), `;
  return [
    { opcode: '{', operands: '' },
    ...declarations,
    ...code,
    ...copies,
    { opcode: 'call.uni', operands: `${taken}${bodyName}${given}` },
    { opcode: '}', operands: '' },
  ];
}
