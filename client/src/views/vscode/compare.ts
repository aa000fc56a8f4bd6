import { showComparison } from '../compare/view.js';
import { vscodePage } from './host.js';

showComparison(document.body, vscodePage());
