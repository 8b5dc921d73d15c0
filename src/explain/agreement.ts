/**
 * Compares explanations with the tables of the run: both divide the time of a downlink, each by its own causes. The sums must
 * be the same to the millisecond, and a device that waits for its next contact must be asleep.
 */
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { WAIT_CAUSES } from '../trace/downlinks/waits.js';
import type { Divided } from './explain.js';
import { isDelivered } from './outcome.js';

/** @returns one sentence for each difference; empty if the explanation agrees with the record of the tables */
export function findDisagreements({ downlink, took, waits }: Divided, record: DownlinkRecord): readonly string[] {
  const sum = waits.reduce((all, { time }) => all + time, 0);
  const whole = sum === took ? [] : [`the waits of downlink ${downlink} are ${sum} ms, but it took ${took} ms`];
  // The tables end at the last stage. An open downlink has no end, so its explanation goes on.
  const isOpen = !isDelivered(record);
  const parts = WAIT_CAUSES.flatMap((cause) => {
    const explained = waits.reduce((all, wait) => all + wait.parts[cause], 0);
    const counted = record.waits[cause];
    const agree = isOpen ? explained >= counted : explained === counted;
    return agree
      ? []
      : [`downlink ${downlink} has ${explained} ms ${cause} when explained, and ${counted} ms in tables`];
  });
  const awake = waits.flatMap(({ what, time, parts: { asleep } }) =>
    what.startsWith('next ') && asleep !== time
      ? [`downlink ${downlink} waits ${time} ms for the ${what}, and the device is awake for ${time - asleep} ms of it`]
      : [],
  );
  const slept = waits.find(({ what }) => what === 'exchange')?.parts.asleep ?? 0;
  const exchange = slept === 0 ? [] : [`the exchanges of downlink ${downlink} contain ${slept} ms of sleep`];
  return [...whole, ...parts, ...awake, ...exchange];
}
