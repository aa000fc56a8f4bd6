import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeLenses } from '../../server/src/features/code-lens.js';
import {
  compiledCode,
  compiledLenses,
  compiledNameAt,
  notOpen,
  type CompiledCode,
} from '../../server/src/features/compiled-code.js';
import {
  compiledDeclaration,
  compiledDefinition,
  compiledHighlights,
  compiledHover,
} from '../../server/src/features/compiled-places.js';
import { compiledName, compiledUri } from '../../server/src/features/compiled-uri.js';
import { MentionRole, type ListingDetails } from '../../server/src/targets/target.js';
import { Document } from '../../server/src/workspace/document.js';
import { languageForPath } from '../../server/src/workspace/registry.js';
import { defaultSettings } from '../../server/src/workspace/settings.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';
import { program, toySnapshot } from '../support/toy/programs.js';

const examples = join(import.meta.dirname, '..', '..', '..', 'examples');

function open(file: string, change = (text: string): string => text): Snapshot {
  const text = change(readFileSync(join(examples, file), 'utf8'));
  return Document.open(`file:///w/${file}`, languageForPath(file)!, 1, text, defaultSettings, (error) => {
    throw error;
  });
}

function ptx(functions: string, arch = 'sm_80'): Snapshot {
  const text = `.version 8.0\n.target ${arch}\n.address_size 64\n${functions}`;
  return Document.open('file:///w/a.ptx', languageForPath('a.ptx')!, 1, text, defaultSettings, (error) => {
    throw error;
  });
}

/** The code of the first function. */
function shown(s: Snapshot): CompiledCode {
  return compiledCode(s, compiledNameAt(s, { line: 0, character: 0 })!);
}

const lineWith = (code: CompiledCode, pattern: RegExp): number => {
  const line = code.lines.findIndex((text) => pattern.test(text));
  assert.ok(line >= 0, `${pattern}`);
  return line;
};
const sourceLine = (s: Snapshot, pattern: RegExp): number =>
  s.text.split('\n').findIndex((text) => pattern.test(text));

/** Source lines of a line, what it stands for first. */
function linked({ links }: CompiledCode, line: number): number[] {
  const found: number[] = [];
  for (let k = 0; k < links.length; k += 2) if (links[k] === line) found.push(links[k + 1]);
  return found;
}

function definitionsOf(s: Snapshot, code: CompiledCode, line: number, word: string, from = 0): string[] {
  const character = code.lines[line].indexOf(word, from) + 1;
  return compiledDefinition(s, code, { line, character }).map(({ uri, range }) => {
    const text = uri === s.uri ? s.text.split('\n') : code.lines;
    assert.equal(range.start.line, range.end.line);
    return `${uri === s.uri ? 'source' : 'code'} ${range.start.line}: ${text[range.start.line].slice(range.start.character, range.end.character)}`;
  });
}

