import fc from 'fast-check';

/** Pieces of gpir as people write and half write it. */

const value = fc.constantFrom('%a', '%b', '%c', '-%a', '- %b', '%', '%long.name');
const register = fc.constantFrom('@r', '@s', '-@r', '$3.x', '$16.x', '$3', '@');
const location = fc.constantFrom('a0.x', 'u1.y', 'v2.z', 't3.w', '-u0.x', 'a16.x', 'a0', 'u0.r');
const number = fc.constantFrom('1', '-2.5', '0x3f800000', 'inf', '1e5', '- 1', '1.2.3', '.5', '0x');
const label = fc.constantFrom('loop', 'end', '0', 'nowhere');
const operand = fc.oneof(value, value, register, location, number, label);
const opcode = fc.constantFrom('add', 'mul', 'mov', 'select', 'rcp', 'ad', 'complex1', 'sub', '');

const instruction = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('%a = ', '%b = ', '%c = ', '', '%a ', '%x ='),
      opcode,
      fc.array(operand, { maxLength: 4 }),
      fc.constantFrom(', ', ',', ' '),
    )
    .map(([result, name, operands, separator]) => `${result}${name} ${operands.join(separator)}`),
  location.map((from) => `%a = ld_att ${from}`),
  location.map((from) => `%b = ld_uni ${from}`),
  register.map((from) => `%c = ld_reg ${from}`),
  fc.tuple(location, operand).map(([to, from]) => `st_var ${to}, ${from}`),
  fc.tuple(register, operand).map(([to, from]) => `st_reg ${to}, ${from}`),
  fc.tuple(location, operand).map(([to, from]) => `st_tmp ${to}, ${from}`),
  fc.tuple(label, operand).map(([to, from]) => `branch_cond ${to}, ${from}`),
  label.map((to) => `branch ${to}`),
);

const directive = fc.constantFrom(
  '.program lit',
  '.program two',
  '.program',
  '.attribute a0 in_position',
  '.uniform u3 light',
  '.varying v0 p position',
  '.varying v1 p point_siz',
  '.live_out @r, $3.x',
  '.live_out @r @s,',
  '.thing',
);

const line = fc.oneof(
  { weight: 6, arbitrary: instruction },
  { weight: 2, arbitrary: directive },
  { weight: 2, arbitrary: label.map((name) => `${name}:`) },
  { weight: 1, arbitrary: fc.constantFrom('; comment', '// comment', '', '# no comment', '  ') },
);

/** A line, with its end. */
export const gpirPiece: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('', '  ', '\t'),
    line,
    fc.constantFrom('\n', '\n', '\n', '\r\n', '\r', ' ; why\n', ''),
  )
  .map((parts) => parts.join(''));

export const gpirText: fc.Arbitrary<string> = fc
  .array(gpirPiece, { maxLength: 20 })
  .map((pieces) => pieces.join(''));

/** What is typed in one go. */
export const gpirTyping: fc.Arbitrary<string> = fc.oneof(
  gpirPiece,
  operand,
  fc.constantFrom('\n', ' ', ',', '=', '%', '.', ':', ';', '-', '.program x\n', 'x', '1'),
  fc.string({ maxLength: 5 }),
);
