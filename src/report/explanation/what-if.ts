/** What would have happened to the downlinks of a run if something had been different: as plain data, and as text. */
import type { DownlinkCourse, ExplainedEntry } from '../../explain/explanation.js';
import { type Column, wrap, writeTable } from '../../kernel/table.js';
import { humanDuration, type Instant, type Millis, sinceStart } from '../../kernel/time.js';
import { Distribution } from '../../trace/distribution.js';
import type { TrackedType } from '../../trace/downlinks/ledger.js';
import type { ExpectationResult } from '../result.js';

/** The answer to a question "what if": the run before and after a change. */
export interface WhatIfAnswer {
  /** `without outage (clime/1)`, `with app interval-poll 60` */
  readonly changes: readonly string[];
  /** Whether both sides are a simulation of the plan, because the run was in real time or used another cloud. */
  readonly simulated: boolean;
  /** The expectations of the run on both sides; missing if only one device was asked about. */
  readonly expectations?: readonly ChangedExpectation[];
  /** All downlinks of users that were asked about, slowest first. */
  readonly downlinks: readonly ChangedDownlink[];
}

export interface ChangedExpectation {
  /** As the user wrote it. */
  readonly line: string;
  readonly before: ExpectationResult;
  readonly after: ExpectationResult;
}

export interface ChangedDownlink {
  /** Id of the downlink. */
  readonly downlink: string;
  readonly serial: number;
  /** Name of the device. */
  readonly device: string;
  readonly type: TrackedType;
  /** Since the start of the run. */
  readonly queuedAt: Instant;
  readonly before: DownlinkCourse;
  /** null if the downlink is not queued after the change. */
  readonly after: DownlinkCourse | null;
}

/** Number of downlinks that the text shows. */
const SHOWN = 3;

/** @param all whether to show every downlink, not only the slowest ones */
export function writeWhatIf(answer: WhatIfAnswer, all: boolean, width: number): readonly string[] {
  const { changes, simulated, expectations = [], downlinks } = answer;
  const shown = all ? downlinks : downlinks.slice(0, SHOWN);
  return [
    ...wrap(`what if: ${changes.join(', ')}`, width),
    ...(simulated ? ['simulated: the same plan in virtual time, because the run cannot be repeated exactly'] : []),
    ...(downlinks.length === 0 ? ['', 'no downlink was queued'] : ['', ...writeSummary(downlinks, width)]),
    ...(expectations.length === 0 ? [] : ['', ...writeExpectations(expectations)]),
    ...shown.flatMap((each) => ['', ...writeDownlink(each, width)]),
    ...(shown.length < downlinks.length ? ['', `${downlinks.length - shown.length} more downlinks: --json`] : []),
  ];
}

const COLUMNS: readonly Column[] = [
  { title: '' },
  { title: 'before', align: 'right' },
  { title: 'after', align: 'right' },
];

function writeSummary(downlinks: readonly ChangedDownlink[], width: number): readonly string[] {
  const alike = downlinks.filter(endsAlike);
  const timed = alike.length === 0 ? downlinks : alike;
  const row = (title: string, of: (courses: readonly DownlinkCourse[]) => string, from = downlinks) => {
    return [title, of(from.map(({ before }) => before)), of(from.flatMap(({ after }) => after ?? []))];
  };
  const count = (test: (course: DownlinkCourse) => boolean) => (courses: readonly DownlinkCourse[]) =>
    String(courses.filter(test).length);
  const time = (percent: number) => (courses: readonly DownlinkCourse[]) => {
    const times = new Distribution();
    for (const { took } of courses.filter(isDelivered)) times.record(took);
    const found = times.findPercentile(percent);
    return found === undefined ? '–' : humanDuration(found);
  };
  const table = writeTable(COLUMNS, [
    row('downlinks', (courses) => String(courses.length)),
    row('  delivered', count(isDelivered)),
    row(
      '  answered',
      count(({ outcome }) => outcome === 'answered'),
    ),
    row('  time p(50)', time(50), timed),
    row('  time p(95)', time(95), timed),
    row('  time max', time(100), timed),
  ]);
  const left = downlinks.length - alike.length;
  if (left === 0) return table;
  const note =
    alike.length === 0
      ? 'No downlink was delivered, or answered, on both sides, so no times can be compared.'
      : `The times are without the downlinks (${left}) that were not delivered, or answered, on both sides.`;
  return [...table, ...wrap(note, width)];
}

/** Whether both sides reached the same stage, so that their times can be compared. */
function endsAlike({ before, after }: ChangedDownlink): boolean {
  return after !== null && isDelivered(before) && isDelivered(after) && before.outcome === after.outcome;
}

function isDelivered({ outcome, received }: DownlinkCourse): boolean {
  return received && (outcome === 'answered' || outcome === 'delivered');
}

function writeExpectations(expectations: readonly ChangedExpectation[]): readonly string[] {
  const side = ({ passed, undecided, sentence }: ExpectationResult) =>
    `${undecided ? '?' : passed ? '✓' : '✗'} ${sentence}`;
  return [
    'expectations',
    ...expectations.flatMap(({ line, before, after }) => [
      `  ${line}`,
      `    before ${side(before)}`,
      `    after  ${side(after)}`,
    ]),
  ];
}

function writeDownlink({ type, device, downlink, queuedAt, before, after }: ChangedDownlink, width: number) {
  const half = Math.floor((width - 5) / 2);
  const [one, other] = [writeCourse(before, half), writeCourse(after, half)];
  const rows = Array.from({ length: Math.max(one.length, other.length) }, (_, i) =>
    `  ${(one[i] ?? '').padEnd(half)} │ ${other[i] ?? ''}`.trimEnd(),
  );
  return [`${type} to ${device} · ${downlink} · queued at ${humanDuration(sinceStart(queuedAt))}`, ...rows];
}

function writeCourse(course: DownlinkCourse | null, width: number): readonly string[] {
  if (course === null) return ['not queued'];
  return [describeOutcome(course, course.took), ...course.timeline.flatMap((entry) => writeEntry(entry, width))];
}

/** `answered after 17.3s`, `pending after 1m` */
export function describeOutcome(
  { outcome, received }: Pick<DownlinkCourse, 'outcome' | 'received'>,
  took: Millis,
): string {
  const time = humanDuration(took);
  if (!received) return `lost after ${time}: never received`;
  return outcome === 'pending' ? `pending after ${time}` : `${outcome} after ${time}`;
}

const MARKS: Readonly<Record<ExplainedEntry['kind'], string>> = {
  stage: ' ',
  contact: ' ',
  failure: '✗',
  fault: '!',
  rule: '!',
};

function writeEntry({ at, kind, what }: ExplainedEntry, width: number): readonly string[] {
  const [first = '', ...rest] = wrap(`${MARKS[kind]} ${what}`, width - TIME - 2);
  return [`${`+${humanDuration(at)}`.padEnd(TIME)}${first}`, ...rest.map((line) => `${' '.repeat(TIME + 2)}${line}`)];
}

const TIME = 9;
