import { showLiveRanges } from '../live-ranges/view.js';
import { vscodePage } from './host.js';

showLiveRanges(document.body, vscodePage());
