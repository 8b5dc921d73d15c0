/** When a device is expected next, from what it has sent. */

/** Contacts within this time belong to one session of the radio. */
const SAME = 60_000;

/** What is known of a device. Times are Unix times in ms, in any order. */
export interface Habits {
  /** Times of its reports. The other messages of a start say nothing about the next contact. */
  readonly reports: readonly number[];
  /** The lines of its latest configuration; empty if it is not known. */
  readonly config: readonly string[];
}

/** @returns the expected time of the next report; undefined if too little is known */
export function nextContact({ reports, config }: Habits): number | undefined {
  const times = [...reports].sort((a, b) => a - b);
  const last = times.at(-1);
  const interval = usualGap(times) ?? configuredInterval(config);
  return last === undefined || interval === undefined ? undefined : last + interval;
}

/** The median, because a single outage makes one long gap. */
function usualGap(times: readonly number[]): number | undefined {
  const gaps = times.flatMap((time, i) => {
    const gap = time - (times[i - 1] ?? time);
    return gap > SAME ? [gap] : [];
  });
  return gaps.length < 2 ? undefined : gaps.sort((a, b) => a - b)[Math.floor(gaps.length / 2)];
}

function configuredInterval(config: readonly string[]): number | undefined {
  const [, seconds] = /^app config interval-report (\d+)$/m.exec(config.join('\n')) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}
