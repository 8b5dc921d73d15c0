/** The telemetry of a worker. */
import { expect, it } from 'vitest';
import { PartCounter } from '../../src/cli/worker-telemetry.js';
import { readTelemetrySettings } from '../../src/telemetry/settings.js';
import { openCollector } from '../support/collector.js';

it('a worker sends metrics of its process and of the parts that it has carried out', async () => {
  const collector = await openCollector();
  const settings = readTelemetrySettings(collector.url, {});
  if (settings === undefined) throw new Error('no settings');
  const counter = new PartCounter();
  const telemetry = counter.begin(settings, (sentence) => expect.unreachable(sentence));
  for (const what of ['begun', 'failed', 'begun'] as const) counter.count(what);
  await telemetry.end();
  collector.close();
  const parts = collector.points.filter(({ name }) => name === 'ghostfleet_worker_parts_total');
  expect(parts.map(({ kind, attributes, value }) => [kind, attributes, value])).toEqual([
    ['sum', { what: 'begun' }, 2],
    ['sum', { what: 'failed' }, 1],
  ]);
  expect(parts[0]?.resource['service.name']).toBe('ghostfleet-worker');
  expect(collector.points.find(({ name }) => name === 'process_resident_memory_bytes')?.value).toBeGreaterThan(1e6);
});
