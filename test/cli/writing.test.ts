import assert from 'node:assert/strict';
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { writeFault, writeFile } from '../../server/src/cli/writing.js';
import { commandPath } from '../support/programs.js';
import { ptxHead } from '../support/ptx.js';

const isUnix = process.platform !== 'win32';

describe('writing files', () => {
  let folder = '';
  const at = (name: string): string => join(folder, name);
  const read = (name: string): string => readFileSync(at(name), 'utf8');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'spillway-'));
  });
  afterEach(() => {
    for (const name of ['closed', 'read-only']) chmodIfThere(at(name));
    rmSync(folder, { recursive: true, force: true });
  });

  const chmodIfThere = (path: string): void => {
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) chmodSync(path, 0o755);
  };

  it('makes a file, and leaves nothing beside it', () => {
    writeFile(at('a'), 'text');
    writeFile(at('a'), 'other');
    assert.equal(read('a'), 'other');
    assert.deepEqual(readdirSync(folder), ['a']);
  });

  it('a name may be as long as names may be', () => {
    writeFile(at('n'.repeat(255)), 'text');
    assert.deepEqual(readdirSync(folder), ['n'.repeat(255)]);
  });

  it('the mode stays, whatever the mask of the process takes from new files', () => {
    if (!isUnix) return;
    writeFileSync(at('a'), 'old');
    for (const mode of [0o666, 0o777, 0o640, 0o200]) {
      chmodSync(at('a'), mode);
      writeFile(at('a'), `${mode}`);
      assert.equal(statSync(at('a')).mode & 0o7777, mode);
    }
  });

  it('links stay links: to files, to links, and to what is not there yet', () => {
    if (!isUnix) return;
    mkdirSync(at('real'));
    symlinkSync('real', at('folder'));
    symlinkSync('real/a', at('direct'));
    symlinkSync('../direct', at('real/chain'));
    for (const name of ['direct', 'folder/chain']) {
      writeFile(at(name), name);
      assert.equal(read('real/a'), name);
    }
    assert.equal(readlinkSync(at('direct')), 'real/a');
    assert.equal(readlinkSync(at('real/chain')), '../direct');
    assert.deepEqual(readdirSync(folder).sort(), ['direct', 'folder', 'real']);
    symlinkSync('round', at('round'));
    assert.throws(() => writeFile(at('round'), ''), { code: 'ELOOP' });
  });

  it('a file that nobody may write stays, for the administrator as well', () => {
    writeFileSync(at('read-only'), 'old');
    chmodSync(at('read-only'), 0o444);
    const refused = (): void => writeFile(at('read-only'), 'new');
    assert.throws(refused, (error) => writeFault(error) === 'it may not be written');
    assert.equal(read('read-only'), 'old');
  });

  it('a file in a folder that takes no others is written in place', () => {
    if (!isUnix || process.getuid?.() === 0) return;
    mkdirSync(at('closed'));
    writeFileSync(at('closed/a'), 'old');
    chmodSync(at('closed'), 0o555);
    writeFile(at('closed/a'), 'new');
    assert.equal(read('closed/a'), 'new');
    assert.throws(() => writeFile(at('closed/b'), 'new'), { code: 'EACCES' });
  });

  it('a pipe is written to, directly and through a link', async () => {
    if (!isUnix) return;
    execFileSync('mkfifo', [at('pipe')]);
    symlinkSync('pipe', at('link'));
    for (const name of ['pipe', 'link']) {
      // more than a pipe holds
      const text = `${name}\n`.repeat(100_000);
      // it must not wait for this process, which waits for it
      const reader = promisify(execFile)('sh', ['-c', 'cat pipe > read'], { cwd: folder });
      writeFile(at(name), text);
      await reader;
      assert.ok(read('read') === text);
      rmSync(at('read'));
      assert.ok(lstatSync(at('pipe')).isFIFO());
    }
  });

  it('says why, in words', () => {
    const why = (path: string): string => {
      try {
        writeFile(path, '');
      } catch (error) {
        return writeFault(error);
      }
      return '';
    };
    writeFileSync(at('a'), '');
    assert.equal(why(folder), 'it is a directory; give a file');
    assert.equal(why(at('no/a')), 'there is no such folder');
    if (isUnix) assert.equal(why(at('a/b')), 'a part of its path is no folder');
  });

  describe('as a program', function () {
    this.timeout(60_000);
    const kernel = `${ptxHead}.func f() { .local .b32 a; st.local.u32 [a], 1; ret; }\n`;
    const shell = (line: string): { readonly status: number | null; readonly stderr: string } => {
      writeFileSync(at('k.ptx'), kernel);
      return spawnSync(
        'bash',
        ['-c', line.replaceAll('SPILLWAY', `"${process.execPath}" "${commandPath}"`)],
        {
          cwd: folder,
          encoding: 'utf8',
        },
      );
    };

    it('the names of standard output are standard output, behind what is there', () => {
      if (!isUnix) return;
      shell('SPILLWAY soft-stack k.ptx > plain 2> /dev/null');
      assert.match(read('plain'), /stack_frame/);
      for (const name of ['/dev/stdout', '/dev/fd/3']) {
        const line = `echo before > log; SPILLWAY soft-stack k.ptx -o ${name} 3>> log >> log`;
        assert.equal(shell(line).status, 0, name);
        assert.equal(read('log'), `before\n${read('plain')}`, name);
      }
      assert.equal(shell('SPILLWAY soft-stack k.ptx -o /dev/stdout 2> /dev/null | cat > piped').status, 0);
      assert.equal(read('piped'), read('plain'));
    });

    it('a full disk is told; a reader that goes away is not', () => {
      if (process.platform !== 'linux') return;
      symlinkSync('/dev/full', at('full'));
      for (const line of [
        'SPILLWAY soft-stack k.ptx > /dev/full',
        'SPILLWAY soft-stack k.ptx -o full',
        'SPILLWAY baseline write k.ptx --baseline full',
      ]) {
        const { status, stderr } = shell(line);
        assert.equal(status, 2, line);
        assert.match(stderr, /^spillway: (standard output|full): no space is left$/m, line);
        assert.ok(statSync('/dev/full').isCharacterDevice());
      }
      const { status, stderr } = shell('set -o pipefail; SPILLWAY --help | true');
      assert.deepEqual([status, stderr], [0, '']);
    });
  });
});
