import { expect, it } from 'vitest';
import { listed, logLine } from '../../src/console/shown.js';

it('a line of the log has its time in seconds and durations in whole milliseconds', () => {
  const event = { kind: 'device.repeat', at: 56_020, serial: 7, waited: 10_133.501999999979 } as const;
  expect(logLine(event)).toBe('+56.0s    device.repeat       waited=10134');
  expect(logLine(event, 'cellar')).toBe('+56.0s    cellar device.repeat       waited=10134');
});

it('the list of devices shows the charge of a battery as selectors compare it', () => {
  const device = {
    name: 'a',
    serial: 7,
    group: 'a',
    profile: 'clime',
    tags: [],
    fw: 'v4.0.0',
    state: 'ready',
  } as const;
  expect(listed([{ ...device, battery: 0.5 }]).at(-1)).toContain(' 0.5% ');
});
