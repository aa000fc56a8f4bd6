import { floatBits } from '../../ir/payload.js';

/** Float32 numbers as text. */

/** The shortest decimal that is rounded to this float32. */
export function shortest(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0';
  for (let digits = 1; digits < 9; digits++) {
    const text = Number(value.toPrecision(digits));
    if (Math.fround(text) === value) return `${text}`;
  }
  return `${Number(value.toPrecision(9))}`;
}

const bitsText = (value: number): string => `0x${(floatBits(value) >>> 0).toString(16).padStart(8, '0')}`;

/** A number of the text: its value, its bits, what rounding to float32 made of it, and what it costs. */
export function numberText(written: string, value: number): string {
  const parts = [`**${shortest(value)}** = \`${bitsText(value)}\` *float32*`];
  const exact = /^[+-]?0x/i.test(written) ? value : Number(written);
  if (Number.isFinite(value) && Number.isFinite(exact) && exact !== value)
    parts.push(`Rounded: it is exactly ${value}.`);
  else if (Number.isFinite(exact) && !Number.isFinite(value)) parts.push('Too large for a float32.');
  parts.push(
    value === 0
      ? 'As second summand the machine has it for nothing; elsewhere it is a constant, read through the uniform port.'
      : value === 1
        ? 'As second factor the machine has it for nothing; elsewhere it is a constant, read through the uniform port.'
        : 'A constant above the uniforms, read through the uniform port; equal ones are kept once.',
  );
  return parts.join('\n\n');
}
