import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { bestOf, type Candidate } from '../../server/src/features/compare-best.js';
import type { Comparison } from '../../server/src/features/compare-data.js';
import { comparisonMarkdown, comparisonText } from '../../server/src/features/compare-text.js';
import { compareWholly, comparison } from '../../server/src/features/compare.js';
import { Document } from '../../server/src/workspace/document.js';
import { languageForPath } from '../../server/src/workspace/registry.js';
import { defaultSettings, resolveSettings, type Settings } from '../../server/src/workspace/settings.js';
import type { Snapshot, Unit } from '../../server/src/workspace/snapshot.js';
import { runs } from '../support/fuzz.js';
import { program, toySnapshot } from '../support/toy/programs.js';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');

function open(file: string, settings: Settings, change = (text: string): string => text): Document {
  const text = change(readFileSync(join(examples, file), 'utf8'));
  return Document.open(`file:///w/${file}`, languageForPath(file)!, 1, text, settings, (error) => {
    throw error;
  });
}

const functionIn = (s: Snapshot): Unit => s.units.find(({ compilation }) => compilation !== undefined)!;
const compared = (s: Snapshot): Comparison => compareWholly(s, functionIn(s))!;
const unlimited = (text: string): string => text.replace('.maxnreg 24\n', '');

/** The figures of every row are those that the settings of the row give a fresh document. */
function assertRowsAreTrue(file: string, change?: (text: string) => string): void {
  const table = compared(open(file, defaultSettings, change));
  for (const { settings, figures, problem, isPresent } of table.rows) {
    const { settings: set, problems } = resolveSettings(settings);
    assert.deepEqual(problems, []);
    const fresh = open(file, set, change);
    const unit = functionIn(fresh);
    fresh.improveWhollyAt(unit.index);
    const { stats } = unit.compilation!;
    const { spills } = stats;
    assert.deepEqual(
      [figures.spilled, figures.stores, figures.loads, figures.cycles, figures.warps],
      [spills.registers, spills.stores, spills.loads, stats.cycles, stats.occupancy?.warps],
      JSON.stringify(settings),
    );
    assert.equal(
      problem !== undefined,
      unit.compilation!.problems.some(({ severity }) => severity === 'error'),
    );
    if (isPresent) assert.equal(unit.compilation!.model, table.model);
  }
}

