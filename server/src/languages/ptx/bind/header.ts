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

/** What is missing before the first item of the file. */
export function checkStart(context: Context, first: ModuleItem): void {
  if (context.environment.isFirst && !(first.kind === 'header' && first.directive === fileFacts.version)) {
    if (first.kind === 'error') return;
    report(context, 'isa/header', headOf(first), 'the file must begin with .version, before .target', {
      fixes: [
        {
          title: `Insert .version ${newestVersion}`,
          edits: [{ span: { start: first.start, end: first.start }, newText: `.version ${newestVersion}\n` }],
          preferred: true,
        },
      ],
    });
    return;
  }
  if (first.kind === 'header') {
    if (first.directive === fileFacts.addressSize && !hasTarget(context)) missingTarget(context, first);
    return;
  }
  if (first.kind === 'error' || first.kind === 'file' || first.kind === 'loc' || first.kind === 'section')
    return;
  if (hasEarlier(context, fileFacts.version) && !hasTarget(context)) missingTarget(context, first);
}

const hasTarget = (context: Context): boolean => hasEarlier(context, fileFacts.target);

function missingTarget(context: Context, item: ModuleItem): void {
  report(
    context,
    'isa/header',
    headOf(item),
    "'.target sm_NN' is missing: it comes directly after .version and says for which machines the code is",
    {
      fixes: [
        {
          title: 'Insert .target sm_75',
          edits: [{ span: { start: item.start, end: item.start }, newText: '.target sm_75\n' }],
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
