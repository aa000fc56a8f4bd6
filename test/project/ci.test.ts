/** What docs/ci.md tells users to run, run: in a repository with kernels, a base commit and a change. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { registry } from '../../server/src/workspace/registry.js';
import { commandPath } from '../support/programs.js';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const page = readFileSync(join(root, 'docs', 'ci.md'), 'utf8');

/** A step of a workflow: what it is called, and its script. */
interface Step {
  readonly name: string;
  readonly script: string;
}

/** Steps with a script, in the part of YAML that the page uses. */
function stepsIn(yaml: string): Step[] {
  return [...yaml.matchAll(/^( *)- name: (.*)\n((?:\1 {2}.*\n)*)/gm)].flatMap(([, indent, name, body]) => {
    const run = new RegExp(`^${indent}  run: (\\|\\n)?((?:.*\\n)(?:${indent}    .*\\n)*)`, 'm').exec(body);
    if (run === null) return [];
    const [, isBlock, text] = run;
    return [
      {
        name,
        script: isBlock === undefined ? text : text.replaceAll(new RegExp(`^${indent}    `, 'gm'), ''),
      },
    ];
  });
}

const yaml = [...page.matchAll(/^```yaml\n([^]*?)^```$/gm)].map(([, text]) => text);
const scripts = new Map(yaml.flatMap(stepsIn).map(({ name, script }) => [name, script]));

