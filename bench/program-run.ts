/** Runs a scenario with the program in a separate process, and measures CPU time, real time and memory of that process. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { program } from '../scripts/support/program.js';
import { EXIT } from '../src/kernel/errors.js';
import type { RunResult } from '../src/report/result.js';
import type { ScenarioDefinition } from '../src/scenario/parse/define.js';
import type { TraceEvent } from '../src/trace/events.js';
import { bareDay } from './bare-day.js';

export interface ProgramRun {
  /** CPU time of all threads from the start of the process to its end, in ms. */
  readonly cpu: number;
  /** Real time in ms, without the start and the end of the process. */
  readonly wall: number;
  /** Peak memory, in bytes. */
  readonly memory: number;
  readonly digest: string;
  readonly events: number;
  /** Lateness of alarms in ms, in the thread where it was largest. Empty in virtual time. */
  readonly lateness: Readonly<Partial<Record<'count' | 'p99', number>>>;
  readonly calls: RunResult['calls'];
}

/**
 * @param args further arguments of `ghostfleet run`
 * @param accepted exit codes of a run that counts
 * @throws Error with the reason if the run ends with another exit code
 */
export function runProgram(
  scenario: ScenarioDefinition,
  args: readonly string[],
  accepted: readonly (number | null)[] = [EXIT.fine],
): ProgramRun {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-bench-'));
  try {
    const [file, usage] = [join(folder, 'scenario.yaml'), join(folder, 'usage.json')];
    // JSON is valid YAML.
    writeFileSync(file, JSON.stringify(scenario));
    const command = ['--import', resolve('bench/usage.mjs'), program(), 'run', file, '--json', ...args];
    const { status, stdout, stderr } = spawnSync(process.execPath, command, {
      ...{ encoding: 'utf8', maxBuffer: 256 * 1_048_576 },
      env: { ...process.env, BENCH_USAGE: usage },
    });
    if (stdout === '') throw new Error(`the run ended with exit code ${status} and printed no result: ${stderr}`);
    const { wallMs: wall, digest, events, calls, generator, failure } = JSON.parse(stdout);
    if (!accepted.includes(status)) throw new Error(`the run ended with exit code ${status}: ${failure ?? stderr}`);
    const used = JSON.parse(readFileSync(usage, 'utf8'));
    return { ...used, wall, digest, events, calls, lateness: generator?.lateness ?? {} };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Number of lines of an event log that are parsed at once. The events of 100,000 devices do not fit in memory. */
const BATCH = 200_000;

/** CPU time of {@link bareDay} for the events of a log, in ms. */
export function bareLog(path: string): number {
  let took = 0;
  const lines = readFileSync(path);
  let events: TraceEvent[] = [];
  const flush = () => {
    took += bareDay(events);
    events = [];
  };
  for (let from = 0; from < lines.length; ) {
    const end = lines.indexOf(10, from);
    events.push(JSON.parse(lines.toString('utf8', from, end)));
    from = end + 1;
    if (events.length === BATCH) flush();
  }
  flush();
  return took;
}
