/**
 * Values of constant expressions, as ptxas 13.0.88 computes them (probed by dividing by `expression - expected`):
 * integers have 64 bits and are signed unless a literal says `U`, does not fit, or a cast makes them unsigned; an
 * operation with an unsigned operand is unsigned. Unlike C, `~` and `%` are always unsigned, `?:` gives the chosen
 * operand with its own kind, and shift counts are taken modulo 64. Floating-point operands are doubles and do not
 * mix with integers. The exact form 0f takes no operator at all.
 */
export type Value =
  | {
      readonly kind: 'integer';
      /** Signed view of the 64 bits. */ readonly integer: bigint;
      readonly isUnsigned: boolean;
    }
  | { readonly kind: 'float'; readonly float: number; readonly width: 32 | 64 }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'fault'; readonly message: string };

export const UNKNOWN: Value = { kind: 'unknown' };

export const integerValue = (value: bigint, isUnsigned: boolean): Value => ({
  kind: 'integer',
  integer: BigInt.asIntN(64, value),
  isUnsigned,
});

const truth = (value: boolean): Value => integerValue(value ? 1n : 0n, false);
const fault = (message: string): Value => ({ kind: 'fault', message });
const double = (float: number): Value => ({ kind: 'float', float, width: 64 });

export function applyUnary(operator: string, value: Value): Value {
  if (value.kind === 'float') {
    if (value.width === 32) return fault('0f stands for exact bits and takes no operator');
    if (operator === '-') return double(-value.float);
    if (operator === '+') return value;
    return operator === '!' ? truth(value.float === 0) : fault(`${operator} needs an integer constant`);
  }
  if (value.kind !== 'integer') return UNKNOWN;
  switch (operator) {
    case '-':
      return integerValue(-value.integer, value.isUnsigned);
    case '~':
      return integerValue(~value.integer, true);
    case '!':
      return truth(value.integer === 0n);
    default:
      return value;
  }
}

export function applyBinary(operator: string, left: Value, right: Value): Value {
  if (left.kind === 'float' || right.kind === 'float') return applyToFloats(operator, left, right);
  if (left.kind !== 'integer' || right.kind !== 'integer') return UNKNOWN;
  const isUnsigned = left.isUnsigned || right.isUnsigned;
  const a = isUnsigned ? BigInt.asUintN(64, left.integer) : left.integer;
  const b = isUnsigned ? BigInt.asUintN(64, right.integer) : right.integer;
  switch (operator) {
    case '||':
      return truth(a !== 0n || b !== 0n);
    case '&&':
      return truth(a !== 0n && b !== 0n);
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '<=':
      return truth(a <= b);
    case '>':
      return truth(a > b);
    case '>=':
      return truth(a >= b);
    case '|':
      return integerValue(a | b, isUnsigned);
    case '^':
      return integerValue(a ^ b, isUnsigned);
    case '&':
      return integerValue(a & b, isUnsigned);
    case '+':
      return integerValue(a + b, isUnsigned);
    case '-':
      return integerValue(a - b, isUnsigned);
    case '*':
      return integerValue(a * b, isUnsigned);
    case '<<':
    case '>>':
      return shift(operator, left.integer, left.isUnsigned, right.integer);
    case '%':
      if (b === 0n) return fault('division by zero');
      return integerValue(BigInt.asUintN(64, a) % BigInt.asUintN(64, b), true);
    default:
      return b === 0n ? fault('division by zero') : integerValue(a / b, isUnsigned);
  }
}

/** A shift keeps the kind of its left operand; the count is taken modulo 64, as the x86 host does. */
function shift(operator: '<<' | '>>', value: bigint, isUnsigned: boolean, count: bigint): Value {
  const by = count & 63n;
  if (operator === '<<') return integerValue(value << by, isUnsigned);
  return integerValue((isUnsigned ? BigInt.asUintN(64, value) : value) >> by, isUnsigned);
}

function applyToFloats(operator: string, left: Value, right: Value): Value {
  if (left.kind === 'integer' || right.kind === 'integer')
    return fault('integer and floating-point constants do not mix in an expression');
  if (left.kind !== 'float' || right.kind !== 'float') return UNKNOWN;
  if (left.width === 32 || right.width === 32) return fault('0f stands for exact bits and takes no operator');
  const a = left.float;
  const b = right.float;
  switch (operator) {
    case '+':
      return double(a + b);
    case '-':
      return double(a - b);
    case '*':
      return double(a * b);
    case '/':
      return b === 0 ? fault('division by zero') : double(a / b);
    case '<':
      return truth(a < b);
    case '<=':
      return truth(a <= b);
    case '>':
      return truth(a > b);
    case '>=':
      return truth(a >= b);
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    default:
      return fault(`${operator} needs integer constants`);
  }
}

export function applyConditional(condition: Value, then: Value, otherwise: Value): Value {
  if (then.kind === 'float' || otherwise.kind === 'float' || condition.kind === 'float')
    return fault('?: needs integer constants');
  if (condition.kind !== 'integer' || then.kind !== 'integer' || otherwise.kind !== 'integer') return UNKNOWN;
  return condition.integer !== 0n ? then : otherwise;
}

export function applyCast(type: '.s64' | '.u64', value: Value): Value {
  if (value.kind === 'unknown' || value.kind === 'fault') return UNKNOWN;
  if (value.kind === 'float') return fault('a floating-point constant cannot be cast to an integer');
  return integerValue(value.integer, type === '.u64');
}