describe('docs/ci.md', function () {
  this.timeout(60_000);
  let folder: string;
  let environment: NodeJS.ProcessEnv;
  const kernels = (): string => join(folder, 'work', 'kernels');

  before(function () {
    if (process.platform === 'win32' || spawnSync('git', ['--version']).status !== 0) this.skip();
    folder = mkdtempSync(join(tmpdir(), 'spillway-ci-'));
    mkdirSync(join(folder, 'bin'));
    const command = join(folder, 'bin', 'spillway');
    writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${commandPath}' "$@"\n`);
    chmodSync(command, 0o755);
    mkdirSync(kernels(), { recursive: true });
    for (const name of ['saxpy.ptx', 'reduce.ptx', 'spill.ptx'])
      cpSync(join(root, 'examples', name), join(kernels(), name));
    environment = {
      ...process.env,
      PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}`,
      RUNNER_TEMP: folder,
      GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@example.com',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@example.com',
    };
  });
  after(() => {
    if (folder !== undefined) rmSync(folder, { recursive: true });
  });

  const sh = (script: string): { status: number | null; out: string } => {
    const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', script], {
      cwd: join(folder, 'work'),
      env: environment,
      encoding: 'utf8',
    });
    return { status, out: stdout + stderr };
  };
  const step = (name: string): { status: number | null; out: string } => {
    const script = scripts.get(name);
    assert.ok(script, name);
    return sh(script);
  };
  /** The kernel of the example keeps 26 values over a barrier: the limit says how many of them spill. */
  const limitTo = (registers: number): void => {
    const file = join(kernels(), 'spill.ptx');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\.maxnreg \d+/m, `.maxnreg ${registers}`));
  };

  it('begins with a baseline, passes on what is accepted, and fails on what is worse', () => {
    limitTo(40);
    const begin = /## Begin\n\n```\n([^]*?)```/.exec(page)?.[1] ?? '';
    assert.deepEqual(sh(`git init -q . && ${begin} git add kernels && git commit -qm base`).status, 0);
    environment = { ...environment, BASE: sh('git rev-parse HEAD').out.trim() };
    assert.equal(step('Problems').status, 0);
    assert.deepEqual(step('Gate'), { status: 0, out: '' });

    limitTo(24);
    const { status, out } = step('Gate');
    assert.equal(status, 1);
    assert.match(out, /^::error file=kernels\/spill\.ptx,line=9,title=baseline\/spills::keep_over_barrier/m);
  });

  it('reports the change to the page of the run, and writes what is uploaded', () => {
    assert.equal(step('Report').status, 0);
    const report = readFileSync(join(folder, 'summary.md'), 'utf8');
    assert.match(report, /^\| spilled registers \| 0 \| \d+ \| \+\d+ .*\| 0 \| 1 \| \d+ \|$/m);
    assert.equal(step('Findings').status, 0);
    const log = JSON.parse(readFileSync(join(folder, 'work', 'spillway.sarif'), 'utf8')) as {
      runs: { results: { ruleId: string }[] }[];
    };
    assert.ok(log.runs[0].results.some(({ ruleId }) => ruleId === 'baseline/spills'));
    const comment = (scripts.get('Comment') ?? '').split('\n').filter((line) => !line.startsWith('gh '));
    assert.equal(sh(comment.join('\n')).status, 0);
    assert.match(readFileSync(join(folder, 'report.md'), 'utf8'), /^### Spillway: /);
  });

  it('reports on the change that adds the folder, and on one that mends an error', () => {
    const before = environment;
    const base = (name: string, script: string): void => {
      const made = `git worktree add -q --detach ../${name} HEAD && cd ../${name} && ${script} && git commit -qam other`;
      const { status, out } = sh(`${made} && git rev-parse HEAD`);
      assert.equal(status, 0, out);
      environment = { ...before, BASE: out.trim(), RUNNER_TEMP: join(folder, `${name}-run`) };
      assert.deepEqual(step('Report').status, 0);
    };
    base('bare', 'git rm -qr kernels');
    base('faulty', 'sed -i s/st.global/st.nowhere/ kernels/spill.ptx');
    environment = before;
  });

  it('before a commit: the hook of the page sees the files that the commit changes', () => {
    const hook = join(folder, 'work', '.git', 'hooks', 'pre-commit');
    mkdirSync(dirname(hook), { recursive: true });
    writeFileSync(hook, /```sh\n([^]*?)```/.exec(page)?.[1] ?? '', { mode: 0o755 });
    const refused = sh('git commit -qam worse');
    assert.equal(refused.status, 1);
    assert.match(refused.out, /spilled registers 0 → \d+/);
    assert.equal(sh('spillway baseline write && git commit -qam accepted').status, 0);
  });

  it('shader-db: figures of two revisions, one of them from a pipe', () => {
    const lines = (/```\n(spillway stats[^]*?)```/.exec(page)?.[1] ?? '').replaceAll(
      'dumps/*.gen',
      'kernels/*.ptx',
    );
    const { status, out } = sh(lines);
    assert.equal(status, 0, out);
    assert.match(out, /^before\.json → standard input\n\d+ functions in both: \d+ unchanged$/m);
  });

  it('pre-commit: entries that run on the files that they are given', () => {
    const hooks = readFileSync(join(root, '.pre-commit-hooks.yaml'), 'utf8')
      .split(/^- /m)
      .slice(1)
      .map(
        (text) => new Map([...text.matchAll(/^\s*([\w-]+): (.*)$/gm)].map(([, key, value]) => [key, value])),
      );
    const used = [...page.matchAll(/^ +- id: (.*)$/gm)].map(([, id]) => id);
    assert.deepEqual(
      hooks.map((hook) => hook.get('id')),
      used,
    );
    for (const hook of hooks) {
      assert.equal(hook.get('language'), 'system');
      const files = new RegExp(hook.get('files') ?? '');
      for (const { language } of registry)
        for (const extension of language.extensions) assert.match(`a${extension}`, files);
      assert.doesNotMatch('a.ptxx', files);
      assert.doesNotMatch('spillway-baseline.json', files);
      const { status, out } = sh(`${hook.get('entry')} kernels/saxpy.ptx kernels/reduce.ptx`);
      assert.equal(status, 0, out);
    }
    const [, allowed] = /args: \[(.*)\]\n/.exec(page) ?? [];
    assert.equal(sh(`spillway baseline check ${allowed.replace(',', '')} kernels/saxpy.ptx`).status, 0);
  });

  it('each command of the page is one that there is', () => {
    const commands = execFileSync(process.execPath, [commandPath, '--help'], { encoding: 'utf8' });
    for (const [, command] of page.matchAll(/\bspillway ([a-z]+)\b/g))
      assert.match(commands, new RegExp(`^ {2}${command} `, 'm'), command);
  });
});
