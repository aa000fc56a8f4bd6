import { showControlFlow } from '../control-flow/view.js';
import { vscodeHost } from './host.js';

showControlFlow(document.body, vscodeHost());
