import assert from 'node:assert/strict';
import type { Disk } from '../../server/src/cli/disk.js';
import { registry } from '../../server/src/workspace/registry.js';
import { runNow } from '../support/run-now.js';

const source = `.version 7.8
.target sm_75
.address_size 64

.visible .entry k(
	.param .u32 n
)
{
	.local .align 4 .b8 depot[4];
	.reg .b32 %r<3>;
	ld.param.u32 %r1, [n];
	st.local.u32 [depot], %r1;
	ret;
}
`;

interface Ran {
  readonly status: number;
  readonly out: string;
  readonly error: string;
  readonly written: Readonly<Record<string, string>>;
}

function softStack(text: string, ...options: string[]): Ran {
  let out = '';
  let error = '';
  const written: Record<string, string> = {};
  const disk: Disk = {
    folder: '/',
    kindOf: () => 'file',
    filesIn: () => [],
    write: (path, content) => void (written[path] = content),
  };
  const io = {
    out: (part: string) => void (out += part),
    error: (part: string) => void (error += part),
    read: () => text,
    outIsTerminal: false,
    errorIsTerminal: false,
    environment: {},
    disk,
  };
  const file = options.includes('-') ? [] : ['a.ptx'];
  const status = runNow(['soft-stack', ...options, ...file], io, registry);
  return { status, out, error, written };
}

describe('spillway soft-stack', () => {
  it('writes the moved text, formatted', () => {
    const { status, out, error } = softStack(source);
    assert.equal(status, 0);
    assert.match(out, /\n\tst\.u32 \t\[%stack_frame\], %r1;\n/);
    assert.match(error, /^a\.ptx: k: a frame of 16 bytes\nnote: all lanes of a warp share its stack/);
  });

  it('writes nothing but notes where nothing is to be moved', () => {
    const { out } = softStack(source);
    const again = softStack(out);
    assert.deepEqual([again.status, again.out, again.error], [0, out, '']);
  });

  it('writes a file at once, and none where a function cannot be moved', () => {
    assert.deepEqual(Object.keys(softStack(source, '-o', 'b.ptx').written), ['b.ptx']);
    const broken = softStack(source.replace('[depot], %r1', '[depot], %q'), '--output', 'a.ptx');
    assert.deepEqual([broken.status, broken.out, broken.written], [1, '', {}]);
    assert.match(broken.error, /^a\.ptx:12: k is not moved: the function has 1 error/);
  });

  it('says what it would do', () => {
    const { status, out, error } = softStack(source, '--check');
    assert.deepEqual([status, out, error], [0, 'a.ptx: k: a frame of 16 bytes\n', '']);
  });

  it('formats what is moved, and leaves the others as they are', () => {
    const header = '.version 7.8\n.target sm_75\n.address_size 64\n';
    const moved = (name: string): string =>
      `.func ${name}() { .local .u32 x; .local .u32 y; st.local.u32 [x], 1; ret; }`;
    const odd = '.func odd( ) {.reg .b32 %a;  .reg .b32 %b ;ret;}';
    const { out } = softStack(
      `${header}${odd} ${moved('f')} ${moved('g')} // of g\n${odd.replace('odd', 'other')} ${odd.replace('odd', 'last')}\n`,
    );
    assert.match(out, /\n\.func odd\( \) \{\.reg \.b32 %a; {2}\.reg \.b32 %b ;ret;\}\n\.func f\(\)\n\{\n/);
    assert.match(out, /\n\tret;\n\}\n\.func g\(\)\n\{\n/);
    assert.match(out, /\n\} \/\/ of g\n\.func other\( \) \{/);
    assert.match(out, /;ret;\} \.func last\( \) \{/, 'what stands between two that stay does, too');
    const lines = softStack(source.replace('[4];\n', '[4]; .local .u32 x;\n')).out.split('\n');
    const body = lines.slice(lines.indexOf('{'));
    assert.ok(!body.slice(0, -1).includes(''), 'no empty line stands where variables were');
  });

  it('names of the kernel alone do not make those of its entry longer', () => {
    const used = softStack(
      source.replaceAll('%r1', '%stack_slot').replace('%r<3>', '%stack_slot'),
      '--main-kernel',
    ).out;
    assert.match(used.slice(0, used.indexOf('.entry k(')), /%stack_slot_,/);
    assert.doesNotMatch(used.slice(used.indexOf('.entry k(')), /stack_slot_/);
  });

  it('takes standard input for PTX', () => {
    const { status, out, error } = softStack(source, '-', '--check');
    assert.deepEqual([status, out, error], [0, 'standard input: k: a frame of 16 bytes\n', '']);
  });

  it('tells a refusal once, and nothing else beside it', () => {
    const broken = source.replace('[depot], %r1', '[depot], %q');
    const { status, out, error } = softStack(broken, '--main-kernel');
    assert.deepEqual([status, out], [1, '']);
    assert.equal(error.match(/k is not moved/g)?.length, 1);
    assert.match(error, /nothing is written, since 1 function cannot be moved/);
    const checked = softStack(broken, '--check');
    assert.deepEqual([checked.status, checked.out], [1, '']);
  });

  it('says which kernels beside the main one have no entry', () => {
    const second = source.slice(source.indexOf('.visible')).replace('entry k', 'entry other');
    const { error } = softStack(source + second, '--main-kernel', 'k');
    assert.match(error, /\nnote: other gets no entry that sets its stacks up/);
    assert.doesNotMatch(softStack(source, '--main-kernel', 'k').error, /no entry/);
  });

  it('makes the entry of the only kernel, or of the one that is named', () => {
    for (const named of [['--main-kernel'], ['--main-kernel', 'k'], ['--main-kernel=k']]) {
      const { status, out } = softStack(source, ...named);
      assert.equal(status, 0);
      assert.match(out, /call\.uni k\$impl, \(argument0\);/);
      assert.equal(softStack(out, ...named).out, out);
    }
    const two = source + source.slice(source.indexOf('.visible')).replace('k(', 'q(');
    assert.match(
      softStack(two, '--main-kernel').error,
      /the file has 2 kernels; choose one: --main-kernel k/,
    );
  });

  it('moves the functions that are named', () => {
    const two = source + source.slice(source.indexOf('.visible')).replace('k(', 'q(');
    const { out } = softStack(two, '--function', 'q');
    assert.equal(out.split('.local').length, source.split('.local').length);
    assert.equal(softStack(two, '--function', 'q', '--function', 'k').out.includes('.local'), false);
    assert.deepEqual(softStack(source, '--function', 'x').status, 2);
  });

  it('refuses wrong usage', () => {
    for (const [options, words] of [
      [['--frame-alignment', '12'], /--frame-alignment is '12'; it must be 8 or 16/],
      [['--per-lane', '--uniform'], /say the opposite of each other/],
      [['--format', 'json'], /--format is 'json'; soft-stack writes PTX/],
      [['b.ptx'], /takes one file/],
    ] as const) {
      const { status, error } = softStack(source, ...options);
      assert.equal(status, 2);
      assert.match(error, words);
    }
    assert.equal(softStack(source + '// \ufffd').status, 2);
  });
});
