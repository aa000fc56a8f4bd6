import { FunctionBuilder } from '../../../server/src/ir/builder.js';
import { InstructionFlag, OpcodeTable, OperandFlag, type Function } from '../../../server/src/ir/function.js';
import { NoRegister, type Place } from '../../../server/src/ir/place.js';
import type { BoundUnit, Environment } from '../../../server/src/languages/language.js';
import { Role, type SymbolKind, type UnitSymbol } from '../../../server/src/languages/symbols.js';
import type { Problem } from '../../../server/src/text/problem.js';
import { shift, type Span } from '../../../server/src/text/span.js';
import {
  opcodes,
  type Block,
  type FunctionItem,
  type Instruction,
  type Statement,
  type ToyUnit,
  type Token,
} from './tree.js';

export interface ToyBound extends BoundUnit {
  readonly parsed: ToyUnit;
  readonly code: readonly Code[];
  readonly registers: readonly {
    readonly name: string;
    readonly registerClass: number;
    readonly width: number;
  }[];
}

/** Instructions and labels in text order; `symbol` of an operand is -1 for a number. */
type Code =
  | { readonly kind: 'label'; readonly symbol: number; readonly name: string }
  | {
      readonly kind: 'instruction';
      readonly node: Instruction;
      readonly guard: number;
      readonly operands: readonly number[];
    };

type Draft = { -readonly [K in keyof UnitSymbol]: UnitSymbol[K] };

interface Ranged {
  readonly prefix: string;
  readonly count: number;
  readonly width: number;
  readonly registerClass: number;
  readonly span: Span;
  readonly at: number;
  readonly keyword: string;
}

interface Scope {
  readonly names: Map<string, number>;
  readonly ranges: Ranged[];
  readonly span: Span;
}

const spanOf = (s: Span): Span => ({ start: s.start, end: s.end });
const keywordOf = {
  reg: { registerClass: 0, width: 1 },
  wide: { registerClass: 0, width: 2 },
  pred: { registerClass: 1, width: 1 },
};

