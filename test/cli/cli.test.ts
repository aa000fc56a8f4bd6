import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Pair } from '../../server/src/workspace/registry.js';
import { runNow } from '../support/run-now.js';
import { version } from '../../server/src/workspace/version.js';
import { violations } from '../support/json-schema.js';
import { toyLanguage } from '../support/toy/language.js';
import { toyTarget } from '../support/toy/target.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
/** The toy machine gives no registers to anybody, so there is nothing to prove. */
const pairs: readonly Pair[] = [{ language: toyLanguage, target: { ...toyTarget, verify: () => [] } }];

const good = `kernel main(n) {
  reg a, b
  param a, n
  const b, 2
  add a, a, b
  store [a], b
  ret
}
`;
const bad = good.replace('const b, 2', 'const nowhere, 2');
/** Six values live at once, which cannot be computed again. */
const heavy = `kernel heavy(n) {
  reg a, r<6>
  param a, n
${Array.from({ length: 6 }, (_, i) => `  load r${i}, [a]`).join('\n')}
${Array.from({ length: 6 }, (_, i) => `  store [r${i}], r${5 - i}`).join('\n')}
  ret
}
`;

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly error: string;
}

function spillway(
  argv: readonly string[],
  files: Readonly<Record<string, string>> = {},
  terminal = false,
  environment: Record<string, string> = {},
  known: readonly Pair[] = pairs,
): Ran {
  let out = '';
  let error = '';
  const status = runNow(
    argv,
    {
      out: (text) => (out += text),
      error: (text) => (error += text),
      read: (path) => {
        if (Object.hasOwn(files, path)) return files[path];
        if (path === 'folder') throw Object.assign(new Error('EISDIR'), { code: 'EISDIR' });
        throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
      },
      outIsTerminal: terminal,
      errorIsTerminal: terminal,
      environment,
    },
    known,
  );
  return { status, out, error };
}

const schema = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(root, 'docs', `${name}.schema.json`), 'utf8')) as Record<string, unknown>;

