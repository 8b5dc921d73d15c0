/** Recordings of devices whose time passed faster than real time. */
import { describe, expect, it } from 'vitest';
import { convertToDeviceTime, findPace } from '../../src/record/pace.js';
import { downlink, FROM, recording, uplink } from './fixtures.js';

const reports = [0, 1000, 1900, 3000].map((at) => uplink(at));
const configured = uplink(100, { type: 'config', reportEvery: 60 });

describe('the pace of devices', () => {
  it('is the configured report period divided by the measured report period', () => {
    expect(findPace(recording([configured, ...reports]))).toBe(60);
  });

  it('is relative to the recorded speed: it is 1 for devices whose time passed exactly at this speed', () => {
    expect(findPace(recording([configured, ...reports], [], { speed: 60 }))).toBe(1);
  });

  it('is undefined if no device reported its interval, or if no device reported twice', () => {
    expect(findPace(recording(reports))).toBeUndefined();
    expect(findPace(recording([configured, uplink(1000)]))).toBeUndefined();
  });
});

describe('a recording in the time of its devices', () => {
  const fast = { speed: 10, until: FROM + 60_000 };

  it('is longer than in real time: all its times are multiplied by the speed', () => {
    const made = recording([uplink(1000)], [downlink(2000, 2500), downlink(3000, null)], fast);
    expect(convertToDeviceTime(made)).toEqual(
      recording([uplink(10_000)], [downlink(20_000, 25_000), downlink(30_000, null)], { until: FROM + 600_000 }),
    );
  });
});
