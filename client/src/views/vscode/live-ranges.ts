import { showLiveRanges } from '../live-ranges/view.js';
import { vscodeHost } from './host.js';

showLiveRanges(document.body, vscodeHost());
