import { strict as assert } from 'node:assert';
import { fromHalf, restrictedFloat, toHalf } from '../../../../server/src/targets/gen/simulate/numbers.js';
import { f0, imm, ins, v } from '../../../support/gen-machine.js';
import { bitsOf, one, scalar } from '../../../support/gen-result.js';

describe('gen interpreter: numbers', () => {
  it('half precision is what IEEE 754 says', () => {
    const known: [number, number][] = [
      [0x0001, 2 ** -24],
      [0x03ff, 1023 * 2 ** -24],
      [0x0400, 2 ** -14],
      [0x3c00, 1],
      [0xc000, -2],
      [0x7bff, 65504],
      [0x7c00, Infinity],
    ];
    for (const [bits, value] of known) {
      assert.equal(fromHalf(bits), value);
      assert.equal(toHalf(value), bits);
    }
    assert.equal(toHalf(1 + 2 ** -11), 0x3c00, 'a tie goes to even');
    assert.equal(toHalf(1 + 3 * 2 ** -11), 0x3c02, 'a tie goes to even');
    assert.equal(toHalf(65520), 0x7c00, 'half way to 2^16 overflows');
    assert.equal(toHalf(2 ** -25), 0, 'half of the smallest is a tie');
    for (let bits = 0; bits < 0x7c00; bits += 7) assert.equal(toHalf(fromHalf(bits)), bits);
  });
  it('packed floats have three bits of exponent', () => {
    assert.equal(restrictedFloat(0x30), 1);
    assert.equal(restrictedFloat(0x38), 1.5);
    assert.equal(restrictedFloat(0xc0), -2);
    assert.equal(restrictedFloat(0x00), 0);
    assert.equal(restrictedFloat(0x7f), 31);
    assert.equal(restrictedFloat(0x01), 0.1328125);
  });
});