describe('spillway, usage', () => {
  it('wrong usage: status 2, a message that names the way out, nothing on standard output', () => {
    const cases: readonly (readonly [string[], RegExp])[] = [
      [[], /which command\? check, stats, compile, show, soft-stack, baseline, diff, compare or serve/],
      [['chekc', 'a.toy'], /there is no command 'chekc'/],
      [['constructor', 'a.toy'], /there is no command/],
      [['check'], /needs a file/],
      [['check', 'a.toy', '--format', 'xml'], /--format is 'xml'; check has text, json, sarif, github/],
      [['stats', 'a.toy', '--format', 'sarif'], /stats has text, json, md, csv/],
      [['compile', 'a.toy', 'b.toy'], /one file/],
      [
        ['check', '--nonsense', 'a.toy'],
        /^spillway: there is no option '--nonsense'\n'spillway --help' [^\n]*\n$/,
      ],
      [['check', 'a.toy', '--format'], /^spillway: --format needs a value\n/],
      [['check', 'a.toy', '--registers'], /^spillway: --registers needs a value\n/],
      [['check', '--config', '--hints', 'a.toy'], /^spillway: --config needs a value\n/],
      [['check', '--hints=yes', 'a.toy'], /^spillway: --hints takes no value\n/],
      [['check', '--help=yes', 'a.toy'], /^spillway: --help takes no value\n/],
      [['check', '-x', 'a.toy'], /^spillway: there is no option '-x'\n/],
      [['check', '-', '-', '--language', 'toy'], /standard input can be read only once/],
      [['show', 'a.toy', '--format', 'json'], /--format is 'json'; show has text/],
      [['check', 'a.toy', '--config', 'folder'], /folder: it is a directory; --config takes one JSON file/],
      [['stats', 'a.toy', '--registers', '1'], /--registers is '1'; it must be an integer from 2 to 64/],
      [['stats', 'a.toy', '--registers', 'x'], /must be an integer/],
      [['check', '-'], /standard input needs --language \(toy\)/],
      [['check', 'a.toy', '--language', 'cobol'], /there is no language 'cobol'; there is toy/],
      [['check', 'a.toy', '--config', 'none.json'], /none\.json: there is no such file/],
    ];
    for (const [argv, message] of cases) {
      const { status, out, error } = spillway(argv, { 'a.toy': good, 'b.toy': good });
      assert.equal(status, 2, argv.join(' '));
      assert.match(error, message);
      assert.equal(out, '');
    }
  });

  it('--help and --version are results', () => {
    assert.deepEqual(spillway(['--version']), { status: 0, out: `spillway ${version}\n`, error: '' });
    const { status, out } = spillway(['check', '--help']);
    assert.equal(status, 0);
    assert.match(out, /--registers N\s+Registers a thread: an integer from 2 to 64/);
    for (const line of out.split('\n')) assert.ok(line.length <= 120, line);
  });

  it('a file that cannot be read, or of no known language: status 2, and the others are still done', () => {
    const { status, out, error } = spillway(['check', 'none.toy', 'folder', 'a.txt', 'a.toy'], {
      'a.toy': good,
      'a.txt': '',
    });
    assert.equal(status, 2);
    assert.match(error, /none\.toy: there is no such file/);
    assert.match(error, /folder: it is a directory; give the files in it/);
    assert.match(error, /a\.txt: its name does not say which language it is \(\.toy\); give --language/);
    assert.match(out, /1 file: 0 errors/);
  });

  it('a function that is not there: status 2 and this message alone', () => {
    for (const command of ['check', 'stats', 'compile', 'show'])
      assert.deepEqual(spillway([command, 'a.toy', '--function', 'mian'], { 'a.toy': good }), {
        status: 2,
        out: '',
        error: "spillway: no function is called 'mian'\n",
      });
  });

  it('reads standard input when it is told the language', () => {
    const { status, out } = spillway(['stats', '-', '--language', 'toy', '--format', 'json'], { '-': good });
    assert.equal(status, 0);
    assert.match(out, /"file": "-"/);
  });

  it('a severity for a code or family that there is not: status 2, and what there is', () => {
    const check = (code: string): Ran =>
      spillway(['check', 'a.toy', '--config', 'c.json'], {
        'a.toy': good,
        'c.json': JSON.stringify({ 'diagnostics.severity': { [code]: 'error' } }),
      });
    for (const [code, message] of [
      ['spillx/*', /'diagnostics\.severity\.spillx\/\*' is about no diagnostic: .*spill\/\*, .*stall\/\*/],
      ['spill/registers', /is about no diagnostic: of spill\/\* there is spill\/fallback, .*spill\/register/],
      ['spill', /is about no diagnostic/],
      ['constructor', /is about no diagnostic/],
    ] as const) {
      assert.equal(check(code).status, 2, code);
      assert.match(check(code).error, message);
    }
    for (const code of ['spill/*', 'spill/register', '*']) assert.notEqual(check(code).status, 2, code);
  });

  it('an option that no file has a machine for is wrong usage; beside a file that has one it is not', () => {
    const other: Pair = {
      language: { ...toyLanguage, id: 'other', extensions: ['.other'] },
      target: {
        ...toyTarget,
        id: 'other-machine',
        name: 'Other machine',
        options: [{ name: 'lanes', type: 'integer', description: 'Lanes.' }],
      },
    };
    const files = { 'a.toy': good, 'b.other': good };
    const ran = (...argv: string[]): Ran => spillway(argv, files, false, {}, [...pairs, other]);
    assert.equal(ran('stats', 'a.toy', 'b.other', '--lanes', '4', '--registers', '4').status, 0);
    const refused = ran('stats', 'a.toy', '--lanes', '4');
    assert.equal(refused.status, 2);
    assert.equal(refused.out, '');
    assert.match(
      refused.error,
      /--lanes is an option of Other machine; a\.toy is compiled for Toy machine, which has --registers/,
    );
  });

  it('a configuration with a wrong value or no JSON: status 2 with the key', () => {
    const files = { 'a.toy': good, 'c.json': '{"codeLens": 3}', 'd.json': '{' };
    assert.match(
      spillway(['check', 'a.toy', '--config', 'c.json'], files).error,
      /c\.json: 'codeLens' is 3; it must be/,
    );
    assert.match(spillway(['check', 'a.toy', '--config', 'd.json'], files).error, /d\.json is not JSON/);
  });
});

