import { isOtherNode } from '../../tools/runs.js';
import { createSqliteStore } from '../../support/proxy/stores.js';
import { describeCrashes } from './crashes.js';

describeCrashes(createSqliteStore(), isOtherNode);
