/**
 * The goals: wanted figures, which do not decide about the exit code. Each one has a row in docs/SCALE.md, "Limits on one
 * machine", which says what limits it; a test compares the two.
 */
import { readFileSync } from 'node:fs';

interface Goal {
  /** Beginning of the first cell of its row in docs/SCALE.md. */
  readonly row: string;
  /** Exactly one of `least` and `most` is given. */
  readonly least?: number;
  readonly most?: number;
  /** Unit of the measured and of the wanted figure. Default: a ratio. */
  readonly unit?: string;
}

export const GOALS = {
  help: { row: 'time of `--help`', most: 0.25, unit: 's' },
  version: { row: 'time of `--version`', most: 0.25, unit: 's' },
  validate: { row: 'time of `validate`', most: 0.25, unit: 's' },
  npx: { row: 'time of the first `npx ghostfleet`', most: 2, unit: 's' },
  ready: { row: 'time until `serve` is ready', most: 0.4, unit: 's' },
  page: { row: 'p99 of a page of messages', most: 20, unit: 'ms' },
  atRest: { row: 'memory of a device at rest', most: 2500, unit: 'B' },
  day: { row: 'CPU time of a day of a Clime', most: 6, unit: 'ms' },
  dayOfAll: { row: 'CPU time of a day, on average over all device types', most: 9, unit: 'ms' },
  threads: { row: 'speed of two threads, relative to one: Clime', least: 1.75 },
  threadsOfAll: { row: 'speed of two threads, relative to one: all device types', least: 1.75 },
  boot: { row: 'CPU time of the boot of a device', most: 0.9, unit: 'ms' },
  bootMemory: { row: 'peak memory of a device that boots', most: 15, unit: 'kB' },
  bootFleet: { row: 'boot of 100,000 devices', most: 50, unit: 's' },
  fleetDay: { row: 'time of 100,000 devices', most: 7, unit: 'min' },
  fleetMemory: { row: 'memory of 100,000 devices', most: 2, unit: 'GB' },
  http: { row: 'durable uplinks over HTTP', least: 0.8 },
  udp: { row: 'durable uplinks over UDP', least: 0.4 },
  requests: { row: 'API requests of a run, one thread', least: 0.85 },
  requestsOfTwo: { row: 'API requests of a run, two threads', least: 1.1 },
  realTime: { row: 'lateness of devices in real time', most: 10, unit: 'ms' },
} satisfies Readonly<Record<string, Goal>>;

export type GoalName = keyof typeof GOALS;

/** A goal in a line: whether it is reached, the measured figure, the wanted one, and what limits it. */
export function goalLine(name: GoalName, measured: number): string {
  const { row, least, most, unit }: Goal = GOALS[name];
  const reached = least === undefined ? measured <= (most ?? 0) : measured >= least;
  const shown = (value: number) =>
    `${value.toLocaleString('en', { maximumFractionDigits: value < 100 ? 2 : 0 })}${unit ? ` ${unit}` : ''}`;
  const wanted = least === undefined ? `at most ${shown(most ?? 0)}` : `at least ${shown(least)}`;
  const figures = `${reached ? 'reached    ' : 'not reached'} ${row}: ${shown(measured)} (wanted: ${wanted})`;
  return reached ? figures : `${figures}\n              limited by: ${rowOf(name).at(-1)}`;
}

/** The cells of the goal's row in docs/SCALE.md. @throws Error if there is none */
export function rowOf(name: GoalName): readonly string[] {
  const { row } = GOALS[name];
  const page = readFileSync('docs/SCALE.md', 'utf8');
  const line = page
    .slice(page.indexOf('## Limits on one machine'))
    .split('\n')
    .find((text) => text.startsWith(`| ${row}`));
  if (line === undefined) throw new Error(`docs/SCALE.md has no row "${row}"`);
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
