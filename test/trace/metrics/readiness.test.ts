/** How far devices came that were never ready. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent, UplinkType } from '../../../src/trace/events.js';
import { metricsOf } from '../fixtures.js';
import { numbers } from '../metric-numbers.js';

const boot = (serial: number): TraceEvent => ({ kind: 'device.boot', at: 0, serial, cause: 'power' });
const session = (serial: number): TraceEvent => ({
  ...{ kind: 'downlink.received', at: 1, serial, type: 'session', print: 's' },
});
const upload = (serial: number, type: UplinkType): TraceEvent => ({
  ...{ kind: 'uplink.made', at: 2, serial, uplink: 1, type, bytes: 9 },
});
const ready = (serial: number): TraceEvent => ({ kind: 'device.ready', at: 3, serial });
const closing: TraceEvent = { kind: 'world.closing', at: 10 };

const fleetOf = (events: readonly TraceEvent[], devices = 1) => metricsOf(events, devices).summarise().fleet;

describe('a device that was never ready', () => {
  it.each<[string, readonly TraceEvent[]]>([
    ['power', []],
    ['session', [boot(1), upload(1, 'session')]],
    ['uploads', [boot(1), upload(1, 'session'), session(1)]],
    ['codec', [boot(1), session(1), upload(1, 'codec')]],
    ['config', [boot(1), session(1), upload(1, 'codec'), upload(1, 'config')]],
    ['update report', [boot(1), session(1), upload(1, 'config'), upload(1, 'firmware')]],
  ])('lacks: %s', (lack, events) => {
    expect(fleetOf(events)).toMatchObject({ ready: 0, lacking: { [lack]: 1 } });
  });

  it('had a session even if it restarted afterwards and lacks one now', () => {
    const restarted = fleetOf([boot(1), session(1), upload(1, 'codec'), boot(1)]);
    expect(restarted).toMatchObject({ sessions: 1, lacking: { codec: 1 } });
  });

  it('does not lack less because of what happens after the end of the scenario', () => {
    const late = fleetOf([boot(1), closing, session(1), upload(1, 'codec'), ready(1)]);
    expect(late).toMatchObject({ sessions: 0, ready: 0, lacking: { session: 1 } });
  });
});

describe('a device that was ready', () => {
  it('lacks nothing, whatever it uploads later', () => {
    const events = [boot(1), session(1), upload(1, 'codec'), ready(1), upload(1, 'config'), boot(1)];
    expect(fleetOf(events)).toMatchObject({ sessions: 1, ready: 1, lacking: {} });
  });
});

it('the metrics tell devices with a session from devices that are ready', () => {
  const events = [1, 2, 3].flatMap((serial) => [boot(serial), session(serial), upload(serial, 'codec')]);
  const metrics = metricsOf([...events, ready(3)], 4);
  expect(numbers(metrics, 'device')).toMatchObject({ 'device.session': 3, 'device.ready': 1, 'device.up': 1 });
});
