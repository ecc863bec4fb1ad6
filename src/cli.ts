#!/usr/bin/env node
/** The command `pix-checkout`: hands this process to `cli/`. */

import { argv } from 'node:process';
import { runCli } from './cli/run-cli.js';
import { openTerminal } from './cli/terminal.js';

process.exitCode = await runCli(argv.slice(2), openTerminal());
