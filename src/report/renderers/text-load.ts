/** The sections of the text report about API requests and about the load generator. */
import { humanDuration } from '../../kernel/time.js';
import type { RunResult } from '../result.js';
import { percent, section, spreadCells } from './text-parts.js';

export function load({ calls, clock, generator }: RunResult): readonly string[] {
  const loads = Object.entries(calls);
  if (loads.length === 0) return [];
  const counts = loads.map(([name, { planned, answered, failed, refused, inFlight, dropped, closedLoop }]) => {
    const shown = closedLoop ? `${name} (closed loop)` : name;
    return [shown, ...[planned, answered, failed, refused, inFlight, dropped].map(String)];
  });
  const reasons = loads.flatMap(([name, { reasons: why }]) =>
    Object.entries(why).map(([reason, count]) => `  ${count} × ${reason} (${name})`),
  );
  const blocks = [
    ...section('API requests', ['planned', 'answered', 'failed', '429', 'in flight', 'dropped'], counts),
    ...reasons,
  ];
  // In virtual time the embedded cloud answers without delay.
  if (clock === 'virtual') return blocks;
  const latencies = loads.flatMap(([name, { latency, service }]) => [
    ...(latency ? [[`${name}, since due`, ...spreadCells(latency)]] : []),
    ...(service ? [['  since sent', ...spreadCells(service)]] : []),
  ]);
  if (latencies.length > 0)
    blocks.push('', ...section('time to the answer', ['count', 'p50', 'p95', 'p99', 'max'], latencies));
  if (generator === null || generator.lateness === undefined) return blocks;
  const { lateness, eventLoopDelay, busy, cpu, gc } = generator;
  blocks.push(
    '',
    'generator',
    `  actions late by ${humanDuration(lateness.p99)} at p99, ${humanDuration(lateness.max)} at most; event loop delayed by ${humanDuration(eventLoopDelay)} at p99`,
    `  event loop busy ${percent(busy)}, ${cpu.toFixed(1)} cores used, ${percent(gc)} of the time in garbage collection`,
  );
  return blocks;
}
