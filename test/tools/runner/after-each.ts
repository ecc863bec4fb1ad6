/** Runs in each file of tests: the time that a test has stopped goes on. */
import { afterEach, vi } from 'vitest';

afterEach(() => void vi.useRealTimers());
