import { Space } from '../../../ir/payload.js';
import type { Span } from '../../../text/span.js';
import { limits } from '../isa/machine.js';
import { spaceLetters, spaceNames } from '../locations.js';
import type { DeclareDirective, LocationOperand, PhysicalOperand } from '../tree.js';
import { report, shown, vectorName, type Context } from './context.js';

/**
 * How many vectors there are of each kind. The driver (Mesa's lima) offers less to a shader than the machine has:
 * 304 uniform vectors and 13 outputs.
 */
const vectors: Readonly<Record<Space, number>> = {
  [Space.Attribute]: limits.attributes,
  [Space.Uniform]: limits.uniforms,
  [Space.Varying]: limits.varyings,
  [Space.Temporary]: limits.uniforms,
};

const driverVectors: Readonly<Partial<Record<Space, number>>> = {
  [Space.Uniform]: 304,
  [Space.Varying]: 13,
};

/** Whether the machine has the location; says so when it, or the driver, has not. */
export const checkLocation = (context: Context, operand: LocationOperand): boolean =>
  check(context, operand.space, operand.index, vectorName(operand), {
    start: operand.name.start,
    end: operand.vectorEnd,
  });

export function checkDeclared(context: Context, { space, index, location }: DeclareDirective): void {
  if (location !== undefined) check(context, space, index, location.text, location);
}

function check(context: Context, space: Space, index: number, name: string, span: Span): boolean {
  const limit = vectors[space];
  const letter = spaceLetters[space];
  if (index >= limit) {
    report(
      context,
      'hw/location',
      'error',
      span,
      `there is no '${shown(name)}': the machine has the ${spaceNames[space]}s ${letter}0 to ${letter}${limit - 1}`,
    );
    return false;
  }
  const driver = driverVectors[space];
  if (driver === undefined || index < driver || context.warned.has((space << 24) | index)) return true;
  context.warned.add((space << 24) | index);
  report(
    context,
    'hw/driver-limit',
    'hint',
    span,
    `the driver offers ${driver} ${spaceNames[space]} vectors, ${letter}0 to ${letter}${driver - 1}: '${name}' is beyond what a GL shader gets`,
  );
  return true;
}

/** Whether the machine has the register `$3.x`; says so when it has not. */
export function checkPhysical(context: Context, { name, index }: PhysicalOperand): boolean {
  if (index < limits.registers) return true;
  report(
    context,
    'hw/location',
    'error',
    name,
    `there is no register '${shown(name.text)}': the machine has $0 to $${limits.registers - 1}, of four components each`,
  );
  return false;
}
