import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import oniguruma from 'vscode-oniguruma';
import textmate, { type IGrammar } from 'vscode-textmate';

export const syntaxes = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..', 'syntaxes');

/** The TextMate grammar of a language, as an editor runs it. */
export async function loadGrammar(language: string): Promise<IGrammar> {
  const wasm = readFileSync(createRequire(import.meta.url).resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm);
  const path = (scope: string): string =>
    join(syntaxes, `${scope.replace(/^source\.(?:spillway-)?/, '')}.tmLanguage.json`);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: (scope) =>
      Promise.resolve(textmate.parseRawGrammar(readFileSync(path(scope), 'utf8'), path(scope))),
  });
  const grammar = await registry.loadGrammar(`source.${language}`);
  assert.ok(grammar !== null);
  return grammar;
}

export interface Coloured {
  readonly line: number;
  readonly start: number;
  readonly text: string;
  /** The innermost scope without the language at its end. */
  readonly scope: string;
}

export function colour(grammar: IGrammar, text: string): Coloured[] {
  let stack = textmate.INITIAL;
  return text.split('\n').flatMap((content, line) => {
    const result = grammar.tokenizeLine(content, stack);
    stack = result.ruleStack;
    return result.tokens.map((token) => ({
      line,
      start: token.startIndex,
      text: content.slice(token.startIndex, token.endIndex),
      scope: (token.scopes[token.scopes.length - 1] ?? '').replace(/\.[\w-]+$/, ''),
    }));
  });
}
