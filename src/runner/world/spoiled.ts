/**
 * Decides whether the process that simulated the fleet was too slow. If it was, the run is invalid: it measured that process,
 * not the service.
 */
import { humanCount } from '../../kernel/quantity.js';
import type { Ratio } from '../../kernel/ratio.js';
import { exactDuration, humanDuration, type Millis, seconds } from '../../kernel/time.js';
import type { GeneratorReport } from '../../report/result.js';
import type { CallSummary } from '../../trace/metrics/calls.js';
import type { FleetSummary } from '../../trace/metrics/devices.js';
import { UNSENT } from '../load/requests.js';

/** Real time: a smaller delay does not affect a measurement, because networks vary by more. */
const LATE: Millis = 200;
/** Time of the run: a device repeats a datagram after waiting this long for a response (timing T-35). */
const DEVICE_TIMEOUT: Millis = seconds(5);
/** Real time: if this process stalls for this long, the stall falsifies latencies of the service and times of devices. */
const LONGEST_STALL: Millis = 500;
/** Share of the planned requests of a load that may remain unsent. */
const MOST_UNSENT: Ratio = 0.05;
/** If the event loop is busy for a larger share of the time, latencies include waiting time inside this process. */
const MOST_BUSY = 0.97;

/**
 * Why the figures of the process make the run invalid; null if they do not.
 * @param speed simulated milliseconds per real millisecond
 * @param loads whether the run measured how fast the service answers
 */
export function findSpoiling(figures: Omit<GeneratorReport, 'spoiled'>, speed: number, loads: boolean): string | null {
  const { lateness, stall, busy, cpu, gc } = figures;
  const state = `event loop ${formatPercent(busy)} busy, CPU ${formatPercent(cpu)} of one core, garbage collection ${formatPercent(gc)} of the time`;
  if (lateness !== undefined && lateness.p99 > LATE) {
    const [some, most] = [humanDuration(lateness.p99), humanDuration(lateness.max)];
    return `the load generator was the bottleneck: 1 % of its actions were more than ${some} late, the worst ${most}; ${state}`;
  }
  if (lateness !== undefined && lateness.p95 * speed > DEVICE_TIMEOUT) {
    const [some, most] = [humanDuration(lateness.p95 * speed), humanDuration(lateness.max * speed)];
    return `speed ${speed} is too high for this machine: in time of the run, 5 % of the actions were more than ${some} late, the worst ${most}, but a device waits only ${humanDuration(DEVICE_TIMEOUT)} for a response`;
  }
  if (loads && stall >= LONGEST_STALL) {
    return `the load generator stood still for ${humanDuration(stall)}, and the measured latencies include this time; ${state}`;
  }
  // Only an action that was due during the stall shows that the stall has changed the run.
  const latest = lateness?.max ?? 0;
  if (latest >= LONGEST_STALL && latest * speed > DEVICE_TIMEOUT) {
    return `the process of the run stood still (suspended, or the machine was asleep or busy): it acted ${humanDuration(latest)} late, so that devices and steps acted up to ${humanDuration(latest * speed)} late in time of the run; ${state}`;
  }
  if (busy > MOST_BUSY) return `the load generator was the bottleneck: it had no idle time; ${state}`;
  return null;
}

/** Why the run is invalid if the code of devices has thrown errors; null if it has not. */
export function findDeviceSpoiling(
  { failed, devices }: FleetSummary,
  nameOf: (serial: number) => string,
): string | null {
  if (failed === undefined) return null;
  const named = failed.first.map(
    ({ serial, at, why }) => `${nameOf(serial)} at ${exactDuration(Math.round(at))}: ${why}`,
  );
  const rest = failed.devices > named.length ? [`and ${humanCount(failed.devices - named.length)} more`] : [];
  const count = `${humanCount(failed.devices)} of ${humanCount(devices)} ${devices === 1 ? 'device' : 'devices'}`;
  return `${count} failed, because their code threw an error (a bug in ghostfleet or in a device type): ${[...named, ...rest].join('; ')}`;
}

/** Why the loads make the run invalid; null if enough of their requests were sent. */
export function findUnsentSpoiling(loads: Readonly<Record<string, CallSummary>>): string | null {
  for (const [name, { planned, reasons }] of Object.entries(loads)) {
    const unsent = UNSENT.reduce((sum, reason) => sum + (reasons[`dropped: ${reason}`] ?? 0), 0);
    if (unsent <= planned * MOST_UNSENT) continue;
    const share = `${humanCount(unsent)} of ${humanCount(planned)} planned requests of the load "${name}"`;
    return `the load generator was the bottleneck: ${share} were not sent, because no connection was free`;
  }
  return null;
}

function formatPercent(ratio: Ratio): string {
  return `${Math.round(ratio * 100)} %`;
}
