import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  TransportKind,
  type CloseHandlerResult,
  type ErrorHandler,
  type StaticFeature,
} from 'vscode-languageclient/node';

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

/** A young generation of 16 MB from the start: fewer scavenges, and so fewer pauses, while a person types. */
const execArgv = ['--min-semi-space-size=16'];

/**
 * Does not offer to pull diagnostics, so that the server pushes them: after a crash, vscode-languageclient 11 does not
 * always pull again for the documents that are open, and they would stay without a finding until the next edit.
 */
const pushedDiagnostics: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    delete capabilities.textDocument?.diagnostic;
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

export function createClient(
  context: vscode.ExtensionContext,
  output: vscode.LogOutputChannel,
  languages: readonly string[],
): LanguageClient {
  const module = context.asAbsolutePath('dist/server.cjs');
  const client = new LanguageClient(
    'spillway',
    'Spillway',
    {
      run: { module, transport: TransportKind.ipc, options: { execArgv } },
      debug: {
        module,
        transport: TransportKind.ipc,
        options: { execArgv: [...execArgv, '--inspect=6019', '--enable-source-maps'] },
      },
    },
    {
      documentSelector: languages.map((language) => ({ language })),
      outputChannel: output,
      errorHandler: errorHandler(),
      synchronize: { configurationSection: 'spillway' },
      // asked for again at each start of the server
      initializationOptions: () => ({ isTrusted: vscode.workspace.isTrusted, commands: lensCommands }),
      markdown: { isTrusted: false, supportHtml: false },
    },
  );
  client.registerFeature(pushedDiagnostics);
  return client;
}
