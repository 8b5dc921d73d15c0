#!/usr/bin/env node
/** The process: the only file that touches it. Everything else gets a Host. */
import { tooFewOpenFiles } from './cli/open-files.js';

// Before any other module is loaded: under a low limit that fails, with an error that does not name the cause.
const complaint = tooFewOpenFiles();
if (complaint === undefined) {
  const [{ main }, { processHost }] = [await import('./cli/index.js'), await import('./cli/process-host.js')];
  process.exitCode = await main(processHost(process));
} else {
  process.stderr.write(complaint.text);
  process.exitCode = complaint.exit;
}
