/**
 * Where two event logs go apart. Compared byte by byte in large chunks, so that gigabytes take seconds; lines are only read
 * where the files differ.
 *
 * Events of the same instant that stand in another order are a difference, but a harmless-looking one that often hides the
 * cause: they are noted, and the comparison goes on behind them.
 */
import { UsageError } from '../../kernel/errors.js';
import type { TraceEvent } from '../events.js';
import { LogFile } from './log-file.js';

export interface LoggedEvent {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  readonly event: TraceEvent;
}

export interface Difference {
  /** undefined: this log has ended. */
  readonly a: LoggedEvent | undefined;
  readonly b: LoggedEvent | undefined;
  /** Paths of the fields that differ, when it is the same kind of event. */
  readonly fields: readonly string[];
  /** The events before it, which both logs have: those of the same device, or any when the event has none. */
  readonly before: readonly LoggedEvent[];
  /** What comes behind it, of the same device. */
  readonly afterA: readonly LoggedEvent[];
  readonly afterB: readonly LoggedEvent[];
}

export interface Comparison {
  /** The first difference that is more than an order; undefined: there is none. */
  readonly difference: Difference | undefined;
  /** Instants at which both have the same events in another order, before that difference. */
  readonly reordered: { readonly count: number; readonly first: Difference | undefined };
  /** Events that both have before they differ, in any order; all of them when they do not. */
  readonly same: number;
}

const CONTEXT = 4;
/** How far around a difference the context is looked for. */
const CONTEXT_BYTES = 16 * 1024 * 1024;

/** @throws UsageError when a file cannot be read, or a line that matters is none of an event log */
export function compareLogs(pathA: string, pathB: string): Comparison {
  const a = new LogFile(pathA);
  try {
    const b = new LogFile(pathB);
    try {
      return compare(a, b);
    } finally {
      b.close();
    }
  } finally {
    a.close();
  }
}

interface Spot {
  /** Where a line begins, in both files. */
  readonly offset: number;
  /** Its number, from 1. */
  readonly line: number;
}

function compare(a: LogFile, b: LogFile): Comparison {
  // A file that is no event log at all must not pass because its twin is none either.
  for (const log of [a, b]) eventAt(log, { offset: 0, line: 1 });
  let reordered = 0;
  let firstReordered: Difference | undefined;
  let from: Spot = { offset: 0, line: 1 };
  for (;;) {
    const { differ, ...spot } = firstDifference(a, b, from);
    if (!differ) {
      return { difference: undefined, reordered: { count: reordered, first: firstReordered }, same: spot.line - 1 };
    }
    const behind = sameInstant(a, b, spot);
    if (behind === undefined) {
      const difference = describe(a, b, spot);
      return { difference, reordered: { count: reordered, first: firstReordered }, same: spot.line - 1 };
    }
    firstReordered ??= describe(a, b, spot);
    reordered++;
    from = behind;
  }
}

/** The line in which the files differ first, or the end of both. */
function firstDifference(a: LogFile, b: LogFile, from: Spot): Spot & { readonly differ: boolean } {
  let { offset, line } = from;
  let lineStart = offset;
  for (;;) {
    const [one, other] = [a.chunk(offset), b.chunk(offset)];
    const length = Math.min(one.length, other.length);
    let at = 0;
    if (one.compare(other, 0, length, 0, length) === 0) at = length;
    else while (one[at] === other[at]) at++;
    for (let feed = one.indexOf(LINE_FEED); feed >= 0 && feed < at; feed = one.indexOf(LINE_FEED, feed + 1)) {
      line++;
      lineStart = offset + feed + 1;
    }
    offset += at;
    // A chunk is short at the end of its file alone.
    if (at < length || one.length !== other.length) return { offset: lineStart, line, differ: true };
    if (length === 0) return { offset, line, differ: false };
  }
}

const LINE_FEED = 10;

/** Where to go on when both files have the same events from `spot` to the end of that instant; undefined when they do not. */
function sameInstant(a: LogFile, b: LogFile, spot: Spot): Spot | undefined {
  const [one, other] = [instantFrom(a, spot), instantFrom(b, spot)];
  if (one.length < 2 || one.length !== other.length) return undefined;
  const [sortedA, sortedB] = [[...one].sort(), [...other].sort()];
  if (sortedA.some((text, i) => text !== sortedB[i])) return undefined;
  const bytes = one.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  return { offset: spot.offset + bytes, line: spot.line + one.length };
}

/** The lines from `spot` on that are of the same instant as the first. */
function instantFrom(log: LogFile, { offset, line }: Spot): readonly string[] {
  const lines: string[] = [];
  let instant: number | undefined;
  for (const text of log.lines(offset, Number.POSITIVE_INFINITY)) {
    const { at } = parse(log, text, line + lines.length).event;
    instant ??= at;
    if (at !== instant) break;
    lines.push(text);
  }
  return lines;
}

function describe(a: LogFile, b: LogFile, spot: Spot): Difference {
  const [one, other] = [eventAt(a, spot), eventAt(b, spot)];
  const event = (one ?? other)?.event;
  const serial = event !== undefined && 'serial' in event ? event.serial : undefined;
  const kin = (candidate: LoggedEvent) =>
    serial === undefined || ('serial' in candidate.event && candidate.event.serial === serial);
  const before: LoggedEvent[] = [];
  let line = spot.line - 1;
  for (const text of a.linesBefore(spot.offset, CONTEXT_BYTES)) {
    const candidate = parse(a, text, line--);
    if (kin(candidate)) before.unshift(candidate);
    if (before.length === CONTEXT) break;
  }
  return {
    a: one,
    b: other,
    fields: one !== undefined && other !== undefined ? differingFields(one.event, other.event) : [],
    before,
    afterA: following(a, spot, kin),
    afterB: following(b, spot, kin),
  };
}

function eventAt(log: LogFile, { offset, line }: Spot): LoggedEvent | undefined {
  for (const text of log.lines(offset, CONTEXT_BYTES)) return parse(log, text, line);
  return undefined;
}

function following(log: LogFile, { offset, line }: Spot, kin: (event: LoggedEvent) => boolean): readonly LoggedEvent[] {
  const found: LoggedEvent[] = [];
  let number = line;
  for (const text of log.lines(offset, CONTEXT_BYTES)) {
    if (number > line) {
      const candidate = parse(log, text, number);
      if (kin(candidate)) found.push(candidate);
      if (found.length === CONTEXT) break;
    }
    number++;
  }
  return found;
}

function differingFields(a: TraceEvent, b: TraceEvent): readonly string[] {
  if (a.kind !== b.kind) return ['kind'];
  const [one, other] = [new Map(Object.entries(a)), new Map(Object.entries(b))];
  return [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key));
}

/** @throws UsageError with file and line when it is no event */
function parse(log: LogFile, text: string, line: number): LoggedEvent {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && 'kind' in value && 'at' in value) {
      // Because events are written by TraceLog alone, and this is an object of their form.
      return { line, text, event: value as TraceEvent };
    }
  } catch {
    // Said below, with the place.
  }
  throw new UsageError('bad-event-log', `${log.path}:${line}: this is not an event: ${shorten(text)}`);
}

function shorten(text: string): string {
  return text.length > 60 ? `"${text.slice(0, 60)}…"` : `"${text}"`;
}
