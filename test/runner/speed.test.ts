/** API requests of runs that are faster than real time. */
import { expect, it } from 'vitest';
import { renderHtml } from '../../src/report/renderers/html.js';
import { renderText } from '../../src/report/renderers/text.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { runText } from './run-text.js';

const SCENARIO = `
name: fast
duration: 2m
fleet: [{ name: clime, profile: clime, count: 1 }]
load: [{ count-devices:, rate: 30/m }]
`;

it('a faster run reports the times to the answers in real time, and says so', async () => {
  const events: TraceEvent[] = [];
  const watch = { take: (event: TraceEvent) => void events.push(event) };
  const result = await runText(SCENARIO, { clock: 'real', speed: 600, watch });
  expect(events.find(({ kind }) => kind === 'world.speed')).toEqual({ kind: 'world.speed', at: 0, speed: 600 });
  const longest = Math.max(
    ...events.flatMap((event) => (event.kind === 'call.done' && event.status === 200 ? event.at - event.intended : [])),
  );
  // Long latencies are rounded up by at most 0.1 %.
  expect(result.allCalls?.latency?.max).toBeCloseTo(longest / 600, 2);
  const note = 'at × 600, 1/s is 600/s for the API';
  expect(renderText(result, { width: 200 })).toContain(note);
  expect(renderHtml(result)).toContain(note);
});

it('a run in virtual time says nothing about real time', async () => {
  const result = await runText(SCENARIO);
  expect(renderText(result, { width: 200 })).not.toContain('for the API');
});
