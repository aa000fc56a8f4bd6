/** Colours of compiled code: what the server writes, for which the editor asks nobody. */
import type * as monaco from 'monaco-editor';

export const COMPILED_LANGUAGE = 'spillway-compiled';

/** The listings of the three machines have comments, labels, counters of slots, operations and registers in common. */
export const compiledTokens: monaco.languages.IMonarchLanguage = {
  defaultToken: '',
  tokenizer: {
    root: [
      [/^\s*(?:\/\/|;).*$/, 'comment'],
      [/(?:\/\/|\s;\s).*$/, 'comment'],
      [/^[\w$.]+:/, 'label'],
      [/^\s*\[\s*\d+\]/, 'number'],
      [/^\s*\d+(?=[:\s])/, 'number'],
      [/@!?(?:U?P\w+|%\w+)/, 'macro'],
      [/%[\w$]+(?:\.[xyzw]+)?/, 'variable'],
      [/\$\d+(?:\.[xyzw]+)?/, 'variable'],
      [/\b(?:UR|UP|R|P)(?:\d+|Z|T)\b(?:\.\w+)?/, 'variable'],
      [/\b[gmfar]\d+(?:\.\d+)?(?:<[\d;,]+>)?(?:\.[xyzw]+)?/, 'variable'],
      [/\b(?:mul0|mul1|add0|add1|pass|complex|store\w*|load\w*|branch)\b/, 'type'],
      [/\b[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_.]+)?\b/, 'keyword'],
      [/\b0x[\da-fA-F]+\b/, 'number'],
      [/[-+]?\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?[FfU]?\b/, 'number'],
      [/:[A-Z]{1,2}\b/, 'type'],
      [/\b[a-z]\w*(?:\.\w+)*\b/, 'keyword'],
    ],
  },
};
