import assert from 'node:assert/strict';
import { FILE } from '../support/baseline.js';
import { Folder, kernel } from '../support/command.js';

describe('spillway baseline check, formats', () => {
  const folder = (): Folder => {
    const made = new Folder({
      'k/a.toy': kernel('k', 5),
      'k/b.toy': kernel('same', 2),
      'k/c.toy': kernel('better', 5),
      'k/d.toy': kernel('gone', 1),
    });
    made.run('baseline', 'write', 'k');
    return made
      .put('k/a.toy', `# moved down\n${kernel('k', 6)}`)
      .put('k/c.toy', kernel('better', 4))
      .put('k/d.toy', kernel('fresh', 1));
  };

  it('github: an error at the function for each figure that is worse, and where the baseline has what is gone', () => {
    const { out, status } = folder().run('baseline', 'check', 'k', '--format', 'github');
    assert.equal(status, 1);
    assert.match(
      out,
      /^::error file=k\/a\.toy,line=2,title=baseline\/registers::k \(toy machine, limit 8\): registers 5 → 6 \(\+1, \+20%25\): worse, allowed 0$/m,
    );
    assert.match(out, /^::error file=k\/a\.toy,line=2,title=baseline\/occupancy::/m);
    assert.match(out, /^::notice file=k\/c\.toy,line=1,title=baseline\/better::/m);
    assert.match(out, /^::notice file=k\/d\.toy,line=1,title=baseline\/new::/m);
    const [, line] =
      /^::warning file=spillway-baseline\.json,line=(\d+),title=baseline\/gone::/m.exec(out) ?? [];
    assert.match(folder().text(FILE).split('\n')[Number(line) - 1], /"name": "gone"/);
    assert.ok(!out.includes('same'));
  });

  it('sarif: the same as results of a run', () => {
    const { out } = folder().run('baseline', 'check', 'k', '--format', 'sarif');
    interface Result {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly locations: readonly {
        physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } };
      }[];
    }
    const log = JSON.parse(out) as {
      version: string;
      runs: { tool: { driver: { rules: { id: string }[] } }; results: Result[] }[];
    };
    assert.equal(log.version, '2.1.0');
    const [{ tool, results }] = log.runs;
    for (const { ruleId, ruleIndex } of results) assert.equal(tool.driver.rules[ruleIndex].id, ruleId);
    assert.deepEqual(
      results
        .filter(({ level }) => level === 'error')
        .map(({ ruleId, locations: [{ physicalLocation: at }] }) => [
          ruleId,
          at.artifactLocation.uri,
          at.region.startLine,
        ]),
      [
        ['baseline/occupancy', 'k/a.toy', 2],
        ['baseline/registers', 'k/a.toy', 2],
      ],
    );
    assert.deepEqual(results.map(({ level }) => level).sort(), ['error', 'error', 'note', 'note', 'warning']);
  });

  it('md: a table with a row a figure', () => {
    const { out } = folder().run('baseline', 'check', 'k', '--format', 'md');
    assert.match(out, /^### Spillway: the gate fails\n\n\|/);
    assert.match(
      out,
      /^\| worse \| k\/a\.toy:2 \| k \| registers 5 → 6 \(\+1, \+20%\) \| toy machine, limit 8 \|$/m,
    );
    const widths = out
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.split('|').length);
    assert.equal(new Set(widths).size, 1);
  });

  it('json and what machines read is alone on standard output', () => {
    for (const format of ['json', 'sarif', 'github', 'md'])
      assert.equal(folder().run('baseline', 'check', 'k', '--format', format).error, '');
  });
});
