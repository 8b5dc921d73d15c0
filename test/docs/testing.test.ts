/** The examples of docs/TESTING.md, run unchanged. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runScenario, startDevice, startFleet, startService, virtualTime } from '../../src/index.js';

it('a queued command waits for the next report', async () => {
  const time = virtualTime();
  await using service = await startService({ time });
  const config = ['app config interval-report 3600'];
  const device = await startDevice({ profile: 'clime', service, config });
  await time.advance('10m'); // the device has started and sent its first report
  expect(device.state).toBe('asleep');

  const queued = await service.client.sendCommands(device.id, ['info show']);
  await time.advance('30m');
  expect((await service.client.message(queued.id)).down_state).toBe('pending');
  await time.advance('1h');

  const events = (await service.client.timeline(queued.id)).map((entry) => entry.what);
  expect(events).toEqual(['queued', 'contact', 'offered', 'sent', 'answered']);
});

it('a report contains a temperature after the cellar has become warm', async () => {
  const time = virtualTime({ start: new Date('2026-07-01T06:00:00Z') });
  await using service = await startService({ time });
  const device = await startDevice({ profile: 'clime', service, config: ['app config interval-report 900'] });
  await time.advance('10m');

  await device.control('sensor hygrometer.temperature 31.5');
  await time.advance('1h');

  const [newest] = await service.client.messages({ type: ['data'], limit: 1 });
  const warm = expect.objectContaining({ avg: 31.5 });
  expect(newest?.body).toMatchObject({ hygrometer: { temperature: { measurements: [warm, warm, warm] } } });
});

it('a fleet of sixty devices starts in real time', async () => {
  await using service = await startService();
  await using fleet = await startFleet({ profile: 'clime', count: 60, service });
  await expect.poll(() => fleet.devices.every((device) => device.state !== 'off')).toBe(true);
  expect(await service.client.countDevices()).toBe(60);
});

it('commands wait until an outage ends, and nothing is lost', async () => {
  const out = mkdtempSync(join(tmpdir(), 'outage-'));
  const { passed, expectations, explanations } = await runScenario(
    `
    name: outage
    duration: 12h
    fleet: [{ name: cellar, profile: clime, count: 10 }]
    steps: [{ at: 3h, to: cellar, commands: [info show] }]
    faults: [{ outage: both, from: 2h, until: 4h, to: cellar }]
    expect:
      - downlink.rejected == 0
      - downlink.answered == downlink.queued
      - uplink.stored == uplink.made
      - always no-loss-across-reconnects
    `,
    { seed: 7, out },
  );
  expect(expectations.filter((one) => !one.passed).map((one) => one.sentence)).toEqual([]);
  expect(passed).toBe(true);
  expect(explanations?.[0]?.causes).toEqual([{ kind: 'fault', name: 'outage (cellar)' }]);
  expect(existsSync(join(out, 'report.html'))).toBe(true);
});

it('the page shows exactly these tests', () => {
  const tests = (text: string) => [...text.matchAll(/^it\('(?!the page shows)[\s\S]*?\n}\);$/gm)].map(([test]) => test);
  const here = tests(readFileSync(import.meta.filename, 'utf8'));
  expect(here.length).toBeGreaterThan(3);
  expect(tests(readFileSync('docs/TESTING.md', 'utf8'))).toEqual(here);
});
