/**
 * Recorded arrival times of requests: the column `time` of a CSV file beside a scenario.
 *
 *     time [s]
 *     0.25
 *     1.75
 *     1.75
 *
 * Times are either numbers, with their unit in the heading, or calendar times. Numbers count from the beginning of the load.
 * Calendar times count from the first row: its request is due when the load begins. The times must not decrease; several
 * requests may have the same time.
 */
import { readCsv } from '../../input/csv.js';
import type { Problems } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import type { Millis } from '../../kernel/time.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { rejectTwinColumns, timeColumn } from '../values/csv-columns.js';

/** Times of recorded requests. A plan has their number and fingerprint: a day's times would be too long. */
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
    return { requests: this.times.length, print: contentFingerprint(JSON.stringify(this.times)) };
  }
}

/** When a request is due, after the first one, in a replay that is `speed` times as fast; rounded to microseconds. */
export function replayTime(after: Millis, speed: number): Millis {
  return Math.round((after * 1000) / speed) / 1000;
}

/**
 * Reads the times of a file, and notes problems with their places in the file. The result is undefined if there are any.
 * @param speed factor by which the replay is faster: with 2, the requests come in half the time
 */
export function readArrivals({ file, text }: NamedText, speed: number, problems: Problems): ArrivalTrace | undefined {
  const before = problems.list.length;
  const times: Millis[] = [];
  readCsv(text, file, problems, (header) => {
    rejectTwinColumns(header, problems);
    const time = timeColumn(header, problems);
    if (time === undefined) return undefined;
    let zero = time.calendar ? Number.NaN : 0;
    let last = time.calendar ? Number.NEGATIVE_INFINITY : 0;
    let ordered = true;
    return (row) => {
      const at = time.read(row);
      if (Number.isNaN(zero)) zero = at;
      if (ordered && at < last) {
        const cell = time.cellOf(row);
        const than = times.length === 0 ? 'the beginning of the load' : 'the time of the row before';
        problems.add(cell, `${quote(cell.text)} is earlier than ${than}`);
        ordered = false;
      }
      last = at;
      times.push(replayTime(at - zero, speed));
    };
  });
  return problems.list.length === before ? new ArrivalTrace(times) : undefined;
}
