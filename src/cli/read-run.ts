/** Reads the files of a run: faults and intervals from `summary.json`, and the events of some devices from `events.jsonl`. */
import { createHash } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import Type, { type Static } from 'typebox';
import { Check } from 'typebox/value';
import { Histories, type KnownHistories, untilNow } from '../explain/histories.js';
import { isDelivered, isLost, isUnanswered, measureTime, type Slowness } from '../explain/outcome.js';
import type { Situation } from '../explain/situation.js';
import { readRegular } from '../input/text-file.js';
import { UsageError } from '../kernel/errors.js';
import { foreignJson, isObject } from '../kernel/json-text.js';
import type { Instant } from '../kernel/time.js';
import { exists, isDirectory } from '../kernel/write-files.js';
import { findUnfinished, type Unfinished } from '../library/unfinished.js';
import { dispatchTo } from '../trace/dispatch.js';
import { LogFile } from '../trace/diverge/log-file.js';
import { DownlinkLedger, type DownlinkRecord } from '../trace/downlinks/ledger.js';
import type { TraceEvent } from '../trace/events.js';

export interface StoredRun {
  readonly situation: Situation;
  /** Names of the devices, by serial number. */
  readonly names: Readonly<Record<string, string>>;
  /** Path of `events.jsonl`. */
  readonly events: string;
  /** What a repetition needs; undefined if the run has no summary.json, or its scenario is not a file. */
  readonly facts: RunFacts | undefined;
  /** Set for a run that is in progress or was killed. */
  readonly unfinished: Unfinished | undefined;
  /** Facts about the run that the folder does not contain, one sentence each. */
  readonly unknown: readonly string[];
}

/** The inputs of a run, and its length. */
type RunFacts = Static<typeof FACTS>;

export interface StoredDownlink extends Slowness {
  readonly serial: number;
  /** Whether the downlink was delivered, was not lost, and was answered if the device answers downlinks of its type. */
  readonly complete: boolean;
}

/** Whether `path` is a run: a folder, or one of its files. */
export function isRun(path: string): boolean {
  return isDirectory(path) || FILES.has(basename(path));
}

/** The folder of a run that is named as a folder or as one of its files; another path stays as it is. */
export function runFolder(path: string): string {
  return isRun(path) && !isDirectory(path) ? dirname(path) : path;
}

const FILES: ReadonlySet<string> = new Set(['events.jsonl', 'summary.json']);

/**
 * Reads `summary.json`, and checks that `events.jsonl` belongs to it.
 * @throws UsageError if the event log is missing or does not belong to the summary, and for a summary of another version
 */
export function openRun(path: string): StoredRun {
  const folder = runFolder(path);
  const events = join(folder, 'events.jsonl');
  if (!exists(events)) {
    throw new UsageError(
      'no-events',
      `"${folder}" is not a run: it has no events.jsonl; use the directory of "run --out"`,
    );
  }
  const summary = join(folder, 'summary.json');
  if (!exists(summary)) return { ...NO_SUMMARY, events, unfinished: findUnfinished(folder) };
  const facts = parseSummary(readRegular(summary), summary);
  const { planned, names, digest } = facts;
  if (typeof digest === 'string') checkDigest(events, digest);
  if (!Check(SITUATION, planned) || !Check(NAMES, names ?? {})) {
    throw new UsageError(
      'bad-file',
      `"${summary}" has no device types and faults: another version of ghostfleet wrote it`,
    );
  }
  return {
    situation: planned,
    names: (names ?? {}) as Readonly<Record<string, string>>,
    events,
    unknown: [],
    unfinished: undefined,
    facts: Check(FACTS, facts) ? facts : undefined,
  };
}

/** @throws UsageError if the summary was computed from another log */
function checkDigest(events: string, digest: string): void {
  const found = computeDigest(events, digest.length);
  if (found === digest) return;
  throw new UsageError(
    'bad-file',
    `"${events}" is damaged or of another run: its digest is ${found}, and that of summary.json is ${digest}`,
  );
}

/** The first hexadecimal digits of the digest of an event log. */
export function computeDigest(events: string, digits: number): string {
  const hash = createHash('sha256');
  const file = new LogFile(events);
  try {
    for (let at = 0, piece = file.readChunk(0); piece.length > 0; piece = file.readChunk(at)) {
      hash.update(piece);
      at += piece.length;
    }
  } finally {
    file.close();
  }
  return hash.digest('hex').slice(0, digits);
}

const NO_SUMMARY = {
  situation: { fleet: [], faults: [], settings: [] },
  names: {},
  facts: undefined,
  unknown: ['The run has no summary.json, so its faults and intervals are unknown.'],
} as const;

function parseSummary(text: string, path: string): Readonly<Record<string, unknown>> {
  const value = foreignJson(text);
  if (isObject(value)) return value;
  throw new UsageError('bad-file', `"${path}" is not the summary of a run`);
}

