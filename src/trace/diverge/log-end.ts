/** Where the log of a run ends that is in progress or was killed: its last line, and the events of its last instant, may be missing. */
import { foreignJson, isObject } from '../../kernel/json-text.js';
import type { Instant } from '../../kernel/time.js';
import type { LogFile } from './log-file.js';

const LINE_FEED = 10;
/** Bytes at the end of a log that are searched: an instant of 100,000 events. */
const SEARCHED = 16 * 1024 * 1024;

interface LogEnd {
  /** Time of the last complete event. */
  readonly at: Instant;
  /** Bytes before the first event of that time. */
  readonly before: number;
}

/** Undefined for a log without a complete event. */
export function findLogEnd(log: LogFile): LogEnd | undefined {
  const from = Math.max(0, log.size - SEARCHED);
  const tail = log.readChunk(from, SEARCHED);
  let end: LogEnd | undefined;
  for (let feed = tail.lastIndexOf(LINE_FEED); feed > 0; ) {
    const start = tail.lastIndexOf(LINE_FEED, feed - 1) + 1;
    const at = readTime(tail.toString('utf8', start, feed));
    if (at === undefined || (end !== undefined && at !== end.at)) break;
    end = { at, before: from + start };
    feed = start - 1;
  }
  return end;
}

function readTime(line: string): Instant | undefined {
  const event = foreignJson(line);
  return isObject(event) && typeof event.at === 'number' ? event.at : undefined;
}
