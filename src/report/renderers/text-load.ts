/** The sections of the text report about API requests, the load generator and the workers of a divided run. */
import { humanShare } from '../../kernel/quantity.js';
import { wrap } from '../../kernel/table.js';
import { humanDuration } from '../../kernel/time.js';
import { countReason, listReasons } from '../../trace/metrics/calls.js';
import {
  CALL_COLUMNS,
  callPace,
  callRows,
  callTimeRows,
  ITERATION_COLUMNS,
  iterationRows,
  SPREAD_COLUMNS,
} from '../figures.js';
import type { RunResult } from '../result.js';
import { listWorkerRows, WORKER_COLUMNS } from '../workers.js';
import { hangIndent, writeSection } from './text-parts.js';

export function writeLoad(result: RunResult, width: number): readonly string[] {
  const { generator, clock } = result;
  const counts = callRows(result);
  if (counts.length === 0) return [];
  const lines = (text: string) => wrap(text, width - 2).map((line) => `  ${line}`);
  const reasons = listReasons([result.calls]).flatMap((reason) => lines(countReason(reason)));
  const times = callTimeRows(result);
  const chains = iterationRows(result);
  const pace = callPace(result);
  const blocks = [
    ...writeSection('API requests', CALL_COLUMNS, counts, width),
    ...reasons,
    ...(chains.length === 0 ? [] : ['', ...writeSection('iterations', ITERATION_COLUMNS, chains, width)]),
    ...(times.length === 0 ? [] : ['', ...writeSection('time to the answer', SPREAD_COLUMNS, times, width)]),
    ...(pace === undefined ? [] : lines(pace)),
  ];
  if (clock === 'virtual') return blocks;
  if (generator === null || generator.lateness === undefined) return blocks;
  const { lateness, eventLoopDelay, stall, busy, cpu, gc } = generator;
  blocks.push(
    '',
    'generator',
    ...lines(
      `actions late by ${humanDuration(lateness.p99)} at p99, ${humanDuration(lateness.max)} at most; event loop delayed by ${humanDuration(eventLoopDelay)} at p99; longest stop ${humanDuration(stall)}`,
    ),
    ...lines(
      `event loop busy ${humanShare(busy)}, ${cpu.toFixed(1)} cores used, ${humanShare(gc)} of the time in garbage collection`,
    ),
  );
  return blocks;
}

export function writeWorkers(result: RunResult, width: number): readonly string[] {
  const rows = listWorkerRows(result);
  if (rows.length === 0) return [];
  const whole = writeSection('workers', WORKER_COLUMNS, rows, width);
  if (whole.every(({ length }) => length <= width)) return whole;
  const figures = rows.map((row) => row.slice(0, -1));
  const states = rows.flatMap(([name, ...cells]) => hangIndent(`${name}: ${cells.at(-1)}`, width));
  return [...writeSection('workers', WORKER_COLUMNS.slice(0, -1), figures, width), ...states];
}
