/** Predicts the next contact of a device from the times of its reports, or from its configuration. */

/** Contacts within this time, in ms, belong to one session of the radio. */
const SAME = 60_000;

/** The known reports and configuration of a device. Times are Unix times in ms, in any order. */
export interface Habits {
  /** Times of its reports. Other messages are left out: a device sends them after its start, independently of its interval. */
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

/** The usual time between two reports: the median, on which a single long gap after an outage has little influence. */
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
