/** Devices whose time passes faster than real time: those of a run with `--speed`. */
import { groupByDevice } from './group.js';
import { findMedian } from './median.js';
import type { Recording } from './recording.js';
import { findRegimes } from './regimes.js';

/** Converts a recording to the time of its devices. At a speed of 1, the recording stays as it is. */
export function convertToDeviceTime(recording: Recording): Recording {
  const { from, until, speed, uplinks, downlinks } = recording;
  const stretched = (at: number | null) => (at === null ? null : Math.round(at * speed));
  return {
    ...recording,
    speed: 1,
    until: from + Math.round((until - from) * speed),
    uplinks: uplinks.map((uplink) => ({ ...uplink, at: Math.round(uplink.at * speed) })),
    downlinks: downlinks.map((downlink) => ({
      ...downlink,
      at: Math.round(downlink.at * speed),
      scheduled: stretched(downlink.scheduled),
      ended: stretched(downlink.ended),
    })),
  };
}

/** Median over all devices of the configured report period divided by the measured one; undefined if no device has both. */
export function findPace(recording: Recording): number | undefined {
  const paces = [...groupByDevice(convertToDeviceTime(recording).uplinks).values()].flatMap((own) => {
    const last = findRegimes(own, [])?.at(-1);
    return last === undefined || last.configured === null ? [] : [last.configured / last.period];
  });
  return findMedian(paces);
}
