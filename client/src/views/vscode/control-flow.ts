import { showControlFlow } from '../control-flow/view.js';
import { vscodePage } from './host.js';

showControlFlow(document.body, vscodePage());
