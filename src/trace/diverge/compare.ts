/**
 * Finds the first difference between two event logs. Files are compared byte by byte in large chunks, so that gigabytes take
 * seconds. Only the first lines and the lines at differences are parsed.
 *
 * If both logs have the same events in one instant and only their order differs, the comparison counts this instant separately
 * and continues. A different order looks harmless, but is often the cause of a later difference.
 */
import { UsageError } from '../../kernel/errors.js';
import { foreignJson } from '../../kernel/json-text.js';
import type { TraceEvent } from '../events.js';
import { findLogEnd } from './log-end.js';
import { LogFile } from './log-file.js';

export interface LoggedEvent {
  /** Line number, from 1. */
  readonly line: number;
  readonly text: string;
  readonly event: TraceEvent;
}

export interface LogDifference {
  /** The event of log A; undefined when this log has ended. */
  readonly a: LoggedEvent | undefined;
  readonly b: LoggedEvent | undefined;
  /** Names of the fields that differ; only `kind` for events of different kinds. */
  readonly fields: readonly string[];
  /** Up to four earlier events of the same device, or of any device if the event has no device. Both logs have them. */
  readonly before: readonly LoggedEvent[];
  /** Like `before`, but later events, of log A and of log B. */
  readonly afterA: readonly LoggedEvent[];
  readonly afterB: readonly LoggedEvent[];
}

export interface LogComparison {
  /** The first difference in content; undefined if the logs differ only in order, or not at all. */
  readonly difference: LogDifference | undefined;
  /** Instants before that difference at which both logs have the same events in another order. */
  readonly reordered: { readonly count: number; readonly first: LogDifference | undefined };
  /** Number of events before that difference, or of all events when the logs have the same events. */
  readonly same: number;
}

const CONTEXT = 4;
/** Bytes around a difference that are searched for context. */
const CONTEXT_BYTES = 16 * 1024 * 1024;
/** Bytes of an instant that are compared at once: the start of 1,000,000 devices. */
const LARGEST_INSTANT = 256 * 1024 * 1024;

/** Which logs are of runs that are in progress or were killed: they are compared up to their last complete instant. */
interface Unfinished {
  readonly a: boolean;
  readonly b: boolean;
}

/**
 * Compares two event logs. The end of an unfinished one is not a difference.
 * @throws UsageError if a file cannot be read, or if its first line or the first different line is not an event
 */
export function compareLogs(
  pathA: string,
  pathB: string,
  unfinished: Unfinished = { a: false, b: false },
): LogComparison {
  const a = new LogFile(pathA);
  try {
    const b = new LogFile(pathB);
    try {
      if (unfinished.a) a.endAfter(findLogEnd(a)?.before ?? 0);
      if (unfinished.b) b.endAfter(findLogEnd(b)?.before ?? 0);
      return compare(a, b, unfinished);
    } finally {
      b.close();
    }
  } finally {
    a.close();
  }
}

interface Spot {
  /** Byte offset of the line, the same in both files. */
  readonly offset: number;
  /** Line number, from 1. */
  readonly line: number;
}

function compare(a: LogFile, b: LogFile, unfinished: Unfinished): LogComparison {
  // Parses the first lines, so that two identical files that are not event logs are rejected as well.
  const crs = [a, b].map((log) => readEvent(log, { offset: 0, line: 1 })?.text.endsWith('\r'));
  const odd = crs[0] === crs[1] ? -1 : crs.indexOf(true);
  if (odd >= 0) {
    const { path } = odd === 0 ? a : b;
    throw new UsageError('bad-event-log', `the lines of "${path}" end with CR LF, as of no run: convert them to LF`);
  }
  let reordered = 0;
  let firstReordered: LogDifference | undefined;
  let from: Spot = { offset: 0, line: 1 };
  for (;;) {
    const { differ, ...spot } = findFirstDifference(a, b, from);
    const ends = (log: LogFile) => spot.offset >= log.size;
    if (!differ || (unfinished.a && ends(a)) || (unfinished.b && ends(b))) {
      return { difference: undefined, reordered: { count: reordered, first: firstReordered }, same: spot.line - 1 };
    }
    const next = findSameInstant(a, b, spot);
    if (next === undefined) {
      const difference = describe(a, b, spot);
      return { difference, reordered: { count: reordered, first: firstReordered }, same: spot.line - 1 };
    }
    firstReordered ??= describe(a, b, spot);
    reordered++;
    from = next;
  }
}

