import * as vscode from 'vscode';
import { type BaseLanguageClient } from 'vscode-languageclient';
import { type ComparisonPanel } from './compare.js';
import { type CompiledCodeView } from './compiled-code.js';
import { goToSite } from './sites.js';
import { type StatusItem } from './status.js';

/** Where a choice is kept: in the workspace when there is one, else for the user. */
function scope(): vscode.ConfigurationTarget {
  return vscode.workspace.workspaceFolders === undefined
    ? vscode.ConfigurationTarget.Global
    : vscode.ConfigurationTarget.Workspace;
}

export async function change(key: string, value: string | number | undefined): Promise<void> {
  await vscode.workspace.getConfiguration('spillway').update(key, value, scope());
}

/** The choices are those that the extension's manifest documents for the setting. */
function choicesOf(context: vscode.ExtensionContext, key: string): { name: string; text: string }[] {
  const manifest = context.extension.packageJSON as {
    contributes: {
      configuration: { properties: Record<string, { enum?: string[]; enumDescriptions?: string[] }> };
    };
  };
  const property = manifest.contributes.configuration.properties[`spillway.${key}`];
  return (property?.enum ?? []).map((name, k) => ({ name, text: property?.enumDescriptions?.[k] ?? '' }));
}

async function selectArchitecture(context: vscode.ExtensionContext): Promise<void> {
  const fromFile = 'As the file says (.target)';
  const architectures = choicesOf(context, 'targets.nvidia.arch').map(({ name }) => name);
  const choice = await vscode.window.showQuickPick(
    [fromFile, ...architectures.filter((name) => name !== '')],
    {
      title: 'Spillway: architecture to model',
      placeHolder:
        'PTX for an older architecture also runs on newer ones; pick the one whose figures you want',
    },
  );
  if (choice !== undefined) await change('targets.nvidia.arch', choice === fromFile ? undefined : choice);
}

async function setRegisterLimit(): Promise<void> {
  const text = await vscode.window.showInputBox({
    title: 'Spillway: registers a thread, at most',
    prompt:
      'As --maxrregcount does; empty for the limit of the machine. Launch bounds in the file come first.',
    validateInput: (value) =>
      value === '' || (/^\d+$/.test(value) && Number(value) >= 16 && Number(value) <= 255)
        ? undefined
        : 'A number from 16 to 255, or nothing',
  });
  if (text !== undefined) await change('targets.nvidia.maxRegisters', text === '' ? undefined : Number(text));
}

async function selectEffort(context: vscode.ExtensionContext): Promise<void> {
  const choice = await vscode.window.showQuickPick(
    choicesOf(context, 'targets.mali-gp.effort').map(({ name, text }) => ({ label: name, detail: text })),
    { title: 'Spillway: how long to search for a short program' },
  );
  if (choice !== undefined) await change('targets.mali-gp.effort', choice.label);
}

/** What can be chosen, by setting; which of them matter, the server says. */
const choices: Readonly<
  Record<string, { label: string; run: (context: vscode.ExtensionContext) => Promise<void> }>
> = {
  'targets.nvidia.arch': { label: '$(circuit-board) Architecture …', run: selectArchitecture },
  'targets.nvidia.maxRegisters': { label: '$(dashboard) Register limit …', run: setRegisterLimit },
  'targets.mali-gp.effort': { label: '$(search) Effort …', run: selectEffort },
};

const compareChoice = {
  label: '$(table) Compare targets …',
  run: async (): Promise<void> => void (await vscode.commands.executeCommand('spillway.compareTargets')),
};

async function selectTarget(context: vscode.ExtensionContext, status: StatusItem): Promise<void> {
  await status.refresh();
  const offered = [...status.settings().flatMap((key) => choices[key] ?? []), compareChoice];
  const choice = await vscode.window.showQuickPick(offered, { title: 'Spillway: what to model' });
  await choice?.run(context);
}

/** Moves the cursor to a place that the server names: a code lens calls it with document and position. */
async function showPlace(uri: string, line: number, character: number): Promise<void> {
  const position = new vscode.Position(line, character);
  const range = new vscode.Range(position, position);
  const editor = await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection: range });
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

export function registerCommands(
  context: vscode.ExtensionContext,
  client: BaseLanguageClient,
  output: vscode.LogOutputChannel,
  status: StatusItem,
  compiled: CompiledCodeView,
  comparison: ComparisonPanel,
  languages: readonly string[],
): vscode.Disposable[] {
  const register = <A extends unknown[]>(
    name: string,
    run: (...parameters: A) => unknown,
  ): vscode.Disposable => vscode.commands.registerCommand(`spillway.${name}`, run);
  return [
    register('restartServer', async () => {
      await client.stop();
      await client.start();
      await status.refresh();
    }),
    register('showOutput', () => output.show()),
    register('selectTarget', () => selectTarget(context, status)),
    register('selectArchitecture', () => selectArchitecture(context)),
    register('setRegisterLimit', setRegisterLimit),
    register('showPeak', showPlace),
    register('goToNextPressurePeak', () => goToSite(client, languages, 'peak', 'next')),
    register('goToPreviousPressurePeak', () => goToSite(client, languages, 'peak', 'previous')),
    register('goToNextSpill', () => goToSite(client, languages, 'spill', 'next')),
    register('goToPreviousSpill', () => goToSite(client, languages, 'spill', 'previous')),
    register('compareTargets', () => comparison.show()),
    register('showCompiledCode', (uri?: unknown, line?: unknown, character?: unknown) =>
      compiled.show(uri, line, character),
    ),
  ];
}
