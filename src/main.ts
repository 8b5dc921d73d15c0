#!/usr/bin/env node
/** Entry point of the program, and the only file that uses the global `process`: the commands get a `Host` (cli/host.ts). */
import { Interrupts } from './cli/interrupts.js';
import { leaveStalledReaders } from './cli/stalled-readers.js';
import { checkOpenFiles, checkWorkingDirectory } from './cli/start-checks.js';

// Checked before the other modules are loaded: loading them would fail with an error that does not name the cause.
const interrupts = new Interrupts(process);
const complaint = checkOpenFiles() ?? checkWorkingDirectory(() => process.cwd());
if (complaint === undefined) {
  const [{ main }, { processHost }] = [await import('./cli/index.js'), await import('./cli/process-host.js')];
  process.exitCode = await main(processHost(process, interrupts));
  leaveStalledReaders(process, interrupts.wasInterrupted);
} else {
  process.stderr.write(complaint.text);
  process.exitCode = complaint.exit;
}