/** The first line at or after `from` in which the files differ, or the end of both files. */
function findFirstDifference(a: LogFile, b: LogFile, from: Spot): Spot & { readonly differ: boolean } {
  let { offset, line } = from;
  let lineStart = offset;
  for (;;) {
    const [one, other] = [a.readChunk(offset), b.readChunk(offset)];
    const length = Math.min(one.length, other.length);
    let at = 0;
    if (one.compare(other, 0, length, 0, length) === 0) at = length;
    else while (one[at] === other[at]) at++;
    for (let feed = one.indexOf(LINE_FEED); feed >= 0 && feed < at; feed = one.indexOf(LINE_FEED, feed + 1)) {
      line++;
      lineStart = offset + feed + 1;
    }
    offset += at;
    // Only the last chunk of a file can be shorter than the other chunks.
    if (at < length || one.length !== other.length) return { offset: lineStart, line, differ: true };
    if (length === 0) return { offset, line, differ: false };
  }
}

const LINE_FEED = 10;

/** The end of the instant at `spot` when both files have the same events in it, in any order; otherwise undefined. */
function findSameInstant(a: LogFile, b: LogFile, spot: Spot): Spot | undefined {
  const [one, other] = [readInstant(a, spot), readInstant(b, spot)];
  if (one.length < 2 || one.length !== other.length) return undefined;
  const [sortedA, sortedB] = [[...one].sort(), [...other].sort()];
  if (sortedA.some((text, i) => text !== sortedB[i])) return undefined;
  const bytes = one.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  return { offset: spot.offset + bytes, line: spot.line + one.length };
}

/** The lines from `spot` on that have the same instant as the first of them; of a very large instant, its first lines. */
function readInstant(log: LogFile, { offset, line }: Spot): readonly string[] {
  const lines: string[] = [];
  let instant: number | undefined;
  for (const text of log.lines(offset, LARGEST_INSTANT, line)) {
    const { at } = parse(log, text, line + lines.length).event;
    instant ??= at;
    if (at !== instant) break;
    lines.push(text);
  }
  return lines;
}

function describe(a: LogFile, b: LogFile, spot: Spot): LogDifference {
  const [one, other] = [readEvent(a, spot), readEvent(b, spot)];
  const event = (one ?? other)?.event;
  const serial = event !== undefined && 'serial' in event ? event.serial : undefined;
  const kin = (candidate: LoggedEvent) =>
    serial === undefined || ('serial' in candidate.event && candidate.event.serial === serial);
  const before: LoggedEvent[] = [];
  let line = spot.line - 1;
  for (const text of a.linesBefore(spot.offset, CONTEXT_BYTES, spot.line)) {
    const candidate = parse(a, text, line--);
    if (kin(candidate)) before.unshift(candidate);
    if (before.length === CONTEXT) break;
  }
  return {
    a: one,
    b: other,
    fields: one !== undefined && other !== undefined ? findDifferingFields(one.event, other.event) : [],
    before,
    afterA: readFollowing(a, spot, kin),
    afterB: readFollowing(b, spot, kin),
  };
}

function readEvent(log: LogFile, { offset, line }: Spot): LoggedEvent | undefined {
  for (const text of log.lines(offset, CONTEXT_BYTES, line)) return parse(log, text, line);
  return undefined;
}

function readFollowing(
  log: LogFile,
  { offset, line }: Spot,
  kin: (event: LoggedEvent) => boolean,
): readonly LoggedEvent[] {
  const found: LoggedEvent[] = [];
  let number = line;
  for (const text of log.lines(offset, CONTEXT_BYTES, line)) {
    if (number > line) {
      const candidate = parse(log, text, number);
      if (kin(candidate)) found.push(candidate);
      if (found.length === CONTEXT) break;
    }
    number++;
  }
  return found;
}

function findDifferingFields(a: TraceEvent, b: TraceEvent): readonly string[] {
  if (a.kind !== b.kind) return ['kind'];
  const [one, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key));
}

/** @throws UsageError with file and line when the text is not an event */
function parse(log: LogFile, text: string, line: number): LoggedEvent {
  const value = foreignJson(text);
  if (typeof value === 'object' && value !== null && 'kind' in value && 'at' in value && Number.isFinite(value.at)) {
    // The cast is safe because only TraceLog writes events, and this object has their form.
    return { line, text, event: value as TraceEvent };
  }
  throw new UsageError('bad-event-log', `${log.path}:${line}: not an event: ${shorten(text)}`);
}

function shorten(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 60)}…"` : `"${text}"`;
}