export function bind(parsed: ToyUnit, environment: Environment): ToyBound {
  const symbols: Draft[] = [];
  const occurrences: { start: number; end: number; symbol: number; role: number; instruction: number }[] = [];
  const problems: Problem[] = [];
  const code: Code[] = [];
  const registers: { name: string; registerClass: number; width: number }[] = [];

  let instructionCount = 0;
  const used = new Set<number>();

  const occur = (place: Span, symbol: number, role: number, instruction = -1): void => {
    occurrences.push({ start: place.start, end: place.end, symbol, role, instruction });
  };
  const symbol = (name: string, kind: SymbolKind, detail: string, more: Partial<Draft> = {}): number =>
    symbols.push({ name, kind, detail, isGlobal: false, register: -1, ...more }) - 1;
  const problem = (
    code_: Problem['code'],
    place: Span,
    message: string,
    more: Partial<Problem> = {},
  ): void => {
    problems.push({ code: code_, severity: 'error', span: spanOf(place), message, ...more });
  };

  const item = parsed.item;
  if (item?.kind === 'header') {
    occur(
      item.name,
      symbol('version', 'value', `${item.value}`, {
        declaration: spanOf(item.name),
        extent: spanOf(item),
        isGlobal: true,
      }),
      Role.Declaration | Role.Definition,
    );
  } else if (item?.kind === 'global') {
    occur(
      item.name,
      symbol(item.name.text, 'variable', 'global', {
        declaration: spanOf(item.name),
        extent: spanOf(item),
        isGlobal: true,
      }),
      Role.Declaration | Role.Definition,
    );
    duplicate(item.name);
  } else if (item?.kind === 'function') bindFunction(item);

  occurrences.sort((a, b) => a.start - b.start);
  return {
    parsed,
    problems,
    code,
    registers,
    symbols: {
      symbols,
      occurrenceStart: Int32Array.from(occurrences, (o) => o.start),
      occurrenceEnd: Int32Array.from(occurrences, (o) => o.end),
      occurrenceSymbol: Int32Array.from(occurrences, (o) => o.symbol),
      occurrenceRole: Uint8Array.from(occurrences, (o) => o.role),
      occurrenceInstruction: Int32Array.from(occurrences, (o) => o.instruction),
    },
  };

  function duplicate(name: Token): void {
    const first = environment.earlier(name.text).find((d) => d.isDefinition);
    if (first === undefined) return;
    problem('name/duplicate', name, `\`${name.text}\` is already defined`, {
      related: [
        { span: shift(first.span, -first.span.start), message: 'first defined here', anchor: name.text },
      ],
    });
  }

  function bindFunction(f: FunctionItem): void {
    if (f.name !== undefined) {
      const kind = f.isKernel ? 'kernel' : 'function';
      const id = symbol(f.name.text, kind, `${f.isKernel ? 'kernel' : 'fn'}(${f.parameters.length})`, {
        declaration: spanOf(f.name),
        extent: spanOf(f),
        isGlobal: true,
      });
      occur(f.name, id, Role.Declaration | (f.body !== undefined ? Role.Definition : 0));
      if (f.body !== undefined) duplicate(f.name);
    }
    const outer: Scope = { names: new Map(), ranges: [], span: spanOf(f) };
    for (const p of f.parameters) {
      const id = symbol(p.text, 'parameter', 'parameter', {
        declaration: spanOf(p),
        extent: spanOf(p),
        scope: spanOf(f),
      });
      outer.names.set(p.text, id);
      occur(p, id, Role.Declaration | Role.Definition);
    }
    if (f.body === undefined) return;
    const globals = new Map<string, number>();
    const body = f.body;
    bindBlock(body, [outer]);
    for (const o of occurrences) if (o.role !== Role.Declaration) used.add(o.symbol);
    for (const [id, s] of symbols.entries())
      if (
        (s.kind === 'register' || s.kind === 'predicate') &&
        s.declaration !== undefined &&
        s.ownDeclaration === undefined
      )
        unused(id, s);

    function bindBlock(block: Block, scopes: readonly Scope[]): void {
      const scope: Scope = { names: new Map(), ranges: [], span: spanOf(block) };
      const inner = [...scopes, scope];
      const labels = new Map<Statement, number>();
      for (const s of block.statements)
        if (s.kind === 'label') {
          const id = symbol(s.name.text, 'label', 'label', {
            declaration: spanOf(s.name),
            extent: spanOf(s),
            scope: scope.span,
          });
          if (scope.names.has(s.name.text))
            problem('name/duplicate', s.name, `\`${s.name.text}\` is declared twice in this block`);
          else scope.names.set(s.name.text, id);
          labels.set(s, id);
          occur(s.name, id, Role.Declaration | Role.Definition);
        }
      for (const s of block.statements) {
        if (s.kind === 'block') bindBlock(s, inner);
        else if (s.kind === 'label') code.push({ kind: 'label', symbol: labels.get(s)!, name: s.name.text });
        else if (s.kind === 'declare') {
          const fact = keywordOf[s.keyword];
          for (const n of s.names) {
            if (n.range !== undefined) {
              scope.ranges.push({
                prefix: n.name.text,
                count: n.range,
                ...fact,
                span: { start: n.name.start, end: n.end },
                at: s.start,
                keyword: s.keyword,
              });
              continue;
            }
            const id = declareRegister(n.name.text, fact, {
              declaration: spanOf(n.name),
              extent: spanOf(s),
              scope: scope.span,
            });
            if (scope.names.has(n.name.text))
              problem('name/duplicate', n.name, `\`${n.name.text}\` is declared twice in this block`);
            else scope.names.set(n.name.text, id);
            occur(n.name, id, Role.Declaration);
          }
        } else bindInstruction(s, inner);
      }
    }

    function declareRegister(
      name: string,
      fact: { registerClass: number; width: number },
      more: Partial<Draft>,
    ): number {
      const isPredicate = fact.registerClass === 1;
      registers.push({ name, ...fact });
      return symbol(
        name,
        isPredicate ? 'predicate' : 'register',
        isPredicate ? 'pred' : fact.width === 2 ? 'wide' : 'reg',
        {
          register: registers.length - 1,
          ...more,
        },
      );
    }

    function resolve(name: string, scopes: readonly Scope[]): number {
      for (let k = scopes.length - 1; k >= 0; k--) {
        const known = scopes[k].names.get(name);
        if (known !== undefined) return known;
        for (const range of scopes[k].ranges) {
          const digits = name.startsWith(range.prefix) ? name.slice(range.prefix.length) : '';
          if (!/^(0|[1-9]\d*)$/.test(digits) || Number(digits) >= range.count) continue;
          const id = declareRegister(name, range, {
            declaration: range.span,
            scope: scopes[k].span,
            ownDeclaration: { at: range.at, before: `${range.keyword} `, after: '\n  ' },
          });
          scopes[k].names.set(name, id);
          return id;
        }
      }
      return -1;
    }

    function resolveGlobal(name: string): number {
      const known = globals.get(name);
      if (known !== undefined) return known;
      const self = f.name?.text === name;
      const declaration = environment.earlier(name)[0] ?? (self ? undefined : environment.later(name)[0]);
      let id: number;
      if (self) id = symbols.findIndex((s) => s.isGlobal && s.name === name);
      else if (declaration === undefined) return -1;
      else
        id = symbol(
          name,
          declaration.signature.startsWith('kernel')
            ? 'kernel'
            : declaration.signature.startsWith('fn')
              ? 'function'
              : 'variable',
          declaration.signature,
          { isGlobal: true },
        );
      globals.set(name, id);
      return id;
    }

    function bindInstruction(s: Instruction, scopes: readonly Scope[]): void {
      const fact = Object.hasOwn(opcodes, s.opcode.text) ? opcodes[s.opcode.text] : undefined;
      const number = s.isFaulty ? -1 : instructionCount++;
      if (fact === undefined && s.opcode.kind === 'word')
        problem('isa/unknown-instruction', s.opcode, `there is no instruction \`${s.opcode.text}\``);
      if (fact?.version !== undefined) {
        const version = environment.earlier('version')[0];
        if (version !== undefined && Number(version.signature) < fact.version)
          problem(
            'isa/version',
            s.opcode,
            `\`${s.opcode.text}\` needs version ${fact.version}, this file says ${version.signature}`,
            {
              fixes: [
                {
                  title: `Raise version to ${fact.version}`,
                  preferred: true,
                  edits: [
                    {
                      anchor: 'version',
                      span: { start: 0, end: version.extent.end - version.extent.start },
                      newText: `version ${fact.version}`,
                    },
                  ],
                },
              ],
              related: [
                {
                  anchor: 'version',
                  span: shift(version.span, -version.span.start),
                  message: 'the version of the file',
                },
              ],
            },
          );
      }
      const guard = s.guard === undefined ? -1 : use(s.guard, 'p');
      const operands = s.operands.map((o, k) =>
        o.token.kind === 'word' ? use(o.token, fact?.operands[k] ?? 'r') : -1,
      );
      if (number >= 0) code.push({ kind: 'instruction', node: s, guard, operands });

      function use(token: Token, kind: string): number {
        const isGlobal = kind === 'F' || kind === 'G';
        let id = isGlobal ? resolveGlobal(token.text) : resolve(token.text, scopes);
        if (id < 0) {
          const at = body.start + 1;
          const declare = kind === 'p' || kind === 'P' ? 'pred' : 'reg';
          problem(
            'name/undeclared',
            token,
            `\`${token.text}\` is not declared`,
            isGlobal || kind === 'L' || kind === 'M'
              ? {}
              : {
                  fixes: [
                    {
                      title: `Declare \`${token.text}\``,
                      preferred: true,
                      edits: [{ span: { start: at, end: at }, newText: `\n  ${declare} ${token.text}\n` }],
                    },
                  ],
                },
          );
          id = symbol(
            token.text,
            kind === 'F' ? 'function' : kind === 'L' ? 'label' : 'register',
            'undeclared',
            { scope: outer.span, isGlobal },
          );
          (isGlobal ? globals : outer.names).set(token.text, id);
        }
        const role =
          kind === 'F'
            ? Role.Call
            : kind === 'L'
              ? Role.Reference
              : kind === 'd' || kind === 'P'
                ? Role.Write
                : Role.Read;
        occur(token, id, role, number);
        return id;
      }
    }
  }

  function unused(id: number, s: Draft): void {
    if (used.has(id)) return;
    const text = parsed.text;
    const name = s.declaration!;
    const extent = s.extent!;
    const isAlone = !text.slice(extent.start, extent.end).includes(',');
    let { start, end } = isAlone ? extent : name;
    if (!isAlone) {
      const before = /,\s*$/.exec(text.slice(extent.start, start));
      const after = /^\s*,\s*/.exec(text.slice(end, extent.end));
      if (before !== null) start -= before[0].length;
      else if (after !== null) end += after[0].length;
    }
    problem('name/unused-register', name, `\`${s.name}\` is never used`, {
      severity: 'hint',
      tags: ['unnecessary'],
      fixes: [
        { title: `Remove \`${s.name}\``, preferred: true, edits: [{ span: { start, end }, newText: '' }] },
      ],
    });
  }
}

