import assert from 'node:assert/strict';
import { mixed, saxpyAllocation, saxpyIr, saxpySelection, spilled, sumFork } from './kernels.js';
import { parseBeignet } from '../../../../server/src/languages/gen-ir/beignet/parse.js';
import {
  beside,
  bound,
  classOfRegister,
  linesOf,
  lowered,
  problemsOf,
  selection,
  shown,
  successorsOf,
} from './support.js';

const errorsOf = (text: string): string[] =>
  problemsOf(text)
    .filter((p) => p.severity !== 'hint')
    .map((p) => `${p.code}: ${text.slice(p.span.start, p.span.end)}`);

describe('Beignet: selection IR', () => {
  it('reads all kernels without a fault', () => {
    for (const text of [saxpyIr, saxpySelection, saxpyAllocation, sumFork, mixed, spilled])
      assert.deepEqual(errorsOf(text), []);
  });

  it('F9 tells a virtual flag, a physical one and four blanks apart', () => {
    const text = selection(
      '(f44)\tIF(16)              :\t0:D\t',
      '(f0.1)\tSEL(16)             %51<1>:F\t:\t%45<8,8,1>:F\t%46<8,8,1>:F\t',
      '    \tENDIF(16)           :\t0:D\t',
    );
    const [branch, sel, end] = linesOf(text, 'selection');
    assert.equal(branch.predicate?.flag.kind, 'virtual');
    assert.equal(branch.predicate.flag.register.number, 44);
    assert.deepEqual(sel.predicate?.flag.kind === 'physical' && sel.predicate.flag.number, 1);
    assert.equal(end.predicate, undefined);
    const f = lowered(text);
    // the bool is a virtual register, the physical flag is none: two kinds of place
    assert.deepEqual(shown(f, 0).slice(-1), ['ug %44 v:UW']);
    assert.deepEqual(shown(f, 1).slice(-1), ['ug p1.1 f0.1:UW']);
    assert.equal(classOfRegister(f, '%44'), 'bool');
  });

  it('F9 reads V on a register as DF, V on digits as a vector, nothing as HF', () => {
    const f = lowered(
      selection(
        '    \tADD(8)              %50<1>:V\t:\t%51<4,4,1>:V\t%52<4,4,1>:V\t',
        '    \tMOV(8)              %53<1>:\t:\t%54<8,8,1>:\t',
        '    \tMOV(8)              %55<1>:UW\t:\t0x76543210:V\t',
      ),
    );
    assert.deepEqual(shown(f, 0), ['add(8)', 'd %50 v:DF', 'u %51 v:DF', 'u %52 v:DF']);
    assert.deepEqual(shown(f, 1), ['mov(8)', 'd %53 v:HF', 'u %54 v:HF']);
    assert.deepEqual(shown(f, 2), ['mov(8)', 'd %55 v:UW', 'u - #V:76543210']);
    assert.deepEqual(
      ['%50', '%53', '%55'].map((name) => classOfRegister(f, name)),
      ['qword', 'word', 'word'],
    );
  });

  it('F9 marks the graph incomplete where a target is lost, and says so once', () => {
    assert.deepEqual(errorsOf(saxpySelection), []);
    const lost = problemsOf(saxpySelection).filter((p) => p.code === 'dump/lost-branch');
    assert.equal(lost.length, 1);
    assert.equal(saxpySelection.slice(lost[0].span.start, lost[0].span.end), 'JMPI');
    const f = lowered(saxpySelection);
    assert.equal(f.attributes.graph, 'incomplete');
    assert.deepEqual(
      [0, 1, 2].map((b) => successorsOf(f, b)),
      [[1], [2], []],
    );
    assert.equal(lowered(mixed).attributes.graph, undefined);
  });

  it('finds IF, ELSE and ENDIF again by their nesting', () => {
    const f = lowered(mixed);
    assert.deepEqual(f.blockNames, ['L0', 'L1', 'L2', 'L3']);
    assert.deepEqual(
      [0, 1, 2, 3].map((b) => successorsOf(f, b)),
      [[1, 2], [2, 3], [3], []],
    );
    assert.equal(shown(f, 2)[0], 'if(16) pred=+v target=2');
    assert.equal(shown(f, 5)[0], 'else(16) target=3');
  });

  it('reports an ENDIF without IF, and an IF without ENDIF', () => {
    const text = selection('    \tENDIF(16)           :\t0:D\t', '(f4)\tIF(16)              :\t0:D\t');
    assert.deepEqual(errorsOf(text), ['isa/nesting: ENDIF', 'isa/nesting: IF']);
  });

  it('reads the targets that forks print, in both manners', () => {
    const f = lowered(sumFork);
    assert.equal(f.attributes.graph, undefined);
    assert.deepEqual(
      [0, 1, 2].map((b) => successorsOf(f, b)),
      [[1], [2, 1], []],
    );
    const other = lowered(
      selection('    \t  L0:', '(-f44.any8h)\tBRC(8)              :\t0:D\t; jip=L0 uip=L1', '    \t  L1:'),
    );
    assert.deepEqual(successorsOf(other, 0), [1, 0]);
    assert.equal(shown(other, 1)[0], 'brc(8) pred=-v.any8h target=0');
  });

  it('reads what else forks print', () => {
    const f = lowered(sumFork);
    assert.deepEqual(shown(f, 5), ['add(8) sat', 'd %50 v:F', 'u %50 v:F', 'u %52 v:F']);
    assert.deepEqual(shown(f, 7), [
      'cmp(8) cond=g.v',
      'd - null:D',
      'u %51 v:D',
      'u - #D:00000000',
      'd %44 v:UW',
    ]);
    assert.equal(shown(f, 10)[0], 'untyped_write(8) nomask group=8 AccWrEn');
    assert.deepEqual(
      problemsOf(sumFork).map((p) => p.code),
      [],
    );
  });

  it('takes the flag of a comparison from the predicates behind it, in order, and says so once', () => {
    const text = selection(
      '    \tCMP.l(16)           arf     \t:\t%1<8,8,1>:D\t0:D\t',
      '    \tCMP.g(16)           arf     \t:\t%1<8,8,1>:D\t5:D\t',
      '    \tCMP.eq(16)          arf     \t:\t%1<8,8,1>:D\t7:D\t',
      '(f0.1)\tSEL(16)             %60<1>:UW\t:\t%28<0,1,0>:UW\t%27<0,1,0>:UW\t',
      '(f50)\tMOV(16)             %61<1>:D\t:\t1:D\t',
      '(f51)\tMOV(16)             %61<1>:D\t:\t2:D\t',
      '    \tCMP.le(16)          arf     \t:\t%1<8,8,1>:D\t9:D\t',
    );
    const f = lowered(text);
    const flagOf = (i: number): string => shown(f, i).at(-1) ?? '';
    assert.deepEqual(
      [0, 1, 2, 6].map((i) => [shown(f, i)[0], flagOf(i)]),
      [
        ['cmp(16) cond=l.v', 'd %50 v:UW'],
        ['cmp(16) cond=g.v', 'd %51 v:UW'],
        ['cmp(16) cond=z.f0.1', 'd p1.1 f0.1:UW'],
        // nobody reads it: Beignet's flag for the moment
        ['cmp(16) cond=le.f0.1', 'd p1.1 f0.1:UW'],
      ],
    );
    assert.equal(problemsOf(text).filter((p) => p.code === 'dump/lost-flag').length, 1);
    // a predicated write leaves the other lanes; a selection writes them all
    assert.equal(shown(f, 4)[1], 'd? %61 v:D');
    assert.equal(shown(f, 3)[1], 'd %60 v:UW');
  });

  it('infers families from types, regions and lanes', () => {
    const f = lowered(mixed);
    const expected: [string, string][] = [
      ['%0', 'dword'],
      ['%60', 'bool'],
      ['%61', 'qword'],
      ['%28', 'uniform word'],
      ['%73', 'word'],
      // bytes 4 to 12, one lane at a time: a header
      ['%72', 'reg'],
    ];
    for (const [name, family] of expected) assert.equal(classOfRegister(f, name), family, name);
    assert.equal(f.attributes.width, 16);
    assert.deepEqual(shown(f, 12), ['mov(1)', 'd~ %72 v+4:UD', 'u %72 v+8<0>:UD']);
    assert.deepEqual(shown(f, 11), ['rsq(16)', 'd %71 v:F', 'u %65 -|v|:F']);
  });

  it('prefers the register allocation behind it, then the GEN IR of the same kernel', () => {
    const apart = lowered(saxpySelection);
    assert.equal(classOfRegister(apart, '%45'), 'bool');
    assert.equal(classOfRegister(apart, '%46'), 'dword');
    const ir = parseBeignet(saxpyIr.replace('.decl.dword %46', '.decl.qword %46'));
    const declared = lowered(saxpySelection, beside(ir));
    assert.equal(classOfRegister(declared, '%46'), 'qword');
    const together = lowered(saxpySelection + saxpyAllocation, beside(ir));
    assert.equal(classOfRegister(together, '%46'), 'dword');
    assert.equal(classOfRegister(together, '%9'), 'uniform dword');
  });

  it('writes pieces as partial, and leaves out nothing that covers the register', () => {
    const f = lowered(
      selection(
        '    \tMOV(16)             %50<1>:UD\t:\t0x1:UD\t',
        '    \tMOV(8)              %50<1>:UD\t:\t0x1:UD\t',
        '    \tMOV(16)             %51<4>:UB\t:\t0x1:UD\t',
        '    \tMOV(16)             %52<2>:UB\t:\t0x1:UD\t',
        '    \tMOV(16)             %53<2>:UD\t:\t0x1:UD\t',
        '    \tMOV(1)              %54<1>:UD\t:\t0x1:UD\t',
      ),
    );
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((i) => shown(f, i)[1].split(' ')[0]),
      ['d', 'd~', 'd~', 'd', 'd~', 'd'],
    );
  });

  it('never takes a hardware register for a virtual one of the same number', () => {
    const f = lowered(
      selection(
        '    \tMOV(8)              g120<1>:F\t:\t%120<8,8,1>:F\t',
        '    \tADD(8)              %50<1>:F\t:\tg120<8,8,1>:F\tg121.16<0,1,0>:F\t',
      ),
    );
    assert.deepEqual(shown(f, 0), ['mov(8)', 'd p0.120 g120:F', 'u %120 v:F']);
    assert.deepEqual(shown(f, 1), ['add(8)', 'd %50 v:F', 'u p0.120 g120:F', 'u p0.121 g121+16<0>:F']);
  });

  it('says what is wrong with a half-typed line, and lowers the rest', () => {
    const text = selection(
      '    \tADD(16)             %50<1>:F\t:\t%45<8,8,1>:F\t%<8>:F\t',
      '    \tADD                 %50<1>:F\t:\t%45<8,8,1>:F\t',
      '    \t',
      '    \tMOV(16)             %50<1>:Z\t:\t%45<8,8,1>:F\t',
      '    \tMOV(16)             %50<1>:F\t:\t%45<8,8,1>:F\t',
      '    \tFROB(16)            %50<1>:F\t:\t%45<8,8,1>:F\t',
    );
    assert.deepEqual(errorsOf(text), [
      'syntax/operand: %<8>:F',
      'syntax/operand: ADD',
      'syntax/operand: ',
      'syntax/operand: %50<1>:Z',
      'isa/unknown-instruction: FROB',
    ]);
    assert.equal(lowered(text).instructionCount, 2);
  });

  it('takes what is no line of a section for trivia', () => {
    const text = `Beignet: "unable to find good values for local_work_size[i]"\n${saxpySelection}Elapsed: [3 ms]\n`;
    assert.deepEqual(errorsOf(text), []);
    assert.equal(bound(text).code.length, 14);
  });
});
