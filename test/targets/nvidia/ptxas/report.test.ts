import assert from 'node:assert/strict';
import fc from 'fast-check';
import { readReport, versionOf } from '../../../../server/src/targets/nvidia/ptxas/report.js';
import { entryLines } from '../../../support/fake-ptxas.js';
import { runs } from '../../../support/fuzz.js';

describe('reports of ptxas', () => {
  it('has the figures of each function, whatever stands between', () => {
    const report = readReport(
      [
        'ptxas info    : 0 bytes gmem',
        ...entryLines('a', 40),
        'ptxas info    : Compile time = 20.087 ms',
        ...entryLines('_Z1bPf', 32, 56),
        'ptxas info    : Function properties for helper',
        '    336 bytes stack frame, 8 bytes spill stores, 0 bytes spill loads',
      ].join('\r\n'),
    );
    assert.deepEqual(
      [...report.functions.values()],
      [
        { name: 'a', isEntry: true, registers: 40, stackBytes: 0, spillStoreBytes: 0, spillLoadBytes: 0 },
        {
          name: '_Z1bPf',
          isEntry: true,
          registers: 32,
          stackBytes: 56,
          spillStoreBytes: 56,
          spillLoadBytes: 56,
        },
        { name: 'helper', isEntry: false, stackBytes: 336, spillStoreBytes: 8, spillLoadBytes: 0 },
      ],
    );
    assert.deepEqual(report.messages, []);
  });

  it('has messages with their lines, and leaves out the one that says nothing', () => {
    const { messages, functions, isUnderstood } = readReport(
      [
        "ptxas /tmp/a b/x.ptx, line 9; error   : Unknown modifier '.s33'",
        "ptxas x.ptx, line 12; warning : Unknown pragma 'foo'",
        'ptxas fatal   : Unexpected non-ASCII character encountered on line 3',
        'ptxas warning : For profile sm_80 adjusting per thread register count of 16 to lower bound of 24',
        "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored to maintain minimum register requirements. in function 'k'",
        'ptxas fatal   : Ptx assembly aborted due to errors',
      ].join('\n'),
    );
    assert.ok(isUnderstood);
    assert.equal(functions.size, 0);
    assert.deepEqual(
      messages.map(({ severity, line, function: name }) => [severity, line, name]),
      [
        ['error', 9, undefined],
        ['warning', 12, undefined],
        ['error', 3, undefined],
        ['warning', undefined, undefined],
        ['information', undefined, 'k'],
      ],
    );
    assert.equal(messages[0].message, "Unknown modifier '.s33'");
  });

  it('takes any text, and understands none that is not of ptxas', () => {
    const piece = fc.oneof(
      fc.string(),
      fc.constantFrom('ptxas ', 'info    : ', '\n', 'Used 3 registers', '    '),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = pieces.join('');
        const report = readReport(text);
        if (!text.includes('ptxas ')) assert.equal(report.isUnderstood, false);
      }),
      { numRuns: runs(200) },
    );
    assert.equal(readReport('gcc: error: x\n'.repeat(1000)).isUnderstood, false);
  });

  it('knows the version', () => {
    assert.equal(versionOf('Cuda compilation tools, release 13.0, V13.0.88\n'), '13.0.88');
    assert.equal(versionOf('Python 3.12'), undefined);
  });
});