describe('what if', () => {
  it('tells what the settings of each row would give: ptx', () => {
    assertRowsAreTrue('spill.ptx', unlimited);
    const { rows, columns } = compared(open('spill.ptx', defaultSettings, unlimited));
    const titles = columns.map(({ id }) => id);
    for (const id of ['registers', 'spilled', 'occupancy', 'cycles']) assert.ok(titles.includes(id), id);
    assert.deepEqual(
      rows.filter(({ isPresent }) => isPresent).map(({ group, name }) => [group, name.split(',')[0]]),
      [
        ['architecture', 'sm_80'],
        ['register limit', '255'],
      ],
    );
    assert.ok(!rows.some(({ name }) => name === 'sm_75'), 'a file for sm_80 does not run on sm_75');
  }).timeout(60_000);

  it('tells what the settings of each row would give: gpir', () => {
    assertRowsAreTrue('fog.gpir');
  }).timeout(60_000);

  it('tells what the settings of each row would give: gen-ir', () => {
    assertRowsAreTrue('saxpy.gen');
    assertRowsAreTrue('rain.gen');
    const rain = compared(open('rain.gen', defaultSettings));
    assert.match(rain.rows.find(({ name }) => name === 'snb')?.problem ?? '', /Gen7/);
    assert.ok(!rain.best.some(({ row }) => rain.rows[row].problem !== undefined));
  }).timeout(60_000);

  it('compares no limits where the source sets one, as ptxas ignores the option there', () => {
    const { rows } = compared(open('spill.ptx', defaultSettings));
    assert.deepEqual([...new Set(rows.map(({ group }) => group))], ['architecture']);
  });

  it('says why limits are missing or end early, and compares only those that count', () => {
    const limitsOf = (table: Comparison): string[] =>
      table.rows
        .filter(({ group }) => group === 'register limit')
        .flatMap(({ name, alike }) => [name, ...alike]);
    const whyOf = (table: Comparison): string | undefined =>
      table.settled.find(({ group }) => group === 'register limit')?.why;
    const spill = compared(open('spill.ptx', defaultSettings));
    assert.match(whyOf(spill) ?? '', /the source sets \.maxnreg 24/);
    assert.match(comparisonText(spill), /^register limit: not compared; the source sets \.maxnreg 24/m);
    assert.match(comparisonMarkdown(spill), /^- register limit: not compared; the source sets/m);
    const rain = compared(open('rain.gen', defaultSettings));
    assert.deepEqual(limitsOf(rain), []);
    assert.match(whyOf(rain) ?? '', /the source sets \.grf_limit 14/);
    const wide = (text: string): string => text.replace('.grf_limit 14', '.grf_limit 64');
    const rainOf64 = compared(open('rain.gen', defaultSettings, wide));
    assert.deepEqual(limitsOf(rainOf64).sort(), ['32', '48', '64']);
    assert.match(comparisonText(rainOf64), /^register limit: .*; the source sets \.grf_limit 64/m);
    assert.equal(whyOf(compared(open('saxpy.gen', defaultSettings))), undefined);
  }).timeout(60_000);

  it('offers the limits above one that is set, too', () => {
    const { settings } = resolveSettings({ 'targets.gen.maxRegisters': 32 });
    const { rows } = compared(open('saxpy.gen', settings));
    const all = rows.filter(({ group }) => group === 'register limit');
    const names = all.flatMap(({ name, alike }) => [name, ...alike]);
    assert.ok(names.includes('32') && names.includes('128'), names.join());
  }).timeout(60_000);

  it('tells of an option that the source settles exactly where it changes nothing', () => {
    const programs: readonly [file: string, change?: (text: string) => string][] = [
      ['spill.ptx'],
      ['spill.ptx', unlimited],
      ['rain.gen'],
      ['saxpy.gen'],
      ['toon.gen'],
    ];
    for (const [file, change] of programs)
      for (const limit of [10, 18, 24, 40, 112, 120, 128, 200]) {
        const { id } = open(file, defaultSettings).target;
        const { settings, problems } = resolveSettings({ [`targets.${id}.maxRegisters`]: limit });
        if (problems.length > 0) continue;
        const s = open(file, settings, change);
        const { compilation } = functionIn(s);
        const inForce = compilation!.stats.limit;
        // ptxas gives no thread fewer than 24
        const asked = id === 'nvidia' ? Math.max(24, limit) : limit;
        const told = s.target.settled?.(compilation!).find(({ option }) => option === 'maxRegisters');
        const diagnosed = compilation!.problems.some(({ code }) => code === 'pressure/limit-ignored');
        const words = `${file} ${limit}: ${inForce} in force`;
        assert.equal(told?.isIgnored === true, inForce !== asked, words);
        const isRaised = compilation!.stats.limitedBy === 'option' && limit < asked;
        assert.equal(diagnosed, isRaised || inForce !== asked, words);
        if (inForce !== asked) assert.notEqual(compilation!.stats.limitedBy, 'option', words);
      }
  }).timeout(60_000);

  it('gives the registers used in its head, as in its rows', () => {
    for (const file of ['rain.gen', 'saxpy.gen', 'spill.ptx']) {
      const { summary, rows } = compared(open(file, defaultSettings));
      const used = /(\d+)\/\d+ GRF|(\d+) registers/.exec(summary);
      for (const { isPresent, figures } of rows)
        if (isPresent) assert.equal(Number(used?.[1] ?? used?.[2]), figures.registers, summary);
    }
  }).timeout(60_000);

  it('leaves out limits that make no difference, and says which', () => {
    const { rows } = compared(open('spill.ptx', defaultSettings, unlimited));
    const limits = rows.filter(({ group }) => group === 'register limit');
    const told = limits.flatMap(({ name, alike }) => [name, ...alike]);
    for (const limit of ['24', '32', '40', '64', '96', '128', '168']) assert.ok(told.includes(limit), limit);
    assert.equal(new Set(limits.map(({ figures }) => JSON.stringify(figures))).size, limits.length);
  });

  it('marks the limit that the settings have', () => {
    const settings = resolveSettings({ 'targets.nvidia.maxRegisters': 30 }).settings;
    const { rows, model } = compared(open('spill.ptx', settings, unlimited));
    assert.match(model, /limit 30/);
    const present = rows.filter(({ group, isPresent }) => group === 'register limit' && isPresent);
    assert.deepEqual(
      present.map(({ name }) => name),
      ['30'],
    );
  });

  it('works in steps, and remembers what it has compiled', () => {
    const s = open('spill.ptx', defaultSettings, unlimited);
    const unit = functionIn(s);
    let rows = 0;
    for (const step of comparison(s, unit)) if (step !== undefined) rows++;
    assert.ok(rows > 12);
    const { target } = s;
    const compile = target.compile;
    let compiled = 0;
    const counting = {
      ...target,
      compile: (...given: Parameters<typeof compile>) => (compiled++, compile(...given)),
    };
    const again: Snapshot = { ...bare(s), target: counting };
    assert.deepEqual(compareWholly(again, unit)?.rows.length, compareWholly(s, unit)?.rows.length);
    assert.equal(compiled, 0);
  });

  it('has nothing to say of a machine that varies nothing', () => {
    const s = toySnapshot(program);
    assert.equal(compareWholly(s, functionIn(s)), undefined);
  });

  it('is readable as text and as Markdown', () => {
    const table = compared(open('spill.ptx', defaultSettings, unlimited));
    const text = comparisonText(table);
    assert.match(text, /^keep_over_barrier \(now sm_80, limit 255\)\n/);
    assert.match(text, /\n {2}\* sm_80 \(now\) /);
    const rows = text.split('\n').filter((line) => /^ {2}[ *] sm_/.test(line));
    assert.equal(new Set(rows.map((line) => line.search(/\d+ of \d+/))).size, 1, 'columns are in line');
    const lines = comparisonMarkdown(table)
      .split('\n')
      .filter((line) => line.startsWith('|'));
    assert.equal(lines.length, table.rows.length + 2);
    assert.equal(new Set(lines.map((line) => line.split('|').length)).size, 1);
  });
});

