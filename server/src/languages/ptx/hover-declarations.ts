import { touches, type Span } from '../../text/span.js';
import type { Description } from '../language.js';
import type { RangeDeclaration } from './bind/entities.js';
import type { PtxBound } from './bind/index.js';
import type { FunctionFact } from './declarations.js';
import { itemAt } from './find.js';
import {
  architectureOf,
  architectures,
  isaVersion,
  targetOptions,
  type Architecture,
} from './isa/versions.js';
import { parameterLabel } from './signature.js';
import type { Name } from './tree.js';

/** Reference text for what is declared: values of the header, ranges of registers, functions that are called. */
const spanOf = ({ start, end }: Span): Span => ({ start, end });

/** The value of `.version` or `.target` at an offset. */
export function describeHeader(bound: PtxBound, offset: number): Description | undefined {
  const item = itemAt(bound.parsed, offset);
  if (item?.kind !== 'header') return undefined;
  const value = item.values.find((name) => touches(name, offset));
  if (value === undefined) return undefined;
  const text =
    item.directive === '.version'
      ? versionText(value)
      : item.directive === '.target'
        ? targetText(value)
        : undefined;
  return text === undefined ? undefined : { span: spanOf(value), text };
}

function versionText({ text }: Name): string | undefined {
  const version = isaVersion(text);
  if (version === undefined) return undefined;
  const { cuda } = version;
  const release = cuda === undefined ? 'no toolkit announced it' : `CUDA ${cuda}`;
  const brought = architectures.filter((entry) => entry.isa === text).map((entry) => `\`${entry.name}\``);
  const targets = brought.length === 0 ? '' : `\n\nFirst version with ${brought.join(', ')}.`;
  return `**\`${text}\`** *PTX ISA version*: ${release}.${targets}`;
}

function targetText({ text }: Name): string | undefined {
  const option = targetOptions.get(text);
  if (option !== undefined) return `**\`${text}\`** *target option*\n\n${option}`;
  const entry = architectureOf(text);
  if (entry === undefined) return undefined;
  const capability = `${Math.floor(entry.sm / 10)}.${entry.sm % 10}`;
  const made = entry.isBuildable
    ? ''
    : ' ptxas 13.0 makes no code for this machine itself, only for later ones.';
  return `**\`${text}\`** *target*: ${entry.generation}, compute capability ${capability}, from .version ${entry.isa} on.\n\n${reach(entry)}${made}`;
}

/** On which machines code for a target runs. */
function reach({ name, sm, kind, family }: Architecture): string {
  switch (kind) {
    case 'portable':
      return `The code runs on sm_${sm} and every later machine.`;
    case 'architecture':
      return `The code runs on sm_${sm} alone and has all of its instructions.`;
    case 'family': {
      const members = architectures.filter((a) => a.kind === 'portable' && a.family === family && a.sm >= sm);
      return `The code runs on the family of sm_${family} from ${name} on: ${members.map((a) => a.name).join(', ')}.`;
    }
  }
}

/** `%r<5>`: its type, how many there are and how many of them are used. */
export function describeRange(bound: PtxBound, offset: number): Description | undefined {
  const range = rangeAt(bound, offset);
  if (range === undefined) return undefined;
  const { prefix, count, type, vector } = range;
  const names = count === 1 ? `\`${prefix}0\`` : `\`${prefix}0\` to \`${prefix}${count - 1}\``;
  const words = vector > 1 ? `.v${vector} ${type}` : type;
  return {
    span: spanOf(range.declaration),
    text: `**\`${prefix}<${count}>\`** *registers*, ${words}: ${names}; ${count} declared, ${range.used} used`,
  };
}

function rangeAt(bound: PtxBound, offset: number): RangeDeclaration | undefined {
  for (const { ranges } of bound.functions)
    for (const range of ranges) if (touches(range.declaration, offset)) return range;
  return undefined;
}

/** A function as a caller sees it: what it takes and what it returns. */
export function functionText(name: string, fact: FunctionFact): string {
  const list = (labels: readonly string[]): string => labels.join(', ');
  const returns = fact.returns.map(parameterLabel);
  const head = `${fact.isEntry ? '.entry' : '.func'} ${returns.length === 0 ? '' : `(${list(returns)}) `}`;
  return `\`\`\`ptx\n${head}${name} (${list(fact.parameters.map(parameterLabel))})\n\`\`\``;
}
