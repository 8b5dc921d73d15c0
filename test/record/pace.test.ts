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

  it.each([
    { why: 'after boots', at: [10, 310, 610], sessions: [0, 300, 600] },
    { why: 'after boots and by hand', at: [10, 310, 610, 700], sessions: [0, 300, 600] },
    { why: 'by hand, now and then', at: [10, 60, 300, 320], sessions: [0] },
    { why: 'after boots at regular times', at: [10, 70, 130, 190, 250], sessions: [0, 60, 120, 180, 240] },
  ])('is undefined if the only reports are those $why', ({ at, sessions }) => {
    const boots = sessions.flatMap((second) => [
      uplink(second * 1000, { type: 'session' }),
      uplink(second * 1000 + 500, { type: 'config', reportEvery: 1800 }),
    ]);
    expect(findPace(recording([...boots, ...at.map((second) => uplink(second * 1000))]))).toBeUndefined();
  });

  it('is that of the regular reports, also if others were sent by hand', () => {
    const own = [0, 1000, 1100, 1200, 2000, 3000, 4000, 5000].map((at) => uplink(at));
    expect(findPace(recording([configured, ...own]))).toBe(60);
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
