/**
 * What instructions do with an address that they are given, as far as it can be followed from one way of numbering
 * bytes (the local window) to another (generic addresses):
 *
 *   copy         the same address
 *   add          address and distance; of `mad` the last operand is the address
 *   subtract     address less distance, or the distance of two addresses
 *   align        `and`: down to a power of two, or the low bits alone
 *   merge        `or` of low bits that alignment keeps clear: LLVM's way to add a small offset
 *   select       one of two addresses
 *   compare      two addresses
 *   access       the memory there; what is stored is the value of another operand
 *   to-generic   `cvta.local`; to-local: `cvta.to.local`; space-test: `isspacep`
 *   allocate     `alloca`; save, restore: `stacksave`, `stackrestore`
 *   none         anything else: no address survives it
 */
export type Rule =
  | 'copy'
  | 'add'
  | 'subtract'
  | 'align'
  | 'merge'
  | 'select'
  | 'compare'
  | 'access'
  | 'to-generic'
  | 'to-local'
  | 'space-test'
  | 'allocate'
  | 'save'
  | 'restore'
  | 'none';

const byBase: Readonly<Record<string, Rule>> = {
  mov: 'copy',
  mad: 'add',
  add: 'add',
  sub: 'subtract',
  and: 'align',
  or: 'merge',
  selp: 'select',
  setp: 'compare',
  set: 'compare',
  ld: 'access',
  st: 'access',
  atom: 'access',
  red: 'access',
  prefetch: 'access',
  prefetchu: 'access',
  isspacep: 'space-test',
  alloca: 'allocate',
  stacksave: 'save',
  stackrestore: 'restore',
};

/** By the whole dotted text. */
export function ruleOf(opcode: string): Rule {
  const [base, ...words] = opcode.split('.');
  if (words.includes('cc')) return 'none';
  if (base === 'cvta') {
    if (!words.includes('local')) return 'none';
    return words[0] === 'to' ? 'to-local' : 'to-generic';
  }
  if (base === 'cvt')
    return words.length === 2 && words.every((word) => /^[us]64$/.test(word)) ? 'copy' : 'none';
  return Object.hasOwn(byBase, base) ? byBase[base] : 'none';
}

/** Whether an access names the local window; `ld.local.u32`, `ld.weak.local.u32`. */
export const namesLocal = (opcode: string): boolean => /\.local(?=\.|$)/.test(opcode);

const spaces = /\.(global|shared|const|param|local)(::\w+)?(?=\.|$)/;

/** Whether an access says no state space, and so takes a generic address. */
export const isGenericAccess = (opcode: string): boolean => !spaces.test(opcode);
