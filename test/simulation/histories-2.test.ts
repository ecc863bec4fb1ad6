/** One half of the histories: the other runs beside it. */

import { testHistories } from './histories.js';

testHistories(1, 2);
