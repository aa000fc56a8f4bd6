import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { matchEnvironment, matchInstruction } from '../../../../server/src/languages/ptx/isa/match.js';
import { NameClass, packName, spaceId, typeId } from '../../../../server/src/languages/ptx/isa/types.js';
import type { NameOperand } from '../../../../server/src/languages/ptx/tree.js';
import { hasPtxas, judge, readSamples, registers, variables, type Sample } from './assembler.js';
import { instruction } from './instruction.js';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../../../../test/languages/ptx/isa/samples');

function typeOf(operand: NameOperand): number {
  const { text } = operand.name;
  const register = registers.get(/^%([a-z]+)\d+$/.exec(text)?.[1] ?? '');
  if (register !== undefined) return packName(NameClass.Register, typeId(register[0]));
  const variable = variables.get(text);
  if (variable === undefined)
    return text.startsWith('%') ? packName(NameClass.SpecialRegister, typeId('u32')) : 0;
  const [space] = variable;
  if (space === 'label') return packName(NameClass.Label, 0);
  if (space === 'function') return packName(NameClass.Function, 0);
  const isReference = space.endsWith('ref');
  return packName(
    NameClass.Variable,
    typeId(isReference ? space : 'b8'),
    0,
    Math.max(0, spaceId(isReference ? 'global' : space)),
  );
}

/** The first problem's code and message, or undefined. */
function verdict(sample: Sample): { code: string; message: string } | undefined {
  const environment = matchEnvironment(sample.version, sample.arch);
  return matchInstruction(instruction(sample.text), typeOf, environment).problems[0];
}

const show = (sample: Sample): string => `${sample.arch} ${sample.version} | ${sample.text}`;

const files = readdirSync(folder)
  .sort()
  .map((file) => ({
    file,
    samples: readSamples(readFileSync(join(folder, file), 'utf8')),
    isAccepted: file.endsWith('.accepted.txt'),
  }));

for (const { file, samples, isAccepted } of files)
  describe(`ptx samples, ${file}`, () => {
    it(isAccepted ? 'fit the tables' : 'are refused by the tables, for the right reason', () => {
      const faults = samples.flatMap((sample) => {
        const problem = verdict(sample);
        if (problem?.code === sample.code) return [];
        return [
          `${show(sample)}  => ${problem === undefined ? 'no problem' : `${problem.code}: ${problem.message}`}`,
        ];
      });
      assert.deepEqual(faults, []);
    });
  });

/** Widths of addresses are judged only when code is made for a machine. */
const needsMachine = (file: string): boolean => file.startsWith('addresses.');

/** All files together, since a call of ptxas takes as many samples of one target and version as there are. */
describe('ptx samples', () => {
  for (const isAccepted of [true, false])
    it(isAccepted ? 'that fit are accepted by ptxas' : 'that do not fit are refused by ptxas', function () {
      if (!hasPtxas()) this.skip();
      this.timeout(60_000);
      const judgedAs = (isMachine: boolean): Sample[] =>
        files.flatMap((entry) =>
          entry.isAccepted === isAccepted && needsMachine(entry.file) === isMachine ? entry.samples : [],
        );
      const [plain, forMachine] = [judgedAs(false), judgedAs(true)];
      const samples = [...plain, ...forMachine];
      const messages = [...judge(plain), ...judge(forMachine, true)];
      const faults = samples.flatMap((sample, index) =>
        (messages[index] === undefined) === isAccepted
          ? []
          : [`${show(sample)}  => ${messages[index] ?? 'accepted'}`],
      );
      assert.deepEqual(faults, []);
    });
});
