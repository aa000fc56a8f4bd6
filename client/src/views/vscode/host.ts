import type { Page, ThemeKind } from '../host.js';

/** A webview panel of VS Code as the page of a view. */
interface VscodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VscodeApi;

/** The classes that VS Code gives the body of a webview. */
const kinds: readonly (readonly [string, ThemeKind])[] = [
  ['vscode-high-contrast-light', 'highContrastLight'],
  ['vscode-high-contrast', 'highContrast'],
  ['vscode-light', 'light'],
];

/** May be called once in a page. */
export function vscodePage<From, To extends { readonly type: string }>(): Page<From, To> {
  const api = acquireVsCodeApi();
  const state = (): Record<string, unknown> => {
    const known = api.getState();
    return typeof known === 'object' && known !== null ? { ...known } : {};
  };
  return {
    post: (message) => api.postMessage(message),
    onMessage: (handler) =>
      window.addEventListener('message', (event: MessageEvent<To | PanelState>) => {
        // what the panel needs to be opened again is kept beside what the view was left like
        if (isPanelState(event.data)) api.setState({ ...state(), panel: event.data.state });
        else handler(event.data);
      }),
    theme: {
      kind: () => kinds.find(([name]) => document.body.classList.contains(name))?.[1] ?? 'dark',
      onChange: (handler) =>
        new MutationObserver(handler).observe(document.body, { attributeFilter: ['class', 'style'] }),
    },
    memory: {
      load: () => state()['view'],
      save: (view) => api.setState({ ...state(), view }),
    },
  };
}

interface PanelState {
  readonly type: 'panel';
  readonly state: unknown;
}

const isPanelState = (message: { readonly type: string }): message is PanelState => message.type === 'panel';
