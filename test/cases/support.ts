import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnostics } from '../../server/src/features/diagnostics.js';
import { hover } from '../../server/src/features/hover.js';
import { nvidia } from '../../server/src/targets/nvidia/index.js';
import { argumentsFor } from '../../server/src/targets/nvidia/ptxas/request.js';
import { readReport, type PtxasReport } from '../../server/src/targets/nvidia/ptxas/report.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { hasPtxas } from '../languages/ptx/isa/assembler.js';
import { checkDiagnostics, fixture } from '../support/fixture.js';
import { ptxSnapshot } from '../support/ptx.js';

/**
 * What people who work with PTX have asked in public, each as a program of our own that has the same trouble, with the
 * message that would have helped, and with what ptxas makes of the program where it is installed.
 */
export interface Case {
  /** The thread. */
  readonly asked: string;
  /** PTX whose marks (`^^^ severity code: start of the message`) are all that is found, hints that are not marked aside. */
  readonly text: string;
  readonly maxRegisters?: number;
  /** What must be so of ptxas's report; shows that the trouble is real. */
  readonly ptxas?: (report: PtxasReport) => void;
  /** What is found is looked at elsewhere. */
  readonly onlyPtxas?: true;
  /** Further things that must be shown. */
  readonly shows?: (s: Snapshot) => void;
}

export function checkCase({ text, maxRegisters, ptxas, shows, onlyPtxas }: Case): void {
  const given = fixture(text);
  const options = maxRegisters === undefined ? {} : { maxRegisters };
  const s = ptxSnapshot(given.text, nvidia, { targets: { nvidia: options } });
  const marked = new Set(given.marks.map(({ message }) => message.split(/[ :]/)[1]));
  const { items } = diagnostics(s);
  if (onlyPtxas !== true)
    checkDiagnostics(
      given,
      items.filter(({ severity, code }) => severity !== 'hint' || marked.has(code)),
    );
  shows?.(s);
  if (ptxas !== undefined && hasPtxas()) ptxas(assembled(given.text, maxRegisters));
}

function assembled(text: string, maxRegisters: number | undefined): PtxasReport {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-case-'));
  try {
    const path = join(folder, 'case.ptx');
    writeFileSync(path, text);
    const written = /^\.target (sm_\d+a?)/m.exec(text)?.[1] ?? 'sm_90';
    const arch = /^sm_[1-6]\d$|^sm_7[0-4]$/.test(written) ? 'sm_75' : written;
    const args = argumentsFor({ arch, ...(maxRegisters !== undefined && { maxRegisters }) });
    const ran = spawnSync('ptxas', [...args, path, '-o', join(folder, 'case.cubin')], { encoding: 'utf8' });
    return readReport(ran.stderr);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** ptxas accepts the program and says this of kernel `k`. */
export function kernelOf(report: PtxasReport): { registers: number; spillBytes: number; stackBytes: number } {
  const k = report.functions.get('k');
  assert.ok(k?.registers !== undefined, JSON.stringify(report.messages));
  return {
    registers: k.registers,
    spillBytes: k.spillStoreBytes + k.spillLoadBytes,
    stackBytes: k.stackBytes,
  };
}

/** ptxas refuses the program, with a message like this. */
export const refuses =
  (message: RegExp, line?: number) =>
  (report: PtxasReport): void => {
    const found = report.messages.find((m) => m.severity === 'error' && message.test(m.message));
    assert.ok(found !== undefined, JSON.stringify(report.messages));
    if (line !== undefined) assert.equal(found.line, line);
  };

export const accepts = (report: PtxasReport): void =>
  assert.deepEqual(
    report.messages.filter(({ severity }) => severity === 'error'),
    [],
  );

/** The hover over the first place of a word, blanks run together. */
export function hoverOver(s: Snapshot, word: string): string {
  const offset = s.text.indexOf(word);
  assert.ok(offset >= 0, word);
  return hover(s, s.lines.positionAt(offset))?.contents.replace(/\s+/g, ' ') ?? '';
}

/** `.version` 8.0 for an architecture. */
export const head = (arch = 'sm_90', version = '8.0'): string =>
  `.version ${version}\n.target ${arch}\n.address_size 64\n`;

/**
 * A kernel `k` that loads `values` floats from places that are far apart, waits at a barrier and stores them in
 * another order: all of them are live at the barrier. `first` stands before the loads.
 */
export function holding(
  values: number,
  directives: string,
  first: readonly string[] = [],
  mark = '',
): string {
  const loads = Array.from({ length: values }, (_, k) => `\tld.global.f32 %f${k}, [%rd3+${4096 * k}];`);
  const stores = Array.from(
    { length: values },
    (_, k) => `\tst.global.f32 [%rd3+${4096 * ((k * 7919) % values) + 128}], %f${k};`,
  );
  return [
    `.visible .entry k(.param .u64 p) ${directives}`.trimEnd(),
    ...(mark === '' ? [] : [`//              ^ ${mark}`]),
    '{',
    `\t.reg .f32 %f<${values}>;`,
    '\t.reg .b32 %r<2>;',
    '\t.reg .b64 %rd<4>;',
    '\tld.param.u64 %rd1, [p];',
    '\tmov.u32 %r1, %tid.x;',
    '\tmul.wide.u32 %rd2, %r1, 4;',
    '\tadd.s64 %rd3, %rd1, %rd2;',
    ...first,
    ...loads,
    '\tbar.sync 0;',
    ...stores,
    '\tret;',
    '}',
    '',
  ].join('\n');
}
