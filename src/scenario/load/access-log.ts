/**
 * Reads an access log in the common or combined format, as nginx and Apache write it. Only its GET requests can be replayed. Its
 * times are whole seconds: requests of the same second are spread over it evenly, because all at once would be a burst that
 * never was.
 */
import type { Problems } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import { utcTime } from '../../kernel/calendar.js';
import { minutes, type UnixMillis } from '../../kernel/time.js';
import { type Entry, findUnfit, replayedPath } from './recorded-request.js';

const LINE = /^\S+ \S+ .*?\[([^\][]*)\] "((?:[^"\\]|\\.)*)" (\d{3}|-)(?: |$)/;
const TIME = /^(\d\d)\/([A-Za-z]{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)$/;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const FORM = '203.0.113.7 - - [02/Mar/2026:06:00:00 +0000] "GET /v2/… HTTP/1.1" 200 512';
/** A file with more problems is probably the wrong file. */
const MOST_PROBLEMS = 20;
const LONGEST_LINE = 100_000;

/** @param base beginning of the paths that are replayed, without it */
export function readAccessLog(
  text: string,
  file: string,
  base: string | undefined,
  problems: Problems,
): readonly Entry[] {
  if (base !== undefined && !/^\/[^\s?#]*$/.test(base)) {
    problems.add(
      { file, line: 1, column: 1 },
      `${quote(base)} is not the beginning of the paths in this log, such as "/api"`,
    );
    return [];
  }
  const prefix = (base ?? '').replace(/(?<!\/)\/+$/, '').replace(/\/v2$/, '');
  const before = problems.list.length;
  const entries: Entry[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    if (problems.list.length - before >= MOST_PROBLEMS) break;
    const read = line.length > LONGEST_LINE ? undefined : readLine(line.trimEnd(), prefix);
    if (read === undefined)
      problems.add({ file, line: index + 1, column: 1 }, `this line does not have the form ${FORM}`);
    else entries.push(read);
  }
  return spread(entries);
}

function spread(entries: readonly Entry[]): readonly Entry[] {
  const seconds = new Map<UnixMillis, { all: number; before: number }>();
  for (const entry of entries) {
    if (!('at' in entry)) continue;
    const second = seconds.get(entry.at);
    if (second === undefined) seconds.set(entry.at, { all: 1, before: 0 });
    else second.all++;
  }
  return entries.map((entry) => {
    const second = 'at' in entry ? seconds.get(entry.at) : undefined;
    if (!('at' in entry) || second === undefined) return entry;
    return { ...entry, at: entry.at + (1000 * second.before++) / second.all };
  });
}

function readLine(line: string, prefix: string): Entry | undefined {
  const [, time = '', request = '', status = ''] = LINE.exec(line) ?? [];
  const at = timeOf(time);
  if (at === undefined) return undefined;
  const [, method = '', path = ''] = /^([A-Z]+) (\S+)(?: HTTP\/[\d.]+)?$/.exec(request) ?? [];
  if (method === '') return { skipped: 'no HTTP request' };
  if (method !== 'GET') return { skipped: `${method}, whose body is not in a log` };
  if (!path.startsWith(`${prefix}/`)) return { skipped: 'another path' };
  const unfit = findUnfit(path.slice(prefix.length));
  if (unfit !== undefined) return { skipped: unfit };
  return {
    at,
    request: { method, path: replayedPath(path.slice(prefix.length)), status: Number(status) || 0 },
  };
}

/** `02/Mar/2026:06:00:00 +0100` */
function timeOf(text: string): UnixMillis | undefined {
  const [, day, month = '', year, hour, minute, second, sign, hours, rest] = TIME.exec(text) ?? [];
  const index = MONTHS.indexOf(month.toLowerCase());
  if (index < 0) return undefined;
  const local = utcTime({
    ...{ year: Number(year), month: index + 1, day: Number(day) },
    ...{ hour: Number(hour), minute: Number(minute), second: Number(second), milli: 0 },
  });
  const offset = minutes(Number(hours) * 60 + Number(rest)) * (sign === '-' ? -1 : 1);
  return local === undefined ? undefined : local - offset;
}
