/** Half of the histories: the others run beside it. */

import { testHistories } from './histories.js';

testHistories(0, 2);
