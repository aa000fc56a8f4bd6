import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  type CloseHandlerResult,
  type ErrorHandler,
  type LanguageClientOptions,
  type StaticFeature,
} from 'vscode-languageclient';

/** Crashes within this time count together; after `maximumCrashes` of them the server stays down until asked for. */
const crashWindowMilliseconds = 3 * 60 * 1000;
const maximumCrashes = 4;

/** Restarts a server that has died, says so each time, and stops trying when it dies again and again. */
function errorHandler(): ErrorHandler {
  const crashes: number[] = [];
  return {
    error: () => ({ action: ErrorAction.Continue }),
    closed: (): CloseHandlerResult => {
      const now = Date.now();
      crashes.push(now);
      while (crashes.length > 0 && now - crashes[0] > crashWindowMilliseconds) crashes.shift();
      if (crashes.length >= maximumCrashes) {
        const restart = 'Restart server';
        void vscode.window
          .showErrorMessage(
            `The Spillway server stopped ${crashes.length} times in three minutes and is not started again.`,
            restart,
          )
          .then((choice) => {
            if (choice !== restart) return;
            crashes.length = 0;
            void vscode.commands.executeCommand('spillway.restartServer');
          });
        return { action: CloseAction.DoNotRestart, handled: true };
      }
      void vscode.window.showWarningMessage(
        'The Spillway server stopped unexpectedly and has been started again.',
      );
      return { action: CloseAction.Restart, handled: true };
    },
  };
}

/** Commands of the lenses that are only for clients that have them. */
const lensCommands = ['spillway.showCompiledCode'];

/**
 * Does not offer to pull diagnostics, so that the server pushes them: after a crash, vscode-languageclient 11 does not
 * always pull again for the documents that are open, and they would stay without a finding until the next edit.
 */
export const pushedDiagnostics: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    delete capabilities.textDocument?.diagnostic;
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

/** What the client is told wherever its server runs; `initial` is what only one kind of server is told at its start. */
export const clientOptions = (
  output: vscode.LogOutputChannel,
  languages: readonly string[],
  initial: object = {},
): LanguageClientOptions => ({
  documentSelector: languages.map((language) => ({ language })),
  outputChannel: output,
  errorHandler: errorHandler(),
  synchronize: { configurationSection: 'spillway' },
  // asked for again at each start of the server
  initializationOptions: () => ({
    ...initial,
    isTrusted: vscode.workspace.isTrusted,
    commands: lensCommands,
  }),
  markdown: { isTrusted: false, supportHtml: false },
});