const table = new OpcodeTable();

const instructionFlags: Readonly<Record<string, number>> = {
  const: InstructionFlag.Constant,
  param: InstructionFlag.Constant,
  address: InstructionFlag.Constant,
  load: InstructionFlag.ReadsMemory,
  store: InstructionFlag.WritesMemory | InstructionFlag.SideEffect,
  call: InstructionFlag.Call | InstructionFlag.SideEffect,
  jump: InstructionFlag.Branch,
  branch: InstructionFlag.Branch,
  ret: InstructionFlag.Return,
};

export const toyClasses = [
  { name: 'general', unit: 'register' },
  { name: 'predicate', unit: 'predicate' },
] as const;

export function lower(unit: ToyBound): Function | undefined {
  const item = unit.parsed.item;
  if (item?.kind !== 'function' || item.body === undefined) return undefined;
  const name = item.name;
  const builder = new FunctionBuilder(
    {
      name: name?.text ?? '',
      isEntry: item.isKernel,
      nameStart: name?.start ?? item.start,
      nameEnd: name?.end ?? item.start,
    },
    table,
    toyClasses,
  );
  for (const r of unit.registers) builder.register(r.name, r.registerClass, r.width);
  const blockOfLabel = new Map<number, number>();
  const edges: { from: number; label: number }[] = [];
  let block = builder.block();
  let isOpen = true;
  for (const c of unit.code) {
    if (c.kind === 'label') {
      const next = builder.block(c.name);
      if (isOpen) builder.successor(block, next);
      blockOfLabel.set(c.symbol, next);
      block = next;
      isOpen = true;
      continue;
    }
    const { node, guard, operands } = c;
    const opcode = node.opcode.text;
    builder.instruction(
      opcode,
      instructionFlags[opcode] ?? (opcode === 'move' && guard < 0 ? InstructionFlag.Copy : 0),
      node.start,
      node.end,
    );
    for (const [k, o] of node.operands.entries()) {
      const kind = opcodes[opcode].operands[k];
      const isDefinition = kind === 'd' || kind === 'P';
      const flags =
        (isDefinition
          ? OperandFlag.Definition | (guard >= 0 ? OperandFlag.Predicated : 0)
          : OperandFlag.Use) | (kind === 'a' ? OperandFlag.Address : 0);
      builder.operand(placeOf(operands[k], kind), flags, { spanStart: o.token.start, spanEnd: o.token.end });
    }
    if (guard >= 0)
      builder.operand(placeOf(guard, 'p'), OperandFlag.Use | OperandFlag.Guard, {
        spanStart: node.guard!.start,
        spanEnd: node.guard!.end,
      });
    if (opcode !== 'jump' && opcode !== 'branch' && opcode !== 'ret') continue;
    if (opcode !== 'ret') edges.push({ from: block, label: operands[operands.length - 1] });
    const next = builder.block();
    if (opcode === 'branch' || guard >= 0) builder.successor(block, next);
    block = next;
    isOpen = true;
  }
  for (const e of edges) {
    const to = blockOfLabel.get(e.label);
    if (to !== undefined) builder.successor(e.from, to);
  }
  return builder.finish();

  function placeOf(symbol: number, kind: string): Place {
    if (symbol < 0) return NoRegister.Immediate;
    const register = unit.symbols.symbols[symbol].register;
    if (register >= 0) return register;
    return kind === 'L'
      ? NoRegister.Label
      : kind === 'F' || kind === 'G' || kind === 'M'
        ? NoRegister.Symbol
        : NoRegister.Unknown;
  }
}
