import assert from 'node:assert/strict';
import {
  listingJson,
  type ListingJson,
  type UnitName,
} from '../../../server/src/targets/mali-gp/listing-json.js';
import { compile } from '../../../server/src/targets/mali-gp/compile.js';
import { readListingJson } from '../../../server/src/targets/mali-gp/read-listing-json.js';
import { verify } from '../../../server/src/targets/mali-gp/verify.js';
import { unitNames } from '../../../server/src/targets/mali-gp/word.js';
import { isLongSearch } from '../../support/fuzz.js';
import { gpCheckOrSkip } from '../../support/gp-check.js';
import { functionOfGpir } from '../../support/gpir-text.js';
import { randomGpir } from '../../support/random-gpir.js';
import { Random } from '../../search/random.js';

interface LooseUnit {
  src: { from: string; distance?: number; negate?: boolean }[];
}

type LooseWord = { [name in UnitName]?: LooseUnit } & { branch?: { target: number } };

interface LooseListing {
  blocks: { start: number }[];
  words: LooseWord[];
}

/** Code with one fault in it: a value read at another distance, from another place, a word lost, ... */
function mutate(listing: ListingJson, random: Random): unknown {
  const json = JSON.parse(JSON.stringify(listing)) as LooseListing;
  const any = <T>(list: readonly T[]): T => list[random.below(list.length)];
  const shift = (at: number, by: number): void => {
    for (const block of json.blocks) if (block.start > at) block.start += by;
    for (const { branch } of json.words) if (branch !== undefined && branch.target > at) branch.target += by;
  };
  for (let tries = 0; tries < 100; tries++) {
    const at = random.below(json.words.length);
    const word = json.words[at];
    const units = unitNames.filter((name) => word[name] !== undefined);
    const unit = units.length > 0 ? word[any(units)] : undefined;
    const source = unit === undefined || unit.src.length === 0 ? undefined : any(unit.src);
    const from = source?.from ?? '';
    switch (random.below(8)) {
      case 0:
        if (source?.distance === undefined) continue;
        source.distance = (from.startsWith('reg0') ? 1 : 3) - source.distance;
        break;
      case 1:
        if (source === undefined) continue;
        source.negate = true;
        break;
      case 2:
        if (units.length === 0) continue;
        delete word[any(units)];
        break;
      case 3:
        if (unit === undefined || unit.src.length < 2) continue;
        unit.src.reverse();
        break;
      case 4:
        if (source === undefined || !from.includes('.')) continue;
        source.from = from.slice(0, -1) + any([...'xyzw']);
        break;
      case 5:
        if (source === undefined || !unitNames.some((name) => name === from)) continue;
        source.from = any(unitNames);
        break;
      case 6:
        json.words.splice(at, 1);
        shift(at, -1);
        break;
      default:
        json.words.splice(at, 0, {});
        shift(at, 1);
    }
    return json;
  }
  return listing;
}

/** Refusals for what a word does; that results differ depends on the inputs, which each side chooses itself. */
const ofWords = (problems: readonly string[]): string[] => problems.filter((p) => /^(at )?word \d+/.test(p));

describe('mali-gp: faulty code', () => {
  it('is refused by rules and simulator where the independent checker refuses it, and only there', function () {
    const check = gpCheckOrSkip(this);
    const random = new Random(11);
    const cases: { source: string; listing: unknown }[] = [];
    while (cases.length < (isLongSearch ? 6000 : 36)) {
      const source = randomGpir(random);
      const { code } = compile(functionOfGpir(source), {});
      if (code.words.length === 0 || code.words.length > 120) continue;
      const listing = listingJson(code);
      for (let k = 0; k < 12; k++) cases.push({ source, listing: mutate(listing, random) });
    }
    let refused = 0;
    for (const [k, theirs] of check.problems(cases).entries()) {
      const { source, listing } = cases[k];
      const { program, problems } = readListingJson(listing);
      const ours = [
        ...problems,
        ...verify(functionOfGpir(source), program, { trials: 12 }).map((v) => v.message),
      ];
      const what = `${ours[0]} | ${theirs[0]}\n${source}\n${JSON.stringify(listing)}`;
      if (ofWords(ours).length > 0) assert.ok(theirs.length > 0, `refused here alone: ${what}`);
      if (ofWords(theirs).length > 0) assert.ok(ours.length > 0, `accepted here alone: ${what}`);
      refused += Number(ours.length > 0);
    }
    assert.ok(refused > cases.length / 2, `${refused} of ${cases.length} were refused`);
  });
});
