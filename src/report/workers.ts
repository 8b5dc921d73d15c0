/** The workers of a divided run: whether each, and all together, kept up. A row's first cell is its name. */
import { humanCount, humanShare } from '../kernel/quantity.js';
import { humanDuration, sinceStart } from '../kernel/time.js';
import type { Row } from './figures.js';
import type { GeneratorReport, RunResult, WorkerReport } from './result.js';

/** Titles of the columns. The last column contains a text. */
export const WORKER_COLUMNS = ['devices', 'requests', 'late, p99', 'busy', 'clock', ''] as const;

/** A row for each worker, and one for all together if there are several. Empty if the run was not divided. */
export function listWorkerRows({ workers = [], generator }: RunResult): readonly Row[] {
  const rows = workers.map((worker) => [
    `worker ${worker.number}`,
    ...writeCounts([worker]),
    ...writePace(worker.generator),
    describeClock(worker),
    `${writeSentence(worker)}${describePlace(worker)}`,
  ]);
  if (workers.length < 2) return rows;
  return [...rows, ['all', ...writeCounts(workers), ...writePace(generator), '', joinWorkers(workers)]];
}

/** `lost`: its devices and loads ended early. `slow`: it measured its own delays. `unknown`: no measurement. */
export function getState({ lost, generator }: WorkerReport): 'fine' | 'slow' | 'lost' | 'unknown' {
  if (lost !== null) return 'lost';
  if (generator === null) return 'unknown';
  return generator.spoiled === null ? 'fine' : 'slow';
}

/** The state of a worker in words. */
export function writeSentence(worker: WorkerReport): string {
  switch (getState(worker)) {
    case 'lost':
      return `lost at ${humanDuration(sinceStart(worker.lost?.at ?? 0))}: ${worker.lost?.why}`;
    case 'slow':
      return `too slow: ${worker.generator?.spoiled}`;
    case 'unknown':
      return 'not measured';
    default:
      return 'kept up';
  }
}

function joinWorkers(workers: readonly WorkerReport[]): string {
  const states = workers.map(getState);
  const bad = (['lost', 'slow', 'unknown'] as const).flatMap((state) => {
    const count = states.filter((each) => each === state).length;
    return count === 0 ? [] : `${count} ${WORDS[state]}`;
  });
  return bad.length === 0 ? 'kept up' : bad.join(', ');
}

const WORDS = { lost: 'lost', slow: 'too slow', unknown: 'not measured' } as const;

function writeCounts(workers: readonly WorkerReport[]): Row {
  const sum = (of: (worker: WorkerReport) => number) => workers.reduce((all, worker) => all + of(worker), 0);
  return [humanCount(sum(({ devices }) => devices)), humanCount(sum(({ requests }) => requests))];
}

/** Lateness and saturation. A cell without a measurement is empty. */
function writePace(generator: GeneratorReport | null): Row {
  if (generator === null) return ['', ''];
  const { lateness, busy } = generator;
  return [lateness === undefined ? '' : humanDuration(lateness.p99), humanShare(busy)];
}

/** How far the worker's clock is ahead of the run's; after `±`, its events' largest error. */
function describeClock({ clock }: WorkerReport): string {
  if (clock === null) return '';
  const { uncertainty } = clock;
  // Calendar time has whole milliseconds.
  const system = Math.round(clock.system);
  return `${system < 0 ? '' : '+'}${humanDuration(system)} ±${humanDuration(uncertainty)}`;
}

function describePlace({ host, pid }: WorkerReport): string {
  return host === null ? '' : ` (${host}, process ${pid})`;
}
