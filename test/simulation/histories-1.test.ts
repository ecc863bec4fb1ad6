/** One half of the histories: the other runs beside it. */

import { testHistories } from './histories.js';

testHistories(0, 2);
