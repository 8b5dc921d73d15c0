/** Time travel: the moment that is chosen, and what differs between two runs. */
import { signal } from '@preact/signals';
import type { RunState } from '../../../src/control/run-state.js';
import type { RunComparison, RunEnd } from '../../../src/control/travel.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { humanDuration } from '../../../src/kernel/time.js';
import { type Band, CHARTS, type ChartPlan, linesOf, startOf } from './charts.js';
import { counted } from './count.js';
import { stateOf } from './expectations.js';
import { faultName, periodOf } from './faults.js';
import { latest } from './history.js';

/** The moment on the slider, in ms since the start of the run; undefined before the user moves it. */
export const chosenMoment = signal<number | undefined>(undefined);

/** The chosen moment as a line on the charts. */
export function momentBand(state: RunState | undefined, moment: number | undefined): readonly Band[] {
  const start = startOf(state);
  if (state === undefined || start === undefined || moment === undefined) return [];
  return [{ from: start + moment, until: start + moment, isMark: true }];
}

/** What differs, in sentences; the first one says when it began. */
export function differencesOf({ original, fork, same, difference }: RunComparison): readonly string[] {
  if (difference === null) return [`Nothing differs: both runs have the same ${counted(same, 'event')}.`];
  const own = (event: typeof difference.original) =>
    event === null ? 'there are no more events' : printableLine(event.sentence);
  const [one, two] = [own(difference.original), own(difference.fork)];
  return [
    `The first difference is after ${humanDuration(difference.at_ms)}: ` +
      (one === two ? `in both, ${one}, with other details.` : `in the original, ${one}; in the fork, ${two}.`),
    ...faultsOfOne('original', original, fork),
    ...faultsOfOne('fork', fork, original),
    ...expectationsThatDiffer(original, fork),
    ...figuresThatDiffer(original, fork),
  ];
}

/** The faults that only one of both runs has. A fault that was lifted in the fork has another end there. */
function faultsOfOne(name: string, one: RunEnd, other: RunEnd): readonly string[] {
  const texts = ({ faults }: RunEnd) => faults.map((fault) => `${faultName(fault)} ${periodOf(fault)}`);
  const others = new Set(texts(other));
  return texts(one).flatMap((text) => (others.has(text) ? [] : [`Only in the ${name}: ${text}.`]));
}

function expectationsThatDiffer(original: RunEnd, fork: RunEnd): readonly string[] {
  return original.expectations.flatMap((each, n) => {
    const other = fork.expectations[n];
    if (other === undefined) return [];
    const [one, two] = [stateOf(each), stateOf(other)];
    if (one === two) return [];
    return [`${printableLine(each.line)} ${VERBS[one]} in the original, and ${VERBS[two]} in the fork.`];
  });
}

const VERBS = { holds: 'holds', fails: 'fails', undecided: 'is undecided' } as const;

/** The figures at the end that differ. */
function figuresThatDiffer({ history: one }: RunEnd, { history: two }: RunEnd): readonly string[] {
  if (one === null || two === null) return [];
  return Object.values(CHARTS).flatMap((plan: ChartPlan) =>
    plan.lines.flatMap(({ figure }) => {
      const [words, text] = FIGURES[figure] ?? [];
      const [a, b] = [latest(one, figure), latest(two, figure)];
      if (!words || !text || a === undefined || b === undefined || text(a) === text(b)) return [];
      return [`At the end, ${words(a)} in the original, and ${text(b)} in the fork.`];
    }),
  );
}

const count = (value: number) => Math.round(value).toLocaleString('en');
const length = (seconds: number) => humanDuration(Math.round(seconds) * 1000);

/** A figure in words, and only its value. */
const FIGURES: Readonly<Partial<Record<string, readonly [words: (value: number) => string, typeof count]>>> = {
  devices_on_time: [
    (value) => `${counted(Math.round(value), 'device')} ${Math.round(value) === 1 ? 'is' : 'are'} on time`,
    count,
  ],
  downlinks_waiting: [
    (value) => `${counted(Math.round(value), 'downlink')} ${Math.round(value) === 1 ? 'waits' : 'wait'}`,
    count,
  ],
  delivery_p95_seconds: [
    (value) => `95 % of the downlinks delivered in the last hour took at most ${length(value)}`,
    length,
  ],
};

/** A chart of both runs: for each figure two lines over each other. */
export function curvesOf({ original, fork }: RunComparison, plan: ChartPlan) {
  const line = plan.lines.at(-1);
  if (original.history === null || fork.history === null || line === undefined) return [];
  const of = (history: NonNullable<RunEnd['history']>) => linesOf({ ...plan, lines: [line] }, history);
  return [
    ...of(original.history).map(({ curve }) => ({ name: 'original', curve })),
    ...of(fork.history).map(({ curve }) => ({ name: 'fork', curve })),
  ];
}
