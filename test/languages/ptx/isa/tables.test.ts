import assert from 'node:assert/strict';
import { checks } from '../../../../server/src/languages/ptx/isa/checks.js';
import { compiledForms, opcodeOf } from '../../../../server/src/languages/ptx/isa/opcode.js';
import type { Element } from '../../../../server/src/languages/ptx/isa/modifiers.js';
import { versionRank } from '../../../../server/src/languages/ptx/isa/versions.js';
import { instructionEntries, tables } from '../../../../server/src/languages/ptx/isa/tables/index.js';

/** The modifiers that take the first alternative everywhere, with or without what may be left out. */
function sample(elements: readonly Element[], withOptional: boolean, pick: number): string[] {
  return elements.flatMap((element) =>
    element.kind === 'one'
      ? [element.values[Math.min(pick, element.values.length - 1)]]
      : withOptional
        ? sample(element.elements, withOptional, pick)
        : [],
  );
}

describe('ptx instruction tables', () => {
  it('has one entry an opcode', () => {
    const opcodes = tables.flat().map((entry) => entry.opcode);
    const twice = opcodes.filter((opcode, i) => opcodes.indexOf(opcode) !== i);
    assert.deepEqual(twice, []);
  });

  it('every pattern compiles and resolves with every value of its sets', () => {
    const faults: string[] = [];
    for (const entry of instructionEntries()) {
      try {
        for (const { form, modifiers } of compiledForms(entry)) {
          const most = Math.max(
            1,
            ...Object.values(form.sets ?? {}).map((values) => values.split(' ').length),
          );
          for (let pick = 0; pick < most; pick++) {
            for (const withOptional of [false, true]) {
              const chosen = [modifiers.name, modifiers.rest].flatMap((part) =>
                sample(part, withOptional, pick),
              );
              const text = [entry.opcode, ...chosen].join('.');
              if (opcodeOf(text).forms.length === 0) faults.push(`${text} does not match its own form`);
            }
          }
        }
      } catch (error) {
        faults.push(`${entry.opcode}: ${String(error)}`);
      }
    }
    assert.deepEqual(faults, []);
  });

  it('every check, gate and version named in a form exists', () => {
    const faults: string[] = [];
    for (const entry of instructionEntries()) {
      const known = new Set(compiledForms(entry).flatMap((form) => [...form.modifiers.vocabulary]));
      for (const { form } of compiledForms(entry)) {
        for (const name of (form.checks ?? '').split(' '))
          if (name !== '' && !Object.hasOwn(checks, name)) faults.push(`${entry.opcode}: check '${name}'`);
        for (const [name, gate] of Object.entries(form.gates ?? {})) {
          if (!known.has(name.slice(1))) faults.push(`${entry.opcode}: gate of '${name}'`);
          if (Number.isNaN(versionRank(gate.isa ?? '1.0'))) faults.push(`${entry.opcode}: gate ${name}`);
        }
        if (Number.isNaN(versionRank(form.isa ?? '1.0'))) faults.push(`${entry.opcode}: isa ${form.isa}`);
      }
    }
    assert.deepEqual(faults, []);
  });

  it('every entry says what it does', () => {
    const short = [...instructionEntries()].filter(
      (entry) => entry.text.length < 40 || !entry.text.endsWith('.'),
    );
    assert.deepEqual(
      short.map((entry) => entry.opcode),
      [],
    );
  });
});
