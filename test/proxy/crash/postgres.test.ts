import { createPostgresStore } from '../../support/proxy/stores.js';
import { describeCrashes } from './crashes.js';

describeCrashes(createPostgresStore(), true);
