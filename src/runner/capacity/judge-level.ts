/**
 * Judges the run at a level: all expectations hold, one fails, or the run measured its own machine. The limit of the generator
 * is never reported as that of the service, and a service that lets all connections wait is never excused as a slow generator.
 */
import { EXIT, GhostfleetError } from '../../kernel/errors.js';
import type { Ratio } from '../../kernel/ratio.js';
import type { LevelExpectation, LevelKind, LevelLatency, LevelRun, Throughput } from '../../report/capacity/result.js';
import type { RunResult } from '../../report/result.js';
import { listLabels } from '../../scenario/load/ready.js';
import type { Plan, PlannedLoad } from '../../scenario/model/plan.js';
import { planDigest } from '../../scenario/plan/describe.js';
import { HELD, UNSENT } from '../load/requests.js';

/** The run at a level, before it is known what it says about the service. */
export type LevelRecord = Omit<LevelRun, 'value' | 'repetition' | 'recovery' | 'kind' | 'why'> & {
  /** See {@link judgeLevel}. */
  readonly verdict: RunVerdict;
};

type RunVerdict =
  | { readonly kind: LevelKind; readonly why: string | null }
  /** Requests found no free connection: the service was slow, or the generator has too few connections. */
  | { readonly kind: 'crowded'; readonly why: string };

/** The parts of a result from which a level is judged. */
type Measured = Pick<
  RunResult,
  | 'digest'
  | 'exitCode'
  | 'failure'
  | 'expectations'
  | 'generator'
  | 'workers'
  | 'clock'
  | 'simulatedMs'
  | 'calls'
  | 'allCalls'
  | 'uplinks'
  | 'downlinks'
>;

/** What a run at a level says. @throws GhostfleetError if it says nothing, for example because the code of a device failed */
export function recordOf(result: Measured, plan: Plan): LevelRecord {
  const { digest, expectations, allCalls } = result;
  return {
    seed: plan.seed,
    digest,
    plan: planDigest(plan),
    verdict: verdictOf(result),
    service: (result.clock === 'real' && allCalls?.service?.p50) || null,
    expectations: expectations.map(({ line, passed, undecided, left, right, unit, sentence }): LevelExpectation => {
      return { line, passed, ...(undecided && { undecided }), left, right, unit, sentence };
    }),
    throughput: throughputOf(result, plan),
    latency: latencyOf(result),
  };
}

/** What an error says that prevents a run, although one at a lower level could be made, by its code. */
const REFUSED: Readonly<Record<string, LevelKind>> = {
  'not-created': 'fails',
  'bad-target': 'fails',
  'machine-failed': 'generator limit',
  'open-files': 'generator limit',
  'rate-exceeded': 'generator limit',
};

/**
 * A run that could not be made, although one at a lower level could, because this machine or the cloud refused the larger fleet;
 * undefined for other errors, such as those of the queue, which say nothing about the level.
 */
export function unmade(plan: Plan, { code, message, hint }: GhostfleetError): LevelRecord | undefined {
  const kind = Object.hasOwn(REFUSED, code) ? REFUSED[code] : undefined;
  if (kind === undefined) return undefined;
  const why = hint === undefined ? message : `${message}: ${hint}`;
  return {
    seed: plan.seed,
    digest: '',
    plan: planDigest(plan),
    verdict: { kind, why },
    service: null,
    expectations: [],
    throughput: null,
    latency: null,
  };
}

