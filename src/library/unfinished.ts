/** What is known of a run without a summary: it is in progress or was killed, and nothing after its last event can be judged. */
import { join } from 'node:path';
import { UsageError } from '../kernel/errors.js';
import { humanDuration, type Instant, sinceStart } from '../kernel/time.js';
import { exists } from '../kernel/write-files.js';
import { REPORT_FILES } from '../report/renderers/index.js';
import { findLogEnd } from '../trace/diverge/log-end.js';
import { LogFile } from '../trace/diverge/log-file.js';
import { EVENTS_FILE } from './run-files.js';

export interface Unfinished {
  /** Time of the last event; 0 without one. */
  readonly until: Instant;
  /** Worded to follow a name of the run. */
  readonly what: string;
}

/**
 * Undefined if the folder has no events of a run, or has the summary as well.
 * @throws UsageError if the events cannot be read
 */
export function findUnfinished(folder: string): Unfinished | undefined {
  const events = join(folder, EVENTS_FILE);
  if (exists(join(folder, REPORT_FILES.json)) || !exists(events)) return undefined;
  const log = new LogFile(events);
  try {
    const end = findLogEnd(log);
    const known = end === undefined ? 'no event is known' : `its events go up to ${humanDuration(sinceStart(end.at))}`;
    return { until: end?.at ?? 0, what: `has no ${REPORT_FILES.json}: it is in progress, or was killed; ${known}` };
  } finally {
    log.close();
  }
}

/** @throws UsageError for a run that is in progress or was killed */
export function needFinished(folder: string): void {
  const unfinished = findUnfinished(folder);
  if (unfinished === undefined) return;
  throw new UsageError(
    'unfinished-run',
    `"${folder}" ${unfinished.what}`,
    'a run writes its reports when it ends; "ghostfleet explain" explains the downlinks of an unfinished run so far',
  );
}
