import { createSqliteStore } from '../stores.js';
import { describeCrashes } from './crashes.js';

describeCrashes(createSqliteStore());