function verdictOf(result: Measured): RunVerdict {
  const { exitCode, failure, expectations, generator, calls, workers } = result;
  if (isHeldBack(calls) && [EXIT.fine, EXIT.expectation, EXIT.stuck].some((code) => code === exitCode)) {
    return { kind: 'generator limit', why: 'the limit of requests a second (--rate) held back the loads' };
  }
  const unmet = expectations.filter(({ passed }) => !passed).map(({ sentence }) => sentence);
  switch (exitCode) {
    case EXIT.fine:
      return { kind: 'holds', why: null };
    case EXIT.expectation:
    case EXIT.stuck:
      return { kind: 'fails', why: [...(failure === null ? [] : [failure]), ...unmet].join('; ') };
    case EXIT.invalid: {
      const why = failure ?? 'the run is invalid';
      const isSlow = generator !== null && generator.spoiled !== null;
      if (isSlow || workers !== undefined) return { kind: 'generator limit', why };
      if (unsentOf(calls) > 0) return { kind: 'crowded', why: [why, ...unmet].join('; ') };
      throw new GhostfleetError('level-invalid', why, exitCode);
    }
    default:
      throw new GhostfleetError('level-failed', failure ?? `a level ended with exit code ${exitCode}`, exitCode);
  }
}

/** Share of the requests of users that may have been held back. */
const MOST_HELD: Ratio = 0.05;

/**
 * Whether the limit of requests a second decided how much the loads sent. A load with a rate sends all its requests, even if some
 * are held back for a while; users that are held back send fewer.
 */
function isHeldBack(calls: RunResult['calls']): boolean {
  return Object.values(calls).some(({ closedLoop, sent, held, reasons }) => {
    const ofUsers = closedLoop ? (held?.count ?? 0) : 0;
    return ofUsers > MOST_HELD * sent || reasons[`dropped: ${HELD}`] !== undefined;
  });
}

/** Number of requests that were not sent because no connection was free. */
function unsentOf(calls: RunResult['calls']): number {
  const reasons = Object.values(calls).flatMap(({ reasons: each }) =>
    UNSENT.map((why) => each[`dropped: ${why}`] ?? 0),
  );
  return reasons.reduce((sum, count) => sum + count, 0);
}

/** A service whose answers take this much longer than at the lowest level is the one that lets the connections wait. */
const SLOWER = 2;

/**
 * Decides for a run whose connections were all in use. With more requests at a time a service that can do more answers as fast
 * as before; one at its limit makes all of them wait.
 * @param base `service` of the lowest level
 */
export function judgeLevel({ verdict, service }: LevelRecord, base: number | null): Pick<LevelRun, 'kind' | 'why'> {
  if (verdict.kind !== 'crowded') return verdict;
  const isSlower = service === null || base === null || service >= SLOWER * base;
  return isSlower
    ? {
        kind: 'fails',
        why: verdict.why.replace(/^the run is invalid: [^:]*: /, 'all connections waited for answers: '),
      }
    : { kind: 'generator limit', why: verdict.why };
}

function throughputOf({ allCalls, calls, uplinks, simulatedMs }: Measured, { loads }: Plan): Throughput | null {
  if (allCalls !== undefined) {
    const rate = (count: (load: RunResult['calls'][string]) => number) =>
      loads.reduce((sum, load) => sum + perSecond(countAll(listLabels(load), count), load), 0);
    const countAll = (labels: readonly string[], count: (load: RunResult['calls'][string]) => number) =>
      labels.reduce((sum, label) => sum + count(calls[label] ?? NOTHING), 0);
    return {
      of: 'requests',
      offered: rate(({ planned }) => planned),
      done: rate(({ answered }) => answered),
    };
  }
  if (simulatedMs === 0) return null;
  const { sent, stored } = uplinks;
  return { of: 'uplinks', offered: (sent * 1000) / simulatedMs, done: (stored * 1000) / simulatedMs };
}

const NOTHING = { planned: 0, answered: 0 } as RunResult['calls'][string];

function perSecond(count: number, { from, until }: PlannedLoad): number {
  return (count * 1000) / (until - from);
}

/** Virtual time has no times of requests: their answers take none. */
function latencyOf({ allCalls, downlinks, clock }: Measured): LevelLatency | null {
  const ofCalls = clock === 'virtual' ? undefined : allCalls?.latency;
  const spread = ofCalls ?? downlinks.stages.delivered;
  if (spread === undefined) return null;
  const { p50, p95, p99 } = spread;
  return { of: ofCalls === undefined ? 'downlinks' : 'requests', p50, p95, p99 };
}
