import type { Severity } from '../text/problem.js';

/** Settings of a document, resolved. The names are those of the `spillway.*` configuration section; docs and defaults stand in package.json. */
export interface Settings {
  readonly inlayHints: {
    readonly pressure: 'off' | 'peaks' | 'all';
    readonly stalls: boolean;
    readonly minimumStall: number;
  };
  readonly codeLens: boolean;
  readonly diagnostics: {
    /** Severity by diagnostic code or family (`stall/*`); `off` hides it. */
    readonly severity: Readonly<Record<string, Severity | 'off'>>;
    /** Most problems published for one file; the most severe are kept and the rest counted. */
    readonly maximum: number;
  };
  readonly format: { readonly enable: boolean };
  /** Options by target id, as `Target.options` lists them: `{ nvidia: { arch: 'sm_90', maxRegisters: 64 } }`. */
  readonly targets: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** Options by language id, such as `{ ptx: { dialect: 'optix' } }`. */
  readonly languages: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
}

export const defaultSettings: Settings = {
  inlayHints: { pressure: 'peaks', stalls: true, minimumStall: 20 },
  codeLens: true,
  diagnostics: { severity: {}, maximum: 1000 },
  format: { enable: true },
  targets: {},
  languages: {},
};
