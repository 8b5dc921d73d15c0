/** How well the workers of a run kept up, each and together. */
import type { GeneratorReport, WorkerReport } from '../../report/result.js';
import { type Member, nameOf } from './member.js';

export function reportOf({ number, place, plan, clock, end, lost, losses }: Member): WorkerReport {
  return {
    number,
    host: place?.host ?? null,
    pid: place?.pid ?? null,
    devices: plan.devices.length,
    clock: clock ?? null,
    generator: end?.generator ?? null,
    lost: lost && losses ? { ...lost, ...losses } : null,
  };
}

/**
 * The figures of the workers together: of each figure the worst, because one slow worker spoils the measurement, and the cores of all.
 * null if no worker has any.
 */
export function generatorOfAll(members: readonly Pick<Member, 'number' | 'place' | 'end'>[]): GeneratorReport | null {
  const reports = members.flatMap(({ number, place, end }) =>
    end?.generator ? [{ name: nameOf(number, place), ...end.generator }] : [],
  );
  if (reports.length === 0) return null;
  const worst = (figure: (report: GeneratorReport) => number) => Math.max(...reports.map(figure));
  const late = reports.flatMap(({ lateness }) => lateness ?? []).sort((one, other) => other.p99 - one.p99);
  const spoiled = reports.find((report) => report.spoiled !== null);
  return {
    lateness: late[0],
    eventLoopDelay: worst((report) => report.eventLoopDelay),
    stall: worst(({ stall }) => stall),
    busy: worst(({ busy }) => busy),
    cpu: reports.reduce((sum, { cpu }) => sum + cpu, 0),
    gc: worst(({ gc }) => gc),
    spoiled: spoiled ? `${spoiled.name}: ${spoiled.spoiled}` : null,
  };
}
