/** Reports how well the workers of a run kept up, each worker and all together, and which workers were lost. */
import { countOf } from '../../kernel/quantity.js';
import { humanDuration, sinceStart, type UnixMillis } from '../../kernel/time.js';
import type { GeneratorReport, WorkerReport } from '../../report/result.js';
import { mergeErrors } from '../world/system-errors.js';
import { type Member, nameOf } from './member.js';

/** @param runClock the system clock of the run's machine (`systemClock` in clock-offset.ts); undefined before the start */
export function reportOf(
  { number, place, plan, work, clock, end, lost, losses }: Member,
  runClock: UnixMillis | undefined,
): WorkerReport {
  return {
    number,
    host: place?.host ?? null,
    pid: place?.pid ?? null,
    devices: plan.devices.length,
    requests: work.sent,
    clock:
      clock && runClock !== undefined
        ? { offset: clock.offset, uncertainty: clock.uncertainty, system: clock.systemClock - runClock }
        : null,
    generator: end?.generator ?? null,
    lost: lost && losses ? { ...lost, ...losses } : null,
  };
}

/**
 * The figures of all workers together. Each is the worst value, because one slow worker spoils the measurement; only the CPU is
 * the sum over all processes. null if no worker has reported figures.
 */
export function generatorOfAll(members: readonly Pick<Member, 'number' | 'place' | 'end'>[]): GeneratorReport | null {
  const reports = members.flatMap(({ number, place, end }) =>
    end?.generator ? [{ name: nameOf(number, place), process: `${place?.host} ${place?.pid}`, ...end.generator }] : [],
  );
  if (reports.length === 0) return null;
  const worst = (figure: (report: GeneratorReport) => number) => Math.max(...reports.map(figure));
  const late = reports.flatMap(({ lateness }) => lateness ?? []).sort((one, other) => other.p99 - one.p99);
  const errors = mergeErrors(reports.flatMap((report) => report.errors ?? []));
  const spoiled = reports.find((report) => report.spoiled !== null);
  return {
    lateness: late[0],
    eventLoopDelay: worst((report) => report.eventLoopDelay),
    stall: worst(({ stall }) => stall),
    busy: worst(({ busy }) => busy),
    cpu: coresOf(reports),
    gc: worst(({ gc }) => gc),
    ...(errors.length > 0 && { errors }),
    spoiled: spoiled ? `${spoiled.name}: ${spoiled.spoiled}` : null,
  };
}

/** Sums the CPU of the processes. Each thread reports the CPU of its whole process, so a process counts once. */
function coresOf(reports: readonly { readonly process: string; readonly cpu: number }[]): number {
  const byProcess = new Map<string, number>();
  for (const { process, cpu } of reports) byProcess.set(process, Math.max(cpu, byProcess.get(process) ?? 0));
  return [...byProcess.values()].reduce((sum, cpu) => sum + cpu, 0);
}

/** Why a run is invalid that has lost workers: which workers, and which work with them; null if no worker was lost. */
export function findLossSpoiling(workers: readonly WorkerReport[] = []): string | null {
  const lost = workers.flatMap(({ number, host, pid, devices, lost: loss }) => {
    if (loss === null) return [];
    const { at, why, uplinks, downlinks, steps, requests } = loss;
    const work = [
      counted(devices, 'device'),
      ...[counted(uplinks, 'uplink'), counted(downlinks, 'pending downlink'), counted(steps, 'step')],
      counted(requests, 'request'),
    ];
    return `worker ${number} (${host}, process ${pid}) was lost at ${humanDuration(sinceStart(at))} (${why}), and with it ${list(work.flatMap((each) => each ?? []))}`;
  });
  return lost.length === 0 ? null : lost.join('; ');
}

/** `2 devices`; undefined for 0. */
function counted(count: number, what: string): string | undefined {
  return count === 0 ? undefined : countOf(count, what);
}

function list(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