describe('compiled code', () => {
  describe('ptx', () => {
    const s = open('spill.ptx');
    const code = shown(s);
    const { stats } = code.made!.compilation;

    it('has a header with function, file, model, registers and spills', () => {
      assert.match(code.lines[0], /keep_over_barrier in spill\.ptx, as compiled/);
      assert.match(code.lines[1], /sm_80 .* 24 registers .*limit 24.* spills \d+/);
      assert.equal(code.lines.filter((text) => /keep_over_barrier:/.test(text)).length, 0, 'one header');
    });

    it('marks each store and reload that the figures count', () => {
      const count = (kind: string): number => code.marks.filter((mark) => mark.kind === kind).length;
      assert.equal(count('store'), stats.spills.stores);
      assert.equal(count('reload'), stats.spills.loads);
      for (const { line, start, end, kind } of code.marks) {
        const text = code.lines[line].slice(start, end);
        if (kind === 'store') assert.match(text, /^ *STL/);
        if (kind === 'reload') assert.match(text, /^ *LDL/);
        if (kind === 'wait')
          assert.ok(Number(/^\[(\d+)\]$/.exec(text)?.[1]) >= defaultSettings.inlayHints.minimumStall);
      }
    });

    it('links a line to the instruction that it is for, and to those that were folded into it', () => {
      assert.deepEqual(linked(code, lineWith(code, /LDG +R\d+, \[R2\+92\]/)), [
        sourceLine(s, /%f24, \[%rd4\+92\]/),
      ]);
      const wide = linked(code, lineWith(code, /IMAD\.WIDE/));
      assert.deepEqual(
        [...wide].sort((a, b) => a - b),
        [/ld\.param\.u64/, /cvta\.to\.global/, /mul\.wide\.u32/, /add\.s64/]
          .map((p) => sourceLine(s, p))
          .sort((a, b) => a - b),
      );
      assert.equal(wide[0], sourceLine(s, /add\.s64/));
    });

    it('goes from a reload to its store, from a register to what wrote it, and on to the source', () => {
      const reload = lineWith(code, /LDL .*reload %f2$/);
      const store = lineWith(code, /STL .*spill %f2$/);
      const slot = /\[(R1\+0x\w+)\]/.exec(code.lines[reload])![1];
      assert.deepEqual(definitionsOf(s, code, reload, slot), [`code ${store}: ${slot}`]);
      const register = /LDL +(R\d+)/.exec(code.lines[reload])![1];
      assert.deepEqual(definitionsOf(s, code, reload + 1, register), [`code ${reload}: ${register}`]);
      const made = sourceLine(s, /ld\.global\.f32 +\t%f2,/);
      assert.deepEqual(definitionsOf(s, code, reload, register), [`source ${made}: %f2`]);
      assert.deepEqual(definitionsOf(s, code, store, '%f2'), [`source ${made}: %f2`]);
    });

    it('says what a register holds, and what a line is there for', () => {
      const reload = lineWith(code, /LDL .*reload %f2$/);
      const at = code.lines[reload].search(/R\d/) + 1;
      const contents = compiledHover(s, code, { line: reload, character: at })!.contents;
      assert.match(contents, /`R\d+` holds `%f2`/);
      assert.match(contents, /takes %f2 back/i);
      const all = compiledHighlights(code, { line: reload, character: at });
      assert.ok(all.some(({ kind }) => kind === 'write') && all.some(({ kind }) => kind === 'read'));
    });

    it('goes from a branch to its block', () => {
      const loop = open('reduce.ptx');
      const compiled = shown(loop);
      const branch = lineWith(compiled, /@P\d +BRA +\$L_round/);
      const block = lineWith(compiled, /^\$L_round:/);
      assert.deepEqual(definitionsOf(loop, compiled, branch, '$L_round'), [`code ${block}: $L_round:`]);
    });
  });

  describe('gpir', () => {
    const s = open('fog.gpir');
    const code = shown(s);

    it('goes from a result of the network to the unit that made it, one or two words before', () => {
      let count = 0;
      code.lines.forEach((text, line) => {
        for (const { 0: word, index } of text
          .split(';')[0]
          .matchAll(/\^{1,2}(mul0|mul1|add0|add1|pass|complex)/g)) {
          const unit = word.replaceAll('^', '');
          const before = line - (word.length - unit.length);
          assert.deepEqual(definitionsOf(s, code, line, word, index), [`code ${before}: ${unit}`]);
          assert.match(code.lines[before], new RegExp(`${unit} `));
          count++;
        }
      });
      assert.ok(count > 50);
    });

    it('goes from a register to the word that stores it, and from a name to the source', () => {
      const read = lineWith(code, /[ ^]\$\d+\.[xyzw]\b(?! =)/);
      const [, word, vector, component] = /[ ^](\$(\d+)\.([xyzw]))\b(?! =)/.exec(code.lines[read])!;
      const [found] = definitionsOf(s, code, read, word);
      const line = Number(/^code (\d+)/.exec(found)?.[1]);
      const stored = new RegExp(`\\$${vector}\\.\\w*${component}\\w* = `);
      assert.match(code.lines[line].slice(0, code.lines[line].indexOf(';')), stored);
      const named = lineWith(code, /; .*%inverse\b/);
      assert.deepEqual(definitionsOf(s, code, named, '%inverse'), [
        `source ${sourceLine(s, /%inverse = rsqrt/)}: %inverse`,
      ]);
    });

    it('links a word to all that it carries out', () => {
      const line = lineWith(code, /; %view\.x0, %view\.y0|; %view\.x1, %view\.y1/);
      const lines = linked(code, line).map((number) => s.text.split('\n')[number]);
      const names = /; (%\S+), (%\S+)/.exec(code.lines[line])!.slice(1);
      for (const name of names)
        assert.ok(
          lines.some((text) => text.includes(`${name} =`)),
          name,
        );
    });

    it('marks units that do nothing, moves and what is kept', () => {
      const slice = ({ line, start, end }: CompiledCode['marks'][number]): string =>
        code.lines[line].slice(start, end);
      const of = (kind: string): string[] => code.marks.filter((mark) => mark.kind === kind).map(slice);
      assert.ok(of('empty').length > 0 && of('empty').every((text) => /^( +|nop)$/.test(text)));
      assert.ok(
        of('move').length > 0 && of('move').every((text) => /^(mul|add|pass|complex)\d? -?\w+ /.test(text)),
      );
      assert.ok(of('store').length > 0 && of('store').every((text) => /^\$\d+\.\w+ = /.test(text)));
    });
  });

  describe('gen-ir', () => {
    const s = open('rain.gen');
    const code = shown(s);

    it('goes from a scratch read to the scratch write of that offset', () => {
      const read = lineWith(code, /scratch_read/);
      const offset = /offset \d+/.exec(code.lines[read])![0];
      const found = definitionsOf(s, code, read, offset);
      assert.ok(found.length > 0);
      for (const one of found) {
        const line = Number(/^code (\d+)/.exec(one)?.[1]);
        assert.match(code.lines[line], new RegExp(`scratch_write.*${offset}\\b`));
      }
    });

    it('marks stores, reloads and waits, and links added code to the line that it is for', () => {
      const { spills } = code.made!.compilation.stats;
      const of = (kind: string): number[] =>
        code.marks.filter((mark) => mark.kind === kind).map(({ line }) => line);
      assert.equal(of('store').length, spills.stores);
      assert.equal(of('reload').length, spills.loads);
      for (const line of [...of('store'), ...of('reload')]) assert.ok(linked(code, line).length > 0);
      assert.match(code.lines[0], /^; .* in rain\.gen, as compiled$/);
    });
  });

  it('finds exactly the writes that reach a read, in every example', () => {
    for (const file of [
      'spill.ptx',
      'reduce.ptx',
      'calls.ptx',
      'mandelbrot.gpir',
      'patch.gpir',
      'rain.gen',
      'toon.gen',
      'saxpy.gen',
    ]) {
      const s = open(file);
      const code = shown(s);
      const { header, from, listing } = code.made!;
      const details = listing.details!;
      const { mentions } = details;
      const reaching = reachingByIteration(details);
      for (let m = 0; m < mentions.count; m++) {
        const isRead = (mentions.role[m] & MentionRole.Read) !== 0;
        if (!isRead || mentions.place[m] < 0 || mentions.definition[m] >= 0 || mentions.line[m] < from)
          continue;
        const position = { line: mentions.line[m] - from + header, character: mentions.end[m] };
        const uri = compiledUri(code.name, s.language.id);
        const found = compiledDefinition(s, code, position).filter((location) => location.uri === uri);
        const lines = found.map(
          ({ range }) => `${range.start.line - header + from}:${range.start.character}`,
        );
        const expected = [...reaching[m]].map((w) => `${mentions.line[w]}:${mentions.start[w]}`);
        assert.deepEqual(lines.sort(), expected.sort(), `${file} line ${position.line}`);
      }
    }
  }).timeout(20_000);

  it('says that a function is gone, and which there are', () => {
    const s = open('spill.ptx', (text) => text.replaceAll('keep_over_barrier', 'renamed'));
    const gone = compiledCode(s, { source: s.uri, function: 'keep_over_barrier', ordinal: 0 });
    assert.match(gone.lines.join('\n'), /no function keep_over_barrier in spill\.ptx any more[^]*renamed/);
    assert.equal(gone.extent, undefined);
    assert.deepEqual(compiledDefinition(s, gone, { line: 0, character: 5 }), []);
    assert.match(notOpen(gone.name).lines[0], /spill\.ptx is not open/);
  });

  it('says which of several functions of one name is gone, and what to call one without a name', () => {
    const s = ptx('.visible .entry k() { ret; }\n.visible .entry () { ret; }\n');
    const lines = (name: string, ordinal: number): string =>
      compiledCode(s, { source: s.uri, function: name, ordinal }).lines.join('\n');
    assert.match(lines('k', 1), /the 2nd k is not in a\.ptx any more[^]*It has k, a function without a name/);
    assert.match(lines('', 0), /a function without a name in a\.ptx, as compiled/);
    assert.match(lines('', 1), /the 2nd function without a name is not in a\.ptx any more/);
  });

  it('says under which machine and without what a faulty source is compiled', () => {
    const s = ptx(
      '.visible .entry k() {\n.reg .u32 %r<4>;\nmov.u32 %r1, %q9;\nfrob.u32 %r1;\nret;\n}\n',
      'sm_12345',
    );
    const [, summary, errors] = compiledCode(s, { source: s.uri, function: 'k', ordinal: 0 }).lines;
    assert.match(summary, /^\/\/ sm_\d+ for the unknown sm_12345 · /);
    assert.equal(errors, '// 2 errors in the source: what has one is left out');
    assert.match(codeLenses(s)[0].title, / · 2 errors left out$/);
  });

  it('goes to no source that has another program by now', () => {
    const before = open('spill.ptx');
    const code = shown(before);
    const after = open('spill.ptx', (text) => text.replace('.maxnreg 24', '.maxnreg 26'));
    const line = lineWith(code, /STL/);
    assert.deepEqual(compiledDeclaration(after, code, { line, character: code.lines[line].length }), []);
  });

  it('belongs to the function at the cursor, else to the next, else to the last', () => {
    const s = open('calls.ptx');
    const names = s.units.flatMap(({ function: f }) => (f === undefined ? [] : [f.name]));
    assert.ok(names.length > 1);
    assert.equal(compiledNameAt(s, { line: 0, character: 0 })?.function, names[0]);
    assert.equal(compiledNameAt(s, { line: 9999, character: 0 })?.function, names.at(-1));
    assert.equal(compiledNameAt(toySnapshot('version 2\n'), { line: 0, character: 0 }), undefined);
    assert.equal(compiledLenses(s).length, names.length);
  });

  it('shows a machine that says no more than its lines', () => {
    const s = toySnapshot(program, 3);
    const code = shown(s);
    assert.ok(code.links.length > 0);
    assert.deepEqual(compiledDefinition(s, code, { line: 3, character: 4 }), []);
  });
});