describe('gen interpreter: arithmetic', () => {
  it('integers wrap, and clamp when told to saturate', () => {
    assert.equal(
      one(
        'add',
        [
          [0x7fff_ffff, 'D'],
          [1, 'D'],
        ],
        'D',
      ),
      -0x8000_0000,
    );
    assert.equal(
      one(
        'add',
        [
          [0x7fff_ffff, 'D'],
          [1, 'D'],
        ],
        'D',
        { saturate: true },
      ),
      0x7fff_ffff,
    );
    assert.equal(
      one(
        'mul',
        [
          [0x10001, 'UD'],
          [0x10001, 'UD'],
        ],
        'UD',
      ),
      0x0002_0001,
    );
    assert.equal(
      one(
        'add',
        [
          [-1, 'D'],
          [-1, 'D'],
        ],
        'UD',
        { saturate: true },
      ),
      0,
    );
    assert.equal(
      one(
        'mul',
        [
          [-3, 'D'],
          [7, 'D'],
        ],
        'D',
      ),
      -21,
    );
  });
  it('floats round once to 24 bits', () => {
    // 1 + 2^-24 is half way between 1 and its successor: even wins.
    assert.equal(
      one(
        'add',
        [
          [1, 'F'],
          [2 ** -24, 'F'],
        ],
        'F',
      ),
      bitsOf(1),
    );
    assert.equal(
      one(
        'add',
        [
          [1, 'F'],
          [3 * 2 ** -24, 'F'],
        ],
        'F',
      ),
      bitsOf(1 + 2 ** -22),
    );
    assert.equal(
      one(
        'mul',
        [
          [2 ** 100, 'F'],
          [2 ** 100, 'F'],
        ],
        'F',
      ),
      bitsOf(Infinity),
    );
  });
  it('a multiply-and-add rounds once', () => {
    // (1+2^-12)^2 - 1 - 2^-11 = 2^-24 exactly; with a rounded product it would be 0.
    const x = 1 + 2 ** -12;
    assert.equal(
      one(
        'mad',
        [
          [-1 - 2 ** -11, 'F'],
          [x, 'F'],
          [x, 'F'],
        ],
        'F',
      ),
      bitsOf(2 ** -24),
    );
  });
  it('saturated floats lie in the unit interval, and NaN becomes 0', () => {
    assert.equal(one('mov', [[3, 'F']], 'F', { saturate: true }), bitsOf(1));
    assert.equal(one('mov', [[-3, 'F']], 'F', { saturate: true }), 0);
    assert.equal(one('mov', [[NaN, 'F']], 'F', { saturate: true }), 0);
  });
  it('floats become integers by cutting, and clamp', () => {
    assert.equal(one('mov', [[-2.75, 'F']], 'D'), -2);
    assert.equal(one('mov', [[3e9, 'F']], 'D'), 0x7fff_ffff);
    assert.equal(one('mov', [[-1, 'F']], 'UD'), 0);
  });
  it('shifts, fields and counts', () => {
    assert.equal(
      one(
        'asr',
        [
          [-8, 'D'],
          [1, 'D'],
        ],
        'D',
      ),
      -4,
    );
    assert.equal(
      one(
        'shr',
        [
          [-8, 'D'],
          [1, 'D'],
        ],
        'D',
      ),
      0x7fff_fffc,
    );
    assert.equal(
      one(
        'shl',
        [
          [3, 'D'],
          [33, 'D'],
        ],
        'D',
      ),
      6,
    );
    assert.equal(one('bfrev', [[1, 'UD']], 'D'), -0x8000_0000);
    assert.equal(one('cbit', [[0xf0f, 'UD']], 'UD'), 8);
    assert.equal(one('lzd', [[1, 'UD']], 'UD'), 31);
    assert.equal(one('fbl', [[0x50, 'UD']], 'UD'), 4);
    assert.equal(one('fbh', [[-2, 'D']], 'D'), 31);
    assert.equal(
      one(
        'bfe',
        [
          [4, 'D'],
          [4, 'D'],
          [0x1f3, 'D'],
        ],
        'D',
      ),
      -1,
    );
    assert.equal(
      one(
        'bfe',
        [
          [4, 'UD'],
          [4, 'UD'],
          [0x1f3, 'UD'],
        ],
        'D',
      ),
      15,
    );
    assert.equal(
      one(
        'bfi1',
        [
          [3, 'UD'],
          [4, 'UD'],
        ],
        'D',
      ),
      0x70,
    );
    assert.equal(
      one(
        'bfi2',
        [
          [0xf0, 'UD'],
          [0xaa, 'UD'],
          [0x55, 'UD'],
        ],
        'D',
      ),
      0xa5,
    );
  });
  it('the upper half of a product', () => {
    assert.equal(
      one(
        'mach',
        [
          [0x8000_0000, 'UD'],
          [6, 'UD'],
        ],
        'UD',
      ),
      3,
    );
    assert.equal(
      one(
        'mach',
        [
          [-1, 'D'],
          [1, 'D'],
        ],
        'D',
      ),
      -1,
    );
  });
  it('a minimum takes the number where the other is none', () => {
    const condition = { test: 'l', flag: f0 } as const;
    assert.equal(
      one(
        'sel',
        [
          [NaN, 'F'],
          [2, 'F'],
        ],
        'F',
        { condition },
      ),
      bitsOf(2),
    );
    assert.equal(
      one(
        'sel',
        [
          [1, 'F'],
          [2, 'F'],
        ],
        'F',
        { condition },
      ),
      bitsOf(1),
    );
  });
  it('a move without a change keeps the payload of a NaN', () => {
    const nan = 0x7fa1_2345;
    const moves = [ins('mov', v(0, { type: 'UD' }), [imm(nan, 'UD')]), ins('mov', v(1), [v(0)])];
    assert.equal(scalar(moves, 1)[0], nan);
  });
  it('64-bit integers', () => {
    const long = [
      ins('mov', v(0, { type: 'UQ' }), [imm(-1, 'D')]),
      ins('add', v(1, { type: 'Q' }), [v(0, { type: 'Q' }), imm(2, 'D')]),
      ins('mov', v(2, { type: 'D' }), [v(1, { type: 'Q' })]),
    ];
    assert.equal(scalar(long, 2)[0], 1);
  });
});
