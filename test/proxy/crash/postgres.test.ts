import { createPostgresStore } from '../support/stores.js';
import { describeCrashes } from './crashes.js';

describeCrashes(createPostgresStore(), true);
