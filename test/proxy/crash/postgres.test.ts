import { createPostgresStore } from '../stores.js';
import { describeCrashes } from './crashes.js';

describeCrashes(createPostgresStore());