/** A snapshot's members as a plain object. */
const bare = (s: Snapshot): Snapshot => ({
  uri: s.uri,
  version: s.version,
  language: s.language,
  target: s.target,
  settings: s.settings,
  text: s.text,
  lines: s.lines,
  units: s.units,
  unitAt: (offset) => s.unitAt(offset),
  declarations: (name) => s.declarations(name),
  definition: (name) => s.definition(name),
});

describe('the best of several figures', () => {
  const row = (figures: Candidate['figures'], more: Partial<Candidate> = {}): Candidate => ({
    group: 'g',
    isPresent: false,
    figures,
    ...more,
  });

  it('spills less, then has more warps, then takes fewer cycles, and says so', () => {
    const spills = row({ stores: 1, loads: 1, warps: 64, cycles: 1 });
    const few = row({ stores: 0, loads: 0, warps: 32, cycles: 1 });
    const many = row({ stores: 0, loads: 0, warps: 48, cycles: 9 });
    const best = row({ stores: 0, loads: 0, warps: 48, cycles: 8 });
    assert.deepEqual(bestOf([spills, few, many, best]), [
      { group: 'g', row: 3, why: 'no spills, of those most warps (48), of those fewest cycles (8)' },
    ]);
  });

  it('counts cycles for each lane', () => {
    const narrow = row({ cycles: 100, lanes: 8 });
    const wide = row({ cycles: 150, lanes: 16 });
    assert.deepEqual(bestOf([narrow, wide]), [
      { group: 'g', row: 1, why: 'fewest cycles a lane (150 for 16)' },
    ]);
  });

  it('is what is set already where another is only as good, and nothing where all are alike', () => {
    const worse = row({ cycles: 9 });
    const same = row({ cycles: 8 });
    const present = row({ cycles: 8 }, { isPresent: true });
    assert.equal(bestOf([worse, same, present])[0].row, 2);
    assert.deepEqual(bestOf([same, present]), []);
    assert.deepEqual(bestOf([row({ cycles: 1 }, { problem: 'no' })]), []);
  });

  it('is never beaten in all figures by another row of its group', () => {
    const figure = fc.nat(3);
    const figures = fc.record({
      stores: figure,
      loads: figure,
      warps: figure,
      cycles: figure,
      registers: figure,
    });
    const candidate = fc.record({
      group: fc.constantFrom('a', 'b'),
      isPresent: fc.boolean(),
      figures,
    });
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 8 }), (rows) => {
        for (const { group, row: number } of bestOf(rows)) {
          assert.equal(rows[number].group, group);
          const best = rows[number].figures;
          for (const other of rows) {
            if (other.group !== group) continue;
            const isBetter =
              other.figures.stores + other.figures.loads < (best.stores ?? 0) + (best.loads ?? 0) ||
              (other.figures.stores + other.figures.loads === (best.stores ?? 0) + (best.loads ?? 0) &&
                other.figures.warps > (best.warps ?? 0));
            assert.ok(!isBetter);
          }
        }
      }),
      { numRuns: runs(100) },
    );
  });
});
