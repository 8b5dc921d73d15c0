#!/usr/bin/env node
/** The process: the only file that touches it. Everything else gets a Host. */
import { main } from './cli/index.js';
import { processHost } from './cli/process-host.js';

process.exitCode = await main(processHost(process));