describe('spillway check', () => {
  it('is 0 without errors and 1 with one, which stands at its line and column', () => {
    assert.equal(spillway(['check', 'a.toy'], { 'a.toy': good }).status, 0);
    const { status, out } = spillway(['check', 'a.toy'], { 'a.toy': bad });
    assert.equal(status, 1);
    assert.match(out, /^a\.toy:4:9: error: .*\n {4} {2}const nowhere, 2\n {4} {8}\^{7}\n/m);
  });

  it('colours on a terminal only', () => {
    const files = { 'a.toy': bad };
    assert.ok(!spillway(['check', 'a.toy'], files).out.includes('\x1b'));
    assert.ok(spillway(['check', 'a.toy'], files, true).out.includes('\x1b[31m'));
    assert.ok(!spillway(['check', 'a.toy'], files, true, { NO_COLOR: '1' }).out.includes('\x1b'));
    assert.ok(!spillway(['check', 'a.toy', '--format', 'json'], files, true).out.includes('\x1b'));
  });

  it('an allocation that the checker refutes is an error of its own', () => {
    const target = {
      ...toyTarget,
      verify: () => [{ instruction: 1, code: 0, message: 'at instruction 1: reads 3 for b' }],
    };
    let out = '';
    const io = {
      out: (text: string) => void (out += text),
      error: () => undefined,
      read: () => good,
      outIsTerminal: false,
      errorIsTerminal: false,
      environment: {},
    };
    assert.equal(runNow(['check', 'a.toy'], io, [{ language: toyLanguage, target }]), 1);
    assert.match(out, /a\.toy:4:3: error: fault in Spillway.*reads 3 for b \[internal\/allocation\]/);
  });

  it('an exception of the compiler is an error on the function, counted, and a fault of the self-test', () => {
    const compile = (): never => {
      throw new Error('no such web');
    };
    const broken: readonly Pair[] = [{ language: toyLanguage, target: { ...toyTarget, compile } }];
    const ask = (...argv: string[]): Ran => spillway(argv, { 'a.toy': good }, false, {}, broken);
    const { status, out, error } = ask('check', 'a.toy');
    assert.deepEqual([status, error], [1, '']);
    assert.match(
      out,
      /a\.toy:1:8: error: fault in Spillway, please report it: compiling main failed with 'no such web' \[internal\/compiler\]/,
    );
    assert.match(out, /1 file: 1 error, /);
    const json = JSON.parse(ask('check', 'a.toy', '--format', 'json').out) as { errors: number };
    assert.equal(json.errors, 1);
    assert.match(ask('check', 'a.toy', '--self-test').error, /, 1 fault\n {2}compiling main of .*\n +at /);
    assert.match(ask('stats', 'a.toy').error, /^a\.toy: 1 error; /);
  });

  it('settings of the configuration file change severities: a build can fail on spills', () => {
    const files = { 'a.toy': heavy, 'ci.json': '{"diagnostics.severity": {"spill/*": "error"}}' };
    const argv = ['check', 'a.toy', '--registers', '4'];
    assert.equal(spillway(argv, files).status, 0);
    const { status, out } = spillway([...argv, '--config', 'ci.json'], files);
    assert.equal(status, 1);
    assert.match(out, /error: .*\[spill\//);
  });

  it('json follows its schema', () => {
    const { out } = spillway(['check', 'a.toy', 'b.toy', '--registers', '4', '--format', 'json'], {
      'a.toy': bad,
      'b.toy': heavy,
    });
    const value = JSON.parse(out) as {
      errors: number;
      files: { problems: { code: string; line: number }[] }[];
    };
    assert.deepEqual(violations(schema('check'), value), []);
    assert.ok(value.errors > 0);
    assert.equal(value.files[0].problems[0].line, 4);
    assert.ok(value.files[1].problems.some(({ code }) => code.startsWith('spill/')));
  });

  it('github writes one workflow command a problem, with its escapes', () => {
    const { out } = spillway(['check', 'a,b%:c.toy', '--format', 'github'], { 'a,b%:c.toy': bad });
    const [first] = out.split('\n');
    assert.match(
      first,
      /^::error file=a%2Cb%25%3Ac\.toy,line=4,endLine=4,col=9,endColumn=16,title=[a-z]+\/[a-z-]+::[^\n]+$/,
    );
    for (const line of out.trim().split('\n')) assert.match(line, /^::(error|warning|notice) /);
  });

  it('sarif has what version 2.1.0 demands: rules, levels, one-based regions, relative URIs', () => {
    const { out } = spillway(['check', './my dir/a.toy', '--format', 'sarif'], { './my dir/a.toy': bad });
    const log = JSON.parse(out) as {
      version: string;
      runs: {
        tool: {
          driver: {
            name: string;
            rules: { id: string; shortDescription: { text: string }; helpUri?: string }[];
          };
        };
        results: {
          ruleId: string;
          ruleIndex: number;
          level: string;
          message: { text: string };
          locations: {
            physicalLocation: { artifactLocation: { uri: string }; region: Record<string, number> };
          }[];
        }[];
      }[];
    };
    assert.equal(log.version, '2.1.0');
    const [{ tool, results }] = log.runs;
    assert.equal(tool.driver.name, 'Spillway');
    for (const { shortDescription, helpUri } of tool.driver.rules) {
      assert.ok(shortDescription.text.length > 10);
      assert.ok(helpUri !== undefined && URL.canParse(helpUri) && /diagnostics\.md#[a-z-]+$/.test(helpUri));
    }
    for (const result of results) {
      assert.equal(tool.driver.rules[result.ruleIndex].id, result.ruleId);
      assert.ok(['none', 'note', 'warning', 'error'].includes(result.level));
      assert.ok(result.message.text.length > 0);
    }
    const error = results.find(({ level }) => level === 'error');
    assert.deepEqual(error?.locations[0].physicalLocation, {
      artifactLocation: { uri: 'my%20dir/a.toy' },
      region: { startLine: 4, startColumn: 9, endLine: 4, endColumn: 16 },
    });
  });

  it('--self-test says at how many places it asked, and fails when a feature does', () => {
    const { status, error, out } = spillway(['check', 'a.toy', '--self-test', '--format', 'json'], {
      'a.toy': good,
    });
    assert.match(error, /self-test of a\.toy: every feature at \d+ of \d+ places, 0 faults/);
    assert.equal(status, 0);
    assert.doesNotThrow(() => JSON.parse(out) as unknown, 'machine formats never mix with messages');
    const many = good.repeat(60);
    const counts = /at (\d+) of (\d+) places/.exec(
      spillway(['check', 'a.toy', '--self-test'], { 'a.toy': many }).error,
    );
    assert.equal(counts?.[1], '400');
    assert.ok(Number(counts?.[2]) > 1000);
  });
});

describe('spillway stats', () => {
  interface Stats {
    readonly version: number;
    readonly functions: {
      name: string;
      line: number;
      limit: number;
      instructions: number;
      pressure: { asWritten: number; asCompiled: number };
      spills: { registers: number };
      problems: { errors: number };
    }[];
  }
  const stats = (argv: string[], files: Record<string, string>): Stats =>
    JSON.parse(spillway(['stats', ...argv, '--format', 'json'], files).out) as Stats;

  it('json follows its schema and counts what the text says', () => {
    const value = stats(['a.toy', 'b.toy', '--registers', '4'], { 'a.toy': good, 'b.toy': `\n${heavy}` });
    assert.deepEqual(violations(schema('stats'), value), []);
    const [main, second] = value.functions;
    assert.equal(value.version, 1);
    assert.deepEqual([main.name, main.line, main.instructions, main.limit], ['main', 1, 5, 4]);
    assert.deepEqual([second.name, second.line, second.instructions], ['heavy', 2, 14]);
    assert.equal(second.pressure.asWritten, 6);
    assert.ok(second.spills.registers >= 2, 'six values do not fit four registers');
    assert.equal(main.spills.registers, 0);
  });

  it('--function keeps one, options override the configuration', () => {
    const files = { 'a.toy': good + heavy, 'c.json': '{"targets": {"toy-machine": {"registers": 9}}}' };
    const names = (argv: string[]) =>
      stats(argv, files).functions.map(({ name, limit }) => `${name} ${limit}`);
    assert.deepEqual(names(['a.toy', '--function', 'heavy', '--config', 'c.json']), ['heavy 9']);
    assert.deepEqual(names(['a.toy', '--config', 'c.json', '--registers', '5']), ['main 5', 'heavy 5']);
  });

  it('errors of a file make the status 1; the figures are there all the same', () => {
    const { status, out } = spillway(['stats', 'a.toy', '--format', 'json'], { 'a.toy': bad });
    assert.equal(status, 1);
    assert.equal((JSON.parse(out) as Stats).functions[0].problems.errors, 1);
  });

  it('figures that only some machines have are columns of their own', () => {
    const more = { words: 40, bound: 32, ratio: 1.25 };
    const target: typeof toyTarget = {
      ...toyTarget,
      compile: (f, options) => {
        const c = toyTarget.compile(f, options);
        return { ...c, stats: { ...c.stats, more } };
      },
    };
    let out = '';
    const io = { error: assert.fail, read: () => good, outIsTerminal: false, errorIsTerminal: false };
    const stats = (format: string): string => {
      out = '';
      runNow(
        ['stats', 'a.toy', '--format', format],
        { ...io, out: (text) => (out += text), environment: {} },
        [{ language: toyLanguage, target }],
      );
      return out;
    };
    assert.match(stats('text'), / words +bound +words\/bound[^\n]*\n[^\n]* 40 +32 +1\.25 /);
    assert.match(stats('md'), /\| 40 \| 32 \| 1\.25 \|/);
    assert.match(stats('csv'), /,40,32,1\.25,/);
    assert.deepEqual(violations(schema('stats'), JSON.parse(stats('json'))), []);
  });

  it('csv and md have one row a function, and cells that quote what must be quoted', () => {
    const files = { 'a,"b".toy': good + heavy, 'x|y.toy': good };
    const csv = spillway(['stats', 'a,"b".toy', '--format', 'csv'], files).out.split('\r\n');
    assert.equal(csv.length, 4);
    assert.ok(csv[1].startsWith('"a,""b"".toy",main,1,toy,'));
    const md = spillway(['stats', 'x|y.toy', '--format', 'md'], files).out.trim().split('\n');
    assert.equal(md.length, 3);
    const cells = (line: string): number => line.replaceAll('\\|', '').split('|').length;
    assert.ok(
      md.every((line) => cells(line) === cells(md[0])),
      'each row has the header\u2019s cells',
    );
  });

  it('csv has the same columns whatever the files hold', () => {
    const files = { 'a.toy': good, 'empty.toy': '' };
    const header = (file: string): string =>
      spillway(['stats', file, '--format', 'csv'], files).out.split('\r\n')[0];
    assert.equal(header('empty.toy'), header('a.toy'));
    assert.match(header('a.toy'), /,target,arch,limit,.*,general registers,predicate registers,/);
  });

  it('every format names the architecture, given or not', () => {
    for (const format of ['text', 'json', 'md', 'csv'])
      assert.match(spillway(['stats', 'a.toy', '--format', format], { 'a.toy': good }).out, /toy-1/, format);
    const compiled = spillway(['compile', 'a.toy', '--format', 'json'], { 'a.toy': good }).out;
    const { functions } = JSON.parse(compiled) as { functions: { target: unknown }[] };
    assert.deepEqual(functions[0].target, { name: 'toy-machine', arch: 'toy-1' });
  });

  it('text names the model beside the figures', () => {
    const { out } = spillway(['stats', 'a.toy', '--registers', '6'], { 'a.toy': good });
    assert.match(out, /limit 6/);
    assert.match(out, /as written/);
    assert.match(out, /as compiled/);
  });
});

describe('spillway compile and show', () => {
  it('compile json follows its schema and has every operand', () => {
    const { out, status } = spillway(['compile', 'a.toy', '--format', 'json', '--registers', '4'], {
      'a.toy': heavy,
    });
    assert.equal(status, 0);
    const value = JSON.parse(out) as {
      functions: {
        source: { instructions: { text: string; operands: { text?: string; roles: string[] }[] }[] };
      }[];
    };
    assert.deepEqual(violations(schema('compile'), value), []);
    const { instructions } = value.functions[0].source;
    assert.deepEqual(
      instructions[0].operands.map(({ text }) => text),
      ['a', 'n'],
    );
    assert.deepEqual(instructions[0].operands[0].roles, ['definition']);
  });

  it('compile prints the source lines above what became of them', () => {
    const { out } = spillway(['compile', 'a.toy'], { 'a.toy': good });
    assert.match(out, /^a\.toy:1: main \(.*, as compiled\)\n/);
    assert.match(out, / 4 \| const b, 2\n {9}const/);
  });

  it('show has the source, summaries above functions and problems below lines', () => {
    const { out, status } = spillway(['show', 'a.toy'], { 'a.toy': bad });
    assert.equal(status, 1);
    assert.match(out, /4 \| {3}const nowhere, 2/);
    assert.match(out, /\n {2}\| {9}\^{7} error: /);
    assert.match(out, /limit 8/);
  });
});
