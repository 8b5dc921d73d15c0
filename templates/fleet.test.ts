// npm install --save-dev ghostfleet vitest
// npx vitest run fleet.test.ts
import { runScenario, startDevice, startService, virtualTime } from 'ghostfleet';
import { expect, it, vi } from 'vitest';

// A busy machine needs longer than the 5 seconds of Vitest.
vi.setConfig({ testTimeout: 60_000 });

it('a command waits until the device reports, and is then answered', async () => {
  const time = virtualTime();
  const service = await startService({ time });
  try {
    const device = await startDevice({ profile: 'clime', service, config: ['app config interval-report 3600'] });
    await time.until(() => device.state === 'asleep', { within: '10m' });

    const queued = await service.client.sendCommands(device.id, ['info show']);
    await time.advance('2h');

    const events = (await service.client.timeline(queued.id)).map((entry) => entry.what);
    expect(events).toEqual(['queued', 'contact', 'offered', 'sent', 'answered']);
  } finally {
    await service.close();
  }
});

it('twenty devices get a configuration within half an hour', async () => {
  const { expectations } = await runScenario({
    name: 'roll-out',
    duration: '2h',
    fleet: [{ name: 'logger', profile: 'clime', count: 20, config: { 'interval-report': 900 } }],
    steps: [{ at: '30m', to: 'logger', config: { 'interval-report': 600 } }],
    expect: ['device.ready == 20', 'downlink.answered within 30m >= 95%'],
  });
  expect(expectations.filter((one) => !one.passed)).toEqual([]);
});
