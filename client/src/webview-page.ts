import * as vscode from 'vscode';
import { randomName } from './random-name.js';

/** The pages of webviews: a script and the style of dist/views/, and nothing that comes from elsewhere. */

const viewsOf = (context: vscode.ExtensionContext): vscode.Uri =>
  vscode.Uri.joinPath(context.extensionUri, 'dist', 'views');

export const webviewOptions = (
  context: vscode.ExtensionContext,
): vscode.WebviewOptions & vscode.WebviewPanelOptions => ({
  enableScripts: true,
  localResourceRoots: [viewsOf(context)],
  retainContextWhenHidden: true,
});

/** No network, no script but ours; the layout of graphs runs in a worker. */
export function pageOf(
  context: vscode.ExtensionContext,
  webview: vscode.Webview,
  { script, title }: { readonly script: string; readonly title: string },
): string {
  const nonce = randomName();
  const source = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(viewsOf(context), name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
    'worker-src blob:',
    `font-src ${webview.cspSource}`,
  ].join('; ');
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="${source('views.css')}">
</head>
<body>
<script nonce="${nonce}" src="${source(script)}"></script>
</body>
</html>`;
}
