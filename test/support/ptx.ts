import { ptx } from '../../server/src/languages/ptx/index.js';
import type { Target } from '../../server/src/targets/target.js';
import { Document } from '../../server/src/workspace/document.js';
import { defaultSettings, type Settings } from '../../server/src/workspace/settings.js';
import type { Snapshot } from '../../server/src/workspace/snapshot.js';

export const ptxHead = '.version 8.0\n.target sm_90\n.address_size 64\n';

/** A snapshot of PTX text for `target`, under settings that differ from the default ones as given. */
export const ptxSnapshot = (text: string, target: Target, settings: Partial<Settings> = {}): Snapshot =>
  Document.open(
    'file:///a.ptx',
    { language: ptx, target },
    1,
    text,
    { ...defaultSettings, ...settings },
    (error) => {
      throw error;
    },
  );
