/**
 * Recorded arrival times of requests: the column `time` of a CSV file beside a scenario.
 *
 *     time [s]
 *     0.25
 *     1.75
 *     1.75
 *
 * Times are either numbers, with their unit in the heading, or calendar times in UTC. Numbers count from the beginning of the
 * load. Calendar times count from the first row: its request is due when the load begins. The times must not decrease; several
 * requests may have the same time.
 */
import { createHash } from 'node:crypto';
import { readCsv } from '../../input/csv.js';
import type { Problems } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import type { Millis } from '../../kernel/time.js';
import { limitRows, timeColumn } from '../values/csv-columns.js';

/**
 * Times of recorded requests. A plan contains only their number and a fingerprint, because the times of a whole day would be
 * too long.
 */
export class ArrivalTrace {
  /** Times since the beginning of the load, ascending, rounded to microseconds. */
  readonly times: readonly Millis[];

  constructor(times: readonly Millis[]) {
    this.times = times;
  }

  /** The requests before `end`, a time since the beginning of the load. */
  within(end: Millis): ArrivalTrace {
    return new ArrivalTrace(this.times.filter((time) => time < end));
  }

  toJSON(): { readonly requests: number; readonly print: string } {
    const print = createHash('sha256').update(JSON.stringify(this.times)).digest('hex').slice(0, 16);
    return { requests: this.times.length, print };
  }
}

/**
 * Reads the times of a file, and notes problems with their places in the file. The result is undefined if there are any.
 * @param speed factor by which the replay is faster: with 2, the requests come in half the time
 */
export function readArrivals({ file, text }: NamedText, speed: number, problems: Problems): ArrivalTrace | undefined {
  const before = problems.list.length;
  const table = readCsv(text, file, problems);
  if (table === undefined) return undefined;
  limitRows(table, file, problems);
  const { calendar = false, rows = [] } = timeColumn(table, problems) ?? {};
  const zero = calendar ? (rows[0]?.time ?? 0) : 0;
  let last = zero;
  const times: Millis[] = [];
  for (const { cell, time } of rows) {
    if (time < last) {
      const than = times.length === 0 ? 'the beginning of the load' : 'the time of the row before';
      problems.add(cell, `${quote(cell.text)} is earlier than ${than}`);
      break;
    }
    last = time;
    times.push(Math.round(((time - zero) * 1000) / speed) / 1000);
  }
  return problems.list.length === before ? new ArrivalTrace(times) : undefined;
}
