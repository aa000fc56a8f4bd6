import assert from 'node:assert/strict';
import { asWords, runWell } from '../../../support/ptx-module-run.js';
import { func, head, moved, refusalOf } from './support.js';

const checked = { lanes: 'checked' } as const;
const registers =
  '.local .align 8 .b8 depot[32];\n.reg .b64 %rd<9>;\n.reg .b32 %r<9>;\n.reg .pred %p<5>;\nmov.u32 %r1, %tid.x;\nld.param.u64 %rd1, [p];\nmov.u32 %r2, 1;';

/** A function that computes `%r2` and keeps it in its frame. */
const keeping = (code: string): string =>
  func(`${registers}\n${code}\nst.local.u32 [depot], %r2;\nld.local.u32 %r3, [depot];\nret;`)
    .replace('7.8', '8.0')
    .replace('sm_75', 'sm_90');

const refused = (code: string, why: RegExp): void => {
  assert.match(
    refusalOf(keeping(code), checked),
    /keeps %r2, which is not the same in all lanes.*--per-lane/,
    code,
  );
  assert.match(refusalOf(keeping(code), checked), why, code);
};
const allowed = (code: string): void => {
  assert.deepEqual(moved(keeping(code), checked).refusals, [], code);
};

describe('soft stack: values that differ between lanes', () => {
  it('come from instructions that give each lane something else', () => {
    refused('atom.global.add.u32 %r2, [%rd1], 1;', /it comes from 'atom\.global\.add\.u32'/);
    refused('mov.u32 %r2, %clock;', /it comes from %clock/);
    refused('mov.u64 %rd2, %globaltimer;\ncvt.u32.u64 %r2, %rd2;', /it comes from %globaltimer/);
    refused('match.any.sync.b32 %r2, %r3, -1;', /it comes from 'match\.any/);
    refused('elect.sync _|%p1, -1;\nselp.u32 %r2, 1, 0, %p1;', /it comes from 'elect\.sync'/);
    refused(
      'mul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd2, %rd1, %rd2;\nld.global.u32 %r2, [%rd2];',
      /it comes from %tid\.x/,
    );
    refused('shfl.sync.idx.b32 %r2, %r1, %r1, 31, -1;', /%tid\.x/);
    refused('shfl.sync.down.b32 %r2, %r1, 1, 31, -1;', /%tid\.x/);
    refused('shfl.sync.idx.b32 %r2, %r1, 0, 0x1c1f, -1;', /%tid\.x/);
    refused('mov.v4.u32 {%r2, %r3, %r4, %r5}, %tid;', /%tid\.x/);
  });

  it('are no results of all lanes together', () => {
    allowed('setp.gt.u32 %p1, %r1, 3;\nvote.sync.ballot.b32 %r2, %p1, -1;');
    allowed('activemask.b32 %r2;');
    allowed('redux.sync.add.u32 %r2, %r1, -1;');
    allowed('match.all.sync.b32 %r2|%p1, %r1, -1;');
    allowed('shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;');
    allowed('elect.sync %r2|%p1, -1;');
    allowed('mov.v4.u32 {%r3, %r2, %r4, %r5}, %tid;');
    allowed('ld.global.u32 %r2, [%rd1];');
    allowed('shr.u32 %r2, %r1, 5;');
    allowed('and.b32 %r2, %r1, -32;');
  });

  it('are given to some lanes by a guard', () => {
    refused('setp.eq.u32 %p1, %r1, 0;\n@%p1 mov.u32 %r2, 2;', /'mov\.u32' sets it in some lanes only/);
    refused('setp.lt.u32 %p1, %r1, 9;\n@!%p1 ld.global.u32 %r2, [%rd1];', /in some lanes only/);
    allowed('mov.u32 %r3, %ctaid.x;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 mov.u32 %r2, 2;');
    allowed('setp.eq.u32 %p1, %r1, 0;\nvote.sync.any.pred %p2, %p1, -1;\n@%p2 mov.u32 %r2, 2;');
  });

  it('are joined where lanes had parted', () => {
    const parted = 'setp.lt.u32 %p1, %r1, 7;\n@%p1 bra JOIN;\nmov.u32 %r2, 2;\nJOIN:';
    refused(parted, /'mov\.u32' sets it where only some lanes come/);
    refused(parted.replace('.lt.', '.eq.'), /only some lanes come/);
    refused(parted.replace('mov.u32 %r2', '@%p3 bra JOIN;\nmov.u32 %r2'), /only some lanes come/);
    // each lane leaves the loop after as many turns as its number
    refused(
      'mov.u32 %r4, 0;\nLOOP:\nadd.u32 %r4, %r4, 1;\nadd.u32 %r2, %r2, 3;\nsetp.lt.u32 %p1, %r4, %r1;\n@%p1 bra LOOP;',
      /'add\.u32' sets it where only some lanes come/,
    );
    refused(
      'T: .branchtargets A, B;\nbrx.idx %r1, T;\nA:\nmov.u32 %r2, 2;\nbra.uni C;\nB:\nmov.u32 %r2, 3;\nC:',
      /only some lanes/,
    );
    allowed(parted.replace('mov.u32 %r2, 2', 'mov.u32 %r3, 2'));
    allowed('mov.u32 %r3, %ctaid.x;\nsetp.lt.u32 %p1, %r3, 7;\n@%p1 bra JOIN;\nmov.u32 %r2, 2;\nJOIN:');
    // a branch that hangs on what was joined parts them again
    refused(
      `${parted.replaceAll('%r2', '%r5')}\nsetp.eq.u32 %p2, %r5, 2;\n@%p2 bra NEXT;\nmov.u32 %r2, 4;\nNEXT:`,
      /only some lanes/,
    );
  });

  it('are read by others than the lane that stores them', () => {
    const source = (read: string): string =>
      func(
        `${registers}\nst.local.u32 [depot], 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.local.u32 [depot], 2;\n${read}\nret;`,
      );
    assert.match(
      refusalOf(source('ld.local.u32 %r3, [depot];'), checked),
      /^line 15: 'st\.local\.u32' stores in the frame in one lane, and others/,
    );
    assert.deepEqual(moved(source('@%p1 ld.local.u32 %r3, [depot];'), checked).refusals, []);
  });

  it('come of counting once for each lane', () => {
    const source = func(`${registers}\ncvta.local.u64 %rd2, depot;\natom.add.u32 %r3, [%rd2], 1;\nret;`);
    assert.match(refusalOf(source, checked), /'atom\.add\.u32' changes the frame once for each lane/);
    assert.deepEqual(
      moved(source.replace('atom', 'setp.eq.u32 %p1, %r1, 0;\n\t@%p1 atom'), checked).refusals,
      [],
    );
  });
});

describe('soft stack: values that differ, from callers and callees', () => {
  const keeper =
    '.func (.param .b32 r) g(.param .b32 i)\n{\n.local .b32 x;\n.reg .b32 %i;\nld.param.u32 %i, [i];\nst.local.u32 [x], %i;\nst.param.b32 [r], %i;\nret;\n}\n';
  const call = (f: string, value: string): string =>
    `{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], ${value};\ncall (b), ${f}, (a);\nld.param.b32 %r3, [b];\n}`;
  const caller = (code: string, name = 'k', head = '.visible .entry'): string =>
    `${head} ${name}(.param .u32 n)\n{\n.reg .b32 %r<9>;\n.reg .pred %p;\nmov.u32 %r1, %tid.x;\nld.param.u32 %r2, [n];\n${code}\nret;\n}\n`;

  it('follows arguments', () => {
    assert.match(
      refusalOf(head + keeper + caller(call('g', '%r1')), checked),
      /^line 9: .*keeps %i.*it comes with parameter i, which the call in k fills/,
    );
    for (const value of ['%r2', '3'])
      assert.deepEqual(moved(head + keeper + caller(call('g', value)), checked).refusals, [], value);
    // the names of arguments are used again for the next call
    assert.deepEqual(
      moved(head + keeper + caller(call('other', '%r1') + call('g', '%r2')), checked).refusals,
      [],
    );
    assert.match(
      refusalOf(head + keeper + caller(call('g', '%r2') + call('g', '%r1')), checked),
      /the call in k/,
    );
  });

  it('follows them through functions, recursion and lists of targets', () => {
    const middle = caller(call('g', '%r2'), 'm', '.func');
    const outer = `.entry k()\n{\n.reg .b32 %r<9>;\nmov.u32 %r1, %laneid;\n{\n.param .b32 a;\nst.param.b32 [a], %r1;\ncall m, (a);\n}\nret;\n}\n`;
    assert.match(refusalOf(head + keeper + middle + outer, checked), /the call in m fills/);
    assert.deepEqual(
      moved(head + keeper + middle + outer.replace('%laneid', '%ctaid.x'), checked).refusals,
      [],
    );
    const turn = keeper.replace(
      /ret;\n\}\n$/,
      `{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %i;\ncall (b), g, (a);\n}\nret;\n}\n`,
    );
    assert.match(refusalOf(head + turn + caller(call('g', '%r1')), checked), /the call in k fills/);
    assert.deepEqual(moved(head + turn + caller(call('g', '%r2')), checked).refusals, []);
    const listed = caller(
      `T: .calltargets g;\n.reg .b64 %f;\nmov.u64 %f, g;\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], %r1;\ncall (b), %f, (a), T;\n}`,
    );
    assert.match(refusalOf(head + keeper + listed, checked), /the call in k fills/);
  });

  it('follows registers as parameters', () => {
    const old =
      '.func (.reg .b32 r) g(.reg .b32 i)\n{\n.local .b32 x;\nst.local.u32 [x], i;\nmov.u32 r, i;\nret;\n}\n';
    assert.match(
      refusalOf(head + old + caller('call (%r3), g, (%r1);'), checked),
      /parameter i, which the call in k/,
    );
    assert.deepEqual(moved(head + old + caller('call (%r3), g, (%r2);'), checked).refusals, []);
  });

  it('follows them through registers', () => {
    const indirect = (value: string, taken = 'mov.u64 %f, g;'): string =>
      caller(
        `.reg .b64 %f;\n${taken}\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n{\n.param .b32 a;\n.param .b32 b;\nst.param.b32 [a], ${value};\ncall (b), %f, (a), P;\n}`,
      );
    assert.match(
      refusalOf(head + keeper + indirect('%r1'), checked),
      /parameter i, which the call in k fills/,
    );
    assert.deepEqual(moved(head + keeper + indirect('%r2'), checked).refusals, []);
    // a table of functions
    const table = '.global .u64 table[1] = {g};\n';
    const loaded = indirect('%r1', 'ld.global.u64 %f, [table];');
    assert.match(
      refusalOf(head + keeper + table + loaded, checked),
      /parameter i, which the call in k fills/,
    );
  });

  it('says where no caller is in sight', () => {
    const alone = moved(head + keeper, checked);
    assert.deepEqual(alone.refusals, []);
    assert.deepEqual(
      alone.notes.map(({ severity, message }) => `${severity}: ${message}`),
      ['note: no call of g is in sight: its parameters are taken as equal in all lanes of a warp'],
    );
    assert.deepEqual(moved(head + keeper + caller(call('g', '%r2')), checked).notes, []);
    assert.deepEqual(moved(head + keeper, { lanes: 'uniform' }).notes, []);
  });

  it('follows the address of a frame to who stores there', () => {
    const giver = caller(
      `.local .b32 y;\n.reg .b64 %a;\ncvta.local.u64 %a, y;\n{\n.param .b64 a;\nst.param.b64 [a], %a;\ncall w, (a);\n}`,
    );
    const writer = (value: string, code = 'st.u32 [%p], %v;'): string =>
      `.func w(.param .b64 a)\n{\n.reg .b64 %p;\n.reg .b32 %v;\n.reg .pred %q;\nld.param.u64 %p, [a];\nmov.u32 %v, ${value};\n${code}\nret;\n}\n`;
    assert.match(
      refusalOf(head + writer('%tid.x') + giver, checked),
      /the frame's address is handed over here, and w stores %v with 'st\.u32'.*--per-lane/,
    );
    assert.deepEqual(moved(head + writer('%tid.y') + giver, checked).refusals, []);
    assert.deepEqual(
      moved(head + writer('%tid.x', 'setp.eq.u32 %q, %v, 0;\n@%q st.u32 [%p], %v;') + giver, checked)
        .refusals,
      [],
    );
    assert.deepEqual(moved(head + writer('%tid.x', 'st.global.u32 [%p], %v;') + giver, checked).refusals, []);
  });

  it('lets one lane call with what it likes', () => {
    assert.deepEqual(
      moved(
        head + keeper + caller(`setp.ne.u32 %p, %r1, 0;\n@%p bra DONE;\n${call('g', '%r1')}\nDONE:`),
        checked,
      ).refusals,
      [],
    );
  });

  const keepsResult = (of: string, value: string): string =>
    caller(`.local .b32 y;\n${call(of, value)}\nst.local.u32 [y], %r3;`);

  it('follows results', () => {
    const number =
      '.func (.param .b32 r) q(.param .b32 i)\n{\n.reg .b32 %i;\nmov.u32 %i, %laneid;\nst.param.b32 [r], %i;\nret;\n}\n';
    assert.match(
      refusalOf(head + number + keepsResult('q', '%r2'), checked),
      /keeps %r3.*it comes from the call of q/,
    );
    const through =
      number +
      caller(call('q', '%r2'), 'm', '.func (.param .b32 r)').replace(
        '\nret;',
        '\nst.param.b32 [r], %r3;\nret;',
      );
    assert.match(refusalOf(head + through + keepsResult('m', '%r2'), checked), /it comes from the call of m/);
    const equal = number.replace('%laneid', '%ctaid.x');
    assert.deepEqual(moved(head + equal + keepsResult('q', '%r2'), checked).refusals, []);
    // what is made of an argument differs with it
    assert.match(
      refusalOf(head + equal + keepsResult('q', '%r1'), checked),
      /it comes from the call of q|%tid/,
    );
    // lanes that return on different ways
    const apart = number.replace(
      'mov.u32 %i, %laneid;',
      '.reg .pred %p;\nmov.u32 %i, %laneid;\nsetp.lt.u32 %p, %i, 3;\nmov.u32 %i, 1;\nst.param.b32 [r], 0;\n@%p ret;',
    );
    assert.match(refusalOf(head + apart + keepsResult('q', '%r2'), checked), /the call of q/);
  });

  it('would give wrong results', () => {
    // the sum of what each lane has kept, behind a barrier, must be its own number
    const body = keeper.replace(
      'st.param.b32 [r], %i;',
      'bar.sync 0;\nld.local.u32 %i, [x];\nst.param.b32 [r], %i;',
    );
    const kernel = `.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<4>;\nmov.u32 %r1, %tid.x;\n${call('g', '%r1')}\nld.param.u64 %rd1, [out];\nmad.wide.u32 %rd2, %r1, 4, %rd1;\nst.global.u32 [%rd2], %r3;\nret;\n}\n`;
    const text = head + body + kernel;
    const ran = (source: string, stacks: object): readonly number[] =>
      asWords(
        runWell(source, {
          entry: 'k',
          block: [4, 1, 1],
          lanes: 4,
          buffers: { out: new Uint8Array(16) },
          arguments: [{ address: 'out' }],
          ...stacks,
        }).memory.get('out'),
      );
    const stacks = (holder: 'warp' | 'thread', slots: string): object => ({
      stacks: { bytes: 256, holder, slots },
    });
    assert.deepEqual(ran(text, {}), [0, 1, 2, 3]);
    assert.notDeepEqual(ran(moved(text).text, stacks('warp', '__nvptx_stacks')), [0, 1, 2, 3]);
    assert.deepEqual(
      ran(moved(text, { lanes: 'own' }).text, stacks('thread', '__lane_stacks')),
      [0, 1, 2, 3],
    );
    assert.match(refusalOf(text, checked), /parameter i/);
  });

  it('follows a long chain of calls', () => {
    const chain = (count: number): string =>
      Array.from({ length: count }, (_, n) =>
        caller(call(n === 0 ? 'g' : `m${n - 1}`, '%r2'), `m${n}`, '.func (.param .b32 r)'),
      ).join('');
    assert.match(
      refusalOf(`${head}${keeper}${chain(300)}${caller(call('m299', '%r1'))}`, checked),
      /the call in m0 fills/,
    );
  }).timeout(20_000);
});
