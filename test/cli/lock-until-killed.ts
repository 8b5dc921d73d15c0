/** A program for a test: begins a run in a directory, says so, and waits until it is killed. */
import { beginRun } from '../../src/library/run-files.js';

beginRun(process.argv[2] ?? '');
process.send?.('begun');
setInterval(() => {}, 1 << 30);
