import type { Fix } from '../../../text/problem.js';
import type { Span } from '../../../text/span.js';
import { fileFacts, SECTION_MARK } from '../declarations.js';
import {
  architectureOf,
  nearestTarget,
  nearestVersion,
  newestVersion,
  oldestUsableVersion,
  targetOptions,
  architectures,
  isaVersion,
  versionAtLeast,
  versionRank,
} from '../isa/versions.js';
import type { HeaderDirective, ModuleItem, Name } from '../tree.js';
import { hasVersionForm } from '../parser/headers.js';
import { report, type Context } from './context.js';

/**
 * The three directives with which a PTX file begins, `.version`, `.target`, `.address_size`, in this order. The
 * first decides what the text may say, the second for which machines; ptxas 13.0 knows versions up to 9.0 and no
 * 32-bit addresses.
 */

/** A guess from what was written: never made without asking. */
const suggest = (title: string, at: Span, newText: string): Fix => ({
  title,
  edits: [{ span: { start: at.start, end: at.end }, newText }],
});

const replace = (title: string, at: Span, newText: string): Fix => ({
  ...suggest(title, at, newText),
  preferred: true,
});

const hasEarlier = (context: Context, name: string): boolean =>
  context.mentions.has(name) && context.environment.earlier(name).length > 0;

/**
 * What is missing at the start of the file, as ptxas wants it even of an empty one. `first` is absent in a file of
 * blanks and comments. A missing `.target` is told where it belongs, behind `.version`, and nowhere else.
 */
export function checkStart(context: Context, first: ModuleItem | undefined): void {
  const { isFirst } = context.environment;
  if (first === undefined) {
    if (isFirst && context.unit.problems.length === 0)
      missingVersion(context, { start: 0, end: Math.min(1, context.unit.text.length) }, 0);
    return;
  }
  const isVersion = first.kind === 'header' && first.directive === fileFacts.version;
  if (isVersion) {
    if (!hasTarget(context) && !hasLaterTarget(context)) missingTarget(context, first);
    return;
  }
  if (first.kind === 'error') return;
  if (isFirst) {
    missingVersion(context, headOf(first), first.start);
    return;
  }
  const isOther = first.kind === 'file' || first.kind === 'loc' || first.kind === 'section';
  if (isOther || !hasEarlier(context, fileFacts.version) || hasTarget(context)) return;
  if (hasLaterTarget(context) && !hasEarlier(context, fileFacts.addressSize))
    report(context, 'isa/header', headOf(first), '.target must come directly after .version, before this');
}

const hasTarget = (context: Context): boolean =>
  hasEarlier(context, fileFacts.target) || context.header.target !== undefined;

const hasLaterTarget = (context: Context): boolean =>
  context.mentions.has(fileFacts.target) && context.environment.later(fileFacts.target).length > 0;

function missingVersion(context: Context, at: Span, insertion: number): void {
  const needsTarget = context.unit.items.length === 0;
  const version = `.version ${newestVersion}`;
  const edits = (newText: string): Fix['edits'] => [{ span: { start: insertion, end: insertion }, newText }];
  report(context, 'isa/header', at, 'the file must begin with .version, before .target', {
    fixes: [
      needsTarget
        ? { title: `Insert ${version} and .target sm_75`, edits: edits(`${version}\n.target sm_75\n`) }
        : { title: `Insert ${version}`, edits: edits(`${version}\n`), preferred: true },
    ],
  });
}

function missingTarget(context: Context, version: ModuleItem): void {
  report(
    context,
    'isa/header',
    version,
    "'.target sm_NN' is missing: it comes directly after .version and says for which machines the code is",
    {
      fixes: [
        {
          title: 'Insert .target sm_75',
          edits: [{ span: { start: version.end, end: version.end }, newText: '\n.target sm_75' }],
        },
      ],
    },
  );
}

/** The first word or so of an item, so that the mark is no whole function. */
function headOf(item: ModuleItem): Span {
  if (item.kind === 'function' && item.name !== undefined) return { start: item.start, end: item.name.end };
  return item;
}

export function checkHeader(context: Context, item: HeaderDirective): void {
  switch (item.directive) {
    case '.version':
      checkVersion(context, item);
      break;
    case '.target':
      checkTarget(context, item);
      break;
    case '.address_size':
      checkAddressSize(context, item);
      break;
  }
}

function checkVersion(context: Context, item: HeaderDirective): void {
  const value = item.values.at(0);
  if (hasEarlier(context, fileFacts.version)) {
    report(context, 'isa/header', item, '.version stands once, at the start of the file; remove this one');
    return;
  }
  if (value === undefined || !hasVersionForm(value.text)) return;
  if (isaVersion(value.text) !== undefined) {
    if (!versionAtLeast(value.text, oldestUsableVersion))
      report(
        context,
        'isa/version-old',
        value,
        `.version ${value.text} means 32-bit addresses, which ptxas 13.0 refuses; the oldest with 64-bit ones is ${oldestUsableVersion}`,
        {
          severity: 'warning',
          fixes: [replace(`Raise .version to ${oldestUsableVersion}`, value, oldestUsableVersion)],
        },
      );
    return;
  }
  const near = nearestVersion(value.text);
  const isNewer = versionRank(value.text) > versionRank(newestVersion);
  report(
    context,
    'isa/version-unknown',
    value,
    isNewer
      ? `.version ${value.text} is newer than this assembler knows; the newest is ${newestVersion}`
      : `there is no PTX ISA version '${value.text}'; write ${near}`,
    { fixes: [suggest(`Write .version ${near}`, value, near)] },
  );
}

