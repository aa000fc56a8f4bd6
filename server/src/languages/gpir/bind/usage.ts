import { nearestName } from '../../../text/nearest.js';
import type { Span } from '../../../text/span.js';
import { Role } from '../../symbols.js';
import type { Instruction, LiveOutDirective, Statement } from '../tree.js';
import { fix, report, shown, type Context } from './context.js';
import type { Entity } from './entities.js';

/**
 * Names that are missing and names that are there for nothing: values without definition or use, registers that
 * nobody reads, labels that no branch names.
 */
export function checkUsage(context: Context): void {
  const missing = new Set<number>();
  for (const e of context.table.entities) {
    if (e.kind === 'value' && e.declaration === undefined) missing.add(e.symbol);
    else if (e.definition !== undefined && e.reads === 0) unusedValue(context, e, e.definition);
    else if (e.kind === 'register' && e.writes > 0 && e.reads === 0) unreadRegister(context, e);
  }
  for (const e of context.labels.values()) if (e.declaration === undefined) missing.add(e.symbol);
  if (missing.size > 0) checkMissing(context, missing);
  checkLabels(context);
}

/** Registers that `.live_out` names and nothing else: they leave as they came, which is hardly ever meant. */
export function checkLiveOuts(context: Context, liveOuts: readonly LiveOutDirective[]): void {
  const mentions = new Map<number, number>();
  const operands = liveOuts.flatMap((statement) => statement.registers);
  for (const { name } of operands) mentions.set(name.number, (mentions.get(name.number) ?? 0) + 1);
  for (const { name } of operands) {
    const e = context.variables[name.number];
    if (e === undefined || e.writes > 0 || e.reads !== mentions.get(name.number)) continue;
    const near = suggestion(context, e);
    const hint = near === undefined ? '' : `; did you mean '${near}'?`;
    report(
      context,
      'name/never-written',
      'warning',
      name,
      `nothing in this program writes '${shown(e.name)}': it leaves as it came${hint}`,
      { fixes: near === undefined ? [] : [fix(`Change to '${near}'`, name, near)] },
    );
  }
}

/** Every place of a name that has no definition. */
function checkMissing(context: Context, missing: ReadonlySet<number>): void {
  const { entities, symbol, start, end } = context.table;
  const suggestions = new Map<Entity, string | undefined>();
  for (let k = 0; k < symbol.length; k++) {
    if (!missing.has(symbol.at(k))) continue;
    const e = entities[symbol.at(k)];
    if (!suggestions.has(e)) suggestions.set(e, suggestion(context, e));
    const near = suggestions.get(e);
    const span = { start: start.at(k), end: end.at(k) };
    const isLabel = e.kind === 'label';
    const hint = near === undefined ? '' : `; did you mean '${near}'?`;
    report(
      context,
      isLabel ? 'name/unknown-label' : 'name/undeclared',
      'error',
      span,
      isLabel
        ? `there is no label '${shown(e.name)}' in this program${hint}`
        : `'${shown(e.name)}' is not defined in this program${hint}`,
      { fixes: near === undefined ? [] : [fix(`Change to '${near}'`, span, near)] },
    );
  }
}

/** Names that are looked at for one suggestion. */
const CANDIDATES = 2000;

function suggestion(context: Context, e: Entity): string | undefined {
  if (context.suggestions-- <= 0) return undefined;
  const candidates: string[] = [];
  for (const other of context.table.entities) {
    if (candidates.length >= CANDIDATES) break;
    const isAlike = other.kind === e.kind && other.register >= 0 === e.register >= 0;
    if (isAlike && other.declaration !== undefined) candidates.push(other.name);
  }
  // the letters alone: `%1` is as near to `%2` as to `%3`
  return e.name.length < 3 ? undefined : nearestName(e.name, candidates);
}

function unusedValue(context: Context, e: Entity, node: Instruction): void {
  report(
    context,
    'name/never-read',
    'hint',
    node,
    `'${shown(e.name)}' is never used: nothing is computed for it`,
    {
      isUnnecessary: true,
      fixes: [fix('Remove the instruction', wholeLine(context.unit.text, node), '', true)],
    },
  );
}

function unreadRegister(context: Context, e: Entity): void {
  if (e.declaration === undefined) return;
  const stores = storesOf(context, e);
  report(context, 'name/never-read', 'hint', e.declaration, `'${shown(e.name)}' is written, but never read`, {
    isUnnecessary: true,
    fixes:
      stores.length === 0
        ? []
        : [
            {
              title: stores.length === 1 ? 'Remove the store' : 'Remove the stores',
              edits: stores.map((node) => ({ span: wholeLine(context.unit.text, node), newText: '' })),
            },
          ],
  });
}

/** Registers of a fix that takes out all of their stores; more would be no help. */
const REMOVABLE = 16;

function storesOf(context: Context, e: Entity): readonly Statement[] {
  const { nodes } = context.code;
  const { symbol, role, instruction } = context.table;
  const found: Statement[] = [];
  if (e.writes > REMOVABLE || context.suggestions-- <= 0) return found;
  for (let k = 0; k < symbol.length; k++) {
    if (symbol.at(k) !== e.symbol || (role.at(k) & Role.Write) === 0) continue;
    if (instruction.at(k) < 0) return [];
    found.push(nodes[instruction.at(k)]);
  }
  return found;
}

/**
 * Labels that no branch names. The first one only names the program's beginning, and one behind a branch has to be
 * there; any other cuts a block in two for nothing, and no value in flight crosses the cut.
 */
function checkLabels(context: Context): void {
  let before: Statement | undefined;
  for (const statement of context.unit.statements) {
    if (statement.kind === 'label') {
      const e = context.labels.get(statement.name.text);
      const isBehindBranch = before?.kind === 'instruction' && before.opcode.text.startsWith('branch');
      if (
        e?.reads === 0 &&
        before !== undefined &&
        !isBehindBranch &&
        e.declaration?.start === statement.start
      )
        report(
          context,
          'name/unused-label',
          'hint',
          statement.name,
          `no branch goes to '${shown(e.name)}': without it the blocks on both sides are one`,
          {
            isUnnecessary: true,
            fixes: [fix('Remove the label', wholeLine(context.unit.text, statement), '')],
          },
        );
    }
    if (statement.kind === 'label' || statement.kind === 'instruction') before = statement;
  }
}

/** The statement, and its line when nothing else stands on it. */
function wholeLine(text: string, statement: Span): Span {
  let { start, end } = statement;
  while (start > 0 && isBlankHere(text, start - 1)) start--;
  while (end < text.length && isBlankHere(text, end)) end++;
  const begins = start === 0 || isBreak(text, start - 1);
  if (begins && end < text.length && isBreak(text, end)) {
    const isPair = text.charCodeAt(end) === 13 && text.charCodeAt(end + 1) === 10;
    return { start, end: end + (isPair ? 2 : 1) };
  }
  return { start: statement.start, end: statement.end };
}

const isBlankHere = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';
const isBreak = (text: string, at: number): boolean => text[at] === '\n' || text[at] === '\r';
