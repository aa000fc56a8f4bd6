/** What the editor shows of what the server knows, one provider a request. */
import type { Server } from '../server.js';
import { asking } from './ask.js';
import { registerEditing } from './editing.js';
import { registerFigures } from './figures.js';
import { registerNavigation } from './navigation.js';

export function registerProviders({ connection, initialized }: Server, languages: readonly string[]): void {
  const { signatureHelpProvider, completionProvider, semanticTokensProvider } = initialized.capabilities;
  const all = asking(connection, languages);
  registerNavigation(all, signatureHelpProvider?.triggerCharacters ?? []);
  registerEditing(all, completionProvider?.triggerCharacters ?? []);
  registerFigures(all, semanticTokensProvider?.legend ?? { tokenTypes: [], tokenModifiers: [] });
}
