import type { Settings } from '../../../server/src/workspace/settings.js';
import { defaultSettings } from '../../../server/src/workspace/settings.js';
import type { Snapshot } from '../../../server/src/workspace/snapshot.js';
import { Document } from '../../../server/src/workspace/document.js';
import { toyLanguage } from './language.js';
import { toyTarget } from './target.js';

/** A snapshot of toy text by the real document store; `registers` is the toy machine's limit. */
export function toySnapshot(text: string, registers?: number, settings: Partial<Settings> = {}): Snapshot {
  const targets = registers === undefined ? {} : { 'toy-machine': { registers } };
  return Document.open(
    'file:///a.toy',
    { language: toyLanguage, target: toyTarget },
    1,
    text,
    { ...defaultSettings, targets, ...settings },
    (error) => {
      throw error;
    },
  );
}

/** Scopes, a range, a loop with two definitions, predicates, calls, globals, a forward declaration, a link. */
export const program = `version 2
use "lib/math.toy"
global table 64
# adds
fn helper
kernel main(n, out) {
  reg a, b, unused, r<4>
  wide w
  pred p
  const a, 1
  const r0, 0
top:
  load b, [a]
  add r0, r0, b
  less p, r0, a
  @p move b, a
  branch p, top
  { reg a
    const a, 2
    store [a], b }
  address w, table
  store [w], r0
  call helper
  ret
}
fn helper {
  call main
  ret
}
`;

/** Half-typed, wrong and empty things. */
export const broken = `versio 3
kernel k( {
  add a,
  const q, 1
  jump nowhere
  { reg x
  load [
`;