/** By mention: the writes that reach it, by iterating over the blocks until nothing changes, one place at a time. */
function reachingByIteration({
  mentions,
  blockStart,
  successorStart,
  successors,
}: ListingDetails): Set<number>[] {
  const result = Array.from({ length: mentions.count }, () => new Set<number>());
  const blocks = blockStart.length - 1;
  const entry = Array.from({ length: blocks }, () => new Map<number, Set<number>>());
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    for (let b = 0; b < blocks; b++) {
      const state = new Map([...entry[b]].map(([place, writes]) => [place, new Set(writes)]));
      for (let line = blockStart[b]; line < blockStart[b + 1]; line++) {
        const here = [...mentions.line.keys()].filter(
          (m) => mentions.line[m] === line && mentions.place[m] >= 0,
        );
        const places = (m: number): number[] =>
          Array.from({ length: mentions.units[m] }, (_, k) => mentions.place[m] + k);
        for (const m of here)
          if ((mentions.role[m] & MentionRole.Read) !== 0)
            for (const place of places(m)) for (const w of state.get(place) ?? []) result[m].add(w);
        for (const m of here)
          if ((mentions.role[m] & MentionRole.Write) !== 0)
            for (const place of places(m)) {
              const old = (mentions.role[m] & MentionRole.Keeps) === 0 ? [] : (state.get(place) ?? []);
              state.set(place, new Set([...old, m]));
            }
      }
      for (let e = successorStart[b]; e < successorStart[b + 1]; e++)
        for (const [place, writes] of state) {
          const into = entry[successors[e]].get(place) ?? new Set();
          const before = into.size;
          for (const w of writes) into.add(w);
          entry[successors[e]].set(place, into);
          if (into.size > before) isChanged = true;
        }
    }
  }
  return result;
}

describe('the name of a document of compiled code', () => {
  const names = [
    { source: 'file:///w/a%20b.ptx', function: 'k', ordinal: 0 },
    { source: 'vscode-remote://127.0.0.1%3A80/w/x&y=z.ptx', function: '_Z3addPf?#%/ü', ordinal: 2 },
  ];

  it('comes back from its URI, and from what a client makes of that', () => {
    for (const name of names) {
      const uri = compiledUri(name, 'ptx');
      assert.deepEqual(compiledName(uri), name);
      // VS Code decodes each part and encodes it its own way
      const [head, query] = uri.split('?');
      const again = `${head}?${encodeURIComponent(decodeURIComponent(query)).replaceAll('%22', '"')}`;
      assert.deepEqual(compiledName(again), name);
    }
  });

  it('is none of what is no such URI', () => {
    for (const uri of [
      '',
      'file:///a',
      'spillway-compiled:',
      'spillway-compiled:/x?%',
      'spillway-compiled:/x?[1,2]',
      'spillway-compiled:/x?{}',
    ])
      assert.equal(compiledName(uri), undefined, uri);
  });
});