function checkTarget(context: Context, item: HeaderDirective): void {
  const [machine, ...options] = item.values;
  if (!hasEarlier(context, fileFacts.version) && !context.environment.isFirst)
    report(context, 'isa/header', item, '.version must come before .target');
  if (machine === undefined) return;
  if (architectureOf(machine.text) === undefined) unknownTarget(context, machine);
  else checkTargetVersion(context, machine);
  for (const option of options) checkOption(context, option, item);
}

function unknownTarget(context: Context, machine: Name): void {
  if (
    /^compute_\d+[af]?$/.test(machine.text) &&
    architectureOf(machine.text.replace('compute', 'sm')) !== undefined
  )
    return;
  const number = Number(/\d+/.exec(machine.text)?.[0] ?? NaN);
  const portable = architectures.filter((entry) => entry.kind === 'portable');
  const below = portable.findLast((entry) => entry.sm <= number);
  const above = portable.find((entry) => entry.sm >= number);
  const near = [...new Set([below, above].flatMap((entry) => (entry === undefined ? [] : [entry.name])))];
  const best = nearestTarget(machine.text);
  report(
    context,
    'isa/target-unknown',
    machine,
    `unknown target '${machine.text}'; ${near.length === 0 ? `write ${best}` : `nearest known ${near.length === 1 ? 'is' : 'are'} ${near.join(', ')}`}`,
    { fixes: [suggest(`Write ${best}`, machine, best)] },
  );
}

function checkTargetVersion(context: Context, machine: Name): void {
  const { version } = context.header;
  const needed = architectureOf(machine.text)?.isa;
  if (version === undefined || needed === undefined || isaVersion(version) === undefined) return;
  if (versionAtLeast(version, needed)) return;
  const declaration = context.environment.earlier(fileFacts.version).at(0);
  const fixes: Fix[] =
    declaration === undefined
      ? []
      : [
          {
            title: `Raise .version to ${needed}`,
            edits: [
              {
                anchor: fileFacts.version,
                span: { start: 0, end: declaration.span.end - declaration.span.start },
                newText: needed,
              },
            ],
            preferred: true,
          },
        ];
  report(
    context,
    'isa/target-version',
    machine,
    `.target ${machine.text} needs .version ${needed} or later; this file says ${version}`,
    { fixes },
  );
}

function checkOption(context: Context, option: Name, item: HeaderDirective): void {
  const { text } = option;
  if (architectureOf(text) !== undefined) return;
  if (!targetOptions.has(text)) {
    report(
      context,
      'isa/target-unknown',
      option,
      `unknown .target option '${text}'; known are ${[...targetOptions.keys()].join(', ')}`,
    );
    return;
  }
  if (text === 'map_f64_to_f32')
    report(
      context,
      'isa/removed',
      option,
      'map_f64_to_f32 is for machines before sm_13, which had no f64; remove it',
    );
  const modes = item.values.filter((value) => value.text.startsWith('texmode_'));
  if (modes.length > 1 && option === modes[1] && modes[0].text !== text)
    report(context, 'isa/texture-mode', option, `'${text}' contradicts '${modes[0].text}'; keep one of them`);
  if (text === 'debug' && !hasDebugInformation(context))
    report(
      context,
      'isa/debug-information',
      option,
      ".target debug promises DWARF sections, and this file has none: remove 'debug', or compile with -g",
    );
}

function hasDebugInformation(context: Context): boolean {
  return context.mentions.has(SECTION_MARK) && context.environment.later(SECTION_MARK).length > 0;
}

function checkAddressSize(context: Context, item: HeaderDirective): void {
  const value = item.values.at(0);
  if (hasEarlier(context, fileFacts.addressSize)) {
    report(context, 'isa/header', item, '.address_size stands once, after .target; remove this one');
    return;
  }
  if (value === undefined) return;
  if (value.text === '32')
    report(
      context,
      'isa/address-size',
      value,
      '32-bit addresses are gone: ptxas 13.0 takes .address_size 64 alone (addresses must then be 64-bit registers)',
      { fixes: [replace('Write .address_size 64', value, '64')] },
    );
  else if (value.text !== '64')
    report(
      context,
      'isa/address-size',
      value,
      `.address_size is 64 (or 32, which is gone); '${value.text}' is neither`,
      {
        fixes: [replace('Write .address_size 64', value, '64')],
      },
    );
}
