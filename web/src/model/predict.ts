/** When a device is expected next, from its earlier contacts. */

/** Contacts within this time belong to one session of the radio. */
const SAME = 60_000;

/**
 * @param contacts Unix times in ms of messages from the device, in any order
 * @returns the expected time of the next contact; undefined if there are too few contacts
 */
export function nextContact(contacts: readonly number[]): number | undefined {
  const times = [...contacts].sort((a, b) => a - b);
  const gaps = times.flatMap((time, i) => {
    const gap = time - (times[i - 1] ?? time);
    return gap > SAME ? [gap] : [];
  });
  const last = times.at(-1);
  if (last === undefined || gaps.length < 2) return undefined;
  // The median, because a single outage makes one long gap.
  const middle = gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)];
  return middle === undefined ? undefined : last + middle;
}