const SERIALS = Type.Array(Type.Tuple([Type.Number(), Type.Number()]));
const INTERVAL = Type.Union([Type.Number(), Type.Null()]);
const WINDOW = Type.Object({ from: Type.Number(), until: Type.Union([Type.Number(), Type.Null()]) });

/** What explanations read of a summary. Everything is checked, because a folder may be of another author. */
const SITUATION = Type.Object({
  fleet: Type.Array(
    Type.Object({
      group: Type.String(),
      serials: SERIALS,
      profile: Type.String(),
      firmware: Type.String(),
      family: Type.Enum(['chester', 'hio']),
      encoder: Type.Boolean(),
      reportEvery: INTERVAL,
      pollEvery: INTERVAL,
    }),
  ),
  faults: Type.Array(
    Type.Object({
      name: Type.String(),
      what: Type.String(),
      whom: Type.String(),
      serials: Type.Union([SERIALS, Type.Null()]),
      sign: Type.Union([Type.String(), Type.Null()]),
      effect: Type.Enum(['blocks', 'hinders', 'restarts', 'disturbs']),
      on: Type.Enum(['datagrams', 'device', 'modem']),
      entries: Type.Optional(Type.Array(Type.String())),
      windows: Type.Array(WINDOW),
    }),
  ),
  settings: Type.Array(
    Type.Object({
      at: Type.Number(),
      serials: SERIALS,
      reportEvery: Type.Optional(INTERVAL),
      pollEvery: Type.Optional(INTERVAL),
    }),
  ),
});

const NAMES = Type.Record(Type.String(), Type.String());

/** What a repetition needs. */
const FACTS = Type.Object({
  source: Type.Object({
    file: Type.String(),
    firmware: Type.Optional(Type.String()),
    vars: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
  }),
  format: Type.Number(),
  seed: Type.Number(),
  planDigest: Type.String(),
  simulatedMs: Type.Number({ minimum: 0 }),
  clock: Type.String(),
  target: Type.String(),
  transport: Type.String(),
});

/** All downlinks that users queued, in the order in which they were queued. */
export function readDownlinks({ events, unfinished }: StoredRun): readonly StoredDownlink[] {
  const ledger = new DownlinkLedger();
  const handlers = dispatchTo([ledger]);
  let closing = unfinished?.until;
  let last: Instant = 0;
  for (const event of readEvents(events, (line) => line.includes('"kind":"downlink.') || line.includes(CLOSING))) {
    if (event.kind === 'world.closing') closing = event.at;
    last = event.at;
    for (const handler of handlers.get(event.kind) ?? []) handler(event);
  }
  return [...ledger.records].map((record) => makeStoredDownlink(record, closing ?? last));
}

const CLOSING = '"kind":"world.closing"';

function makeStoredDownlink(record: DownlinkRecord, closing: Instant): StoredDownlink {
  const { id, serial, queuedAt } = record;
  return {
    id,
    serial,
    queuedAt,
    took: measureTime(record, closing),
    complete: isDelivered(record) && !isLost(record) && !isUnanswered(record),
  };
}

/** The events of these devices; by default, of all devices. */
export function readHistories({ events, unfinished }: StoredRun, serials?: ReadonlySet<number>): KnownHistories {
  const histories = new Histories((serial) => serials?.has(serial) ?? true, Number.POSITIVE_INFINITY);
  const wanted = (line: string) => (serials?.has(findSerial(line)) ?? true) || line.includes(CLOSING);
  for (const event of readEvents(events, wanted)) histories.take(event);
  return unfinished === undefined ? histories : untilNow(histories, unfinished.until);
}

const SERIAL = '"serial":';

/** The serial number in the line of an event, without parsing the whole line; NaN if it has none. */
function findSerial(line: string): number {
  const at = line.indexOf(SERIAL);
  return at < 0 ? Number.NaN : Number.parseInt(line.slice(at + SERIAL.length, at + SERIAL.length + 10), 10);
}

/**
 * The events whose lines are wanted. An incomplete line is skipped: it is the last line of a run that was killed.
 * @throws UsageError for a wanted line that is not an event
 */
function* readEvents(path: string, wanted: (line: string) => boolean): Generator<TraceEvent> {
  const file = new LogFile(path);
  try {
    let number = 0;
    for (const line of file.lines(0, file.size, 1)) {
      number++;
      if (wanted(line) && line.endsWith('}')) yield parseEvent(line, `${path}:${number}`);
    }
  } finally {
    file.close();
  }
}

function parseEvent(line: string, place: string): TraceEvent {
  const value = foreignJson(line);
  // The cast is safe because this program has written the file, and readers skip unknown kinds of events.
  if (isObject(value) && typeof value.kind === 'string' && typeof value.at === 'number')
    return value as unknown as TraceEvent;
  throw new UsageError('bad-file', `${place}: not an event`);
}
