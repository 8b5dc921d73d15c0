/** What a search has found: the verdict, the sentence and the advice of its result. */
import { EXIT, type ExitCode, UsageError } from '../../kernel/errors.js';
import { levelText } from '../../kernel/quantity.js';
import type {
  CapacityOutcome,
  CapacityQuestion,
  CapacityResult,
  Level,
  LevelExpectation,
  LevelRun,
} from '../../report/capacity/result.js';
import type { Found } from './find.js';
import { borderOf, kindOf, valuesOf } from './search.js';

interface Circumstances {
  readonly question: CapacityQuestion;
  /** Notes on the question. */
  readonly about: readonly string[];
  readonly reproduce: string;
  /** Why the search was ended early; undefined if it was not. */
  readonly ended: { readonly why: string; readonly exitCode: ExitCode } | undefined;
  /** What to add if the generator is the limit. */
  readonly more: string;
}

/** @throws UsageError if the expectations that fail have nothing to do with the level */
export function conclude({ runs, end }: Found, circumstances: Circumstances): CapacityResult {
  const { question, about, reproduce, ended, more } = circumstances;
  // Runs with other seeds can differ, so only the end of a search shows it.
  if (end !== undefined) rejectUnchangeable(runs, question);
  const { holds, fails } = end ?? borderOf(runs);
  const levels = valuesOf(runs).flatMap((value) => levelOf(value, runs));
  const atFails = levels.find(({ value }) => value === fails);
  const broken = runs.find(({ recovery }) => recovery === null);
  const outcome = outcomeOf(end, atFails?.kind, broken);
  const reached = isReached(question.atLeast, { holds, fails, outcome, limit: atFails?.kind });
  const decided = { ...question, outcome, holds, fails };
  return {
    format: 1,
    ...decided,
    confirmed: end !== undefined,
    reached,
    failed: firstFailed(atFails),
    sentence: sentenceOf(decided, atFails),
    advice: adviceOf(outcome, { ended: ended?.why, more: isOfRate(atFails) ? HIGHER_RATE : more, question, broken }),
    notes: [...about, ...unchanged(levels, outcome, question), ...notesOn(levels, fails, question)],
    levels,
    exitCode: exitOf(outcome, reached, question.atLeast, ended?.exitCode),
    reproduce,
  };
}

function levelOf(value: number, all: readonly LevelRun[]): readonly Level[] {
  const runs = all.filter((run) => run.value === value);
  // A level whose runs disagree so far has the verdict of its first run.
  const kind = kindOf(value, all) ?? runs[0]?.kind;
  return kind === undefined ? [] : [{ value, kind, runs, ...worstOf(runs) }];
}

/** Percentiles of several runs cannot be averaged, so the worst ones stand for the level. */
function worstOf(runs: readonly LevelRun[]): Pick<Level, 'throughput' | 'latency'> {
  const throughputs = runs.flatMap(({ throughput }) => throughput ?? []);
  const latencies = runs.flatMap(({ latency }) => latency ?? []);
  const longest = (key: 'p50' | 'p95' | 'p99') => Math.max(...latencies.map((each) => each[key]));
  const [first] = latencies;
  return {
    throughput: throughputs.toSorted((a, b) => a.done - b.done)[0] ?? null,
    latency:
      first === undefined ? null : { of: first.of, p50: longest('p50'), p95: longest('p95'), p99: longest('p99') },
  };
}

function outcomeOf(
  end: Found['end'],
  atFails: Level['kind'] | undefined,
  broken: LevelRun | undefined,
): CapacityOutcome {
  if (broken !== undefined) return 'target broken';
  if (end === undefined) return 'unfinished';
  if (atFails === 'generator limit') return 'generator limit';
  if (end.fails === null) return 'no limit';
  return end.holds === null ? 'below range' : 'found';
}

interface Border extends Pick<CapacityResult, 'holds' | 'fails' | 'outcome'> {
  readonly limit: Level['kind'] | undefined;
}

/** Only confirmed levels decide. */
function isReached(atLeast: number | null, { holds, fails, outcome, limit }: Border): boolean | null {
  if (atLeast === null || outcome === 'unfinished' || outcome === 'target broken') return null;
  if (holds !== null && holds >= atLeast) return true;
  if (limit === 'generator limit') return null;
  // The search has measured `atLeast` itself, unless a lower level failed.
  return fails === null ? null : false;
}

function exitOf(
  outcome: CapacityOutcome,
  reached: boolean | null,
  atLeast: number | null,
  ended: ExitCode | undefined,
): ExitCode {
  if (outcome === 'unfinished') return ended ?? EXIT.stuck;
  if (outcome === 'target broken') return EXIT.stuck;
  if (atLeast !== null && reached !== null) return reached ? EXIT.fine : EXIT.below;
  if (outcome === 'generator limit') return EXIT.invalid;
  return outcome === 'below range' ? EXIT.expectation : EXIT.fine;
}

/** Expectations that were not met at a level, from the first of its runs that failed. */
function firstFailed(level: Level | undefined): readonly LevelExpectation[] {
  const failed = level?.runs.find(({ kind }) => kind === 'fails');
  return failed?.expectations.filter(({ passed }) => !passed) ?? [];
}

type Decided = CapacityQuestion & Pick<CapacityResult, 'outcome' | 'holds' | 'fails'>;

const HIGHER_RATE = 'use a higher --rate';

/** Whether the generator had to stay within its limit of requests a second, and could have sent more. */
function isOfRate(level: Level | undefined): boolean {
  return level?.runs.some(({ why }) => why?.includes('(--rate)')) ?? false;
}

function sentenceOf({ outcome, key, unit, holds, fails, from, to }: Decided, level: Level | undefined): string {
  const text = (value: number | null) => (value === null ? '' : levelText(value, unit));
  const cannot = isOfRate(level) ? '--rate does not allow' : 'this machine cannot offer';
  switch (outcome) {
    case 'found':
      return `${key}: all expectations hold up to ${text(holds)}, and not at ${text(fails)}`;
    case 'no limit':
      return `${key}: all expectations hold up to ${text(to)}, the end of the range`;
    case 'below range':
      return `${key}: the expectations do not hold at ${text(from)}, the beginning of the range`;
    case 'generator limit':
      return holds === null
        ? `${key}: ${cannot} ${text(fails)}; the capacity of the service is unknown`
        : `${key}: all expectations hold up to ${text(holds)}; ${cannot} ${text(fails)}, so the limit of the service is unknown`;
    case 'target broken':
    case 'unfinished': {
      const range = [
        holds === null ? 'no level is known to hold' : `all expectations hold at ${text(holds)}`,
        ...(fails === null
          ? []
          : [level?.kind === 'fails' ? `not at ${text(fails)}` : `${text(fails)} was out of reach`]),
      ].join(', ');
      return `${key}: ${range} (not confirmed)`;
    }
    default:
      return outcome satisfies never;
  }
}

function adviceOf(
  outcome: CapacityOutcome,
  {
    ended,
    more,
    question,
    broken,
  }: {
    readonly ended: string | undefined;
    readonly more: string;
    readonly question: CapacityQuestion;
    readonly broken: LevelRun | undefined;
  },
): string | null {
  switch (outcome) {
    case 'found':
      return null;
    case 'no limit':
      return 'to find the limit, choose a higher --to';
    case 'below range':
      return 'to find the limit, choose a lower --from';
    case 'generator limit':
      return more;
    case 'target broken':
      return `the target did not recover from ${levelText(broken?.value ?? 0, question.unit)}: the search stopped, so that it does not make things worse`;
    case 'unfinished':
      return ended ?? null;
    default:
      return outcome satisfies never;
  }
}

/**
 * If every run fails with the same values, more or less load is not the reason. A run that holds, or one other value, shows
 * that it may be.
 * @throws UsageError that names the expectations
 */
function rejectUnchangeable(runs: readonly LevelRun[], { unit }: CapacityQuestion): void {
  const values = valuesOf(runs);
  const [first, ...others] = runs.map((run) => run.expectations.filter(({ passed }) => !passed));
  if (values.length < 2 || first === undefined || first.length === 0) return;
  if (!runs.every(({ kind }) => kind === 'fails') || !others.every((unmet) => haveSameValues(first, unmet))) return;
  const levels = values.map((value) => levelText(value, unit)).join(' and ');
  throw new UsageError(
    'unchangeable',
    `no level has changed these expectations, which fail with the same values in all ${runs.length} runs, at ${levels}: ${first.map(({ sentence }) => sentence).join('; ')}`,
    'correct the scenario, vary something that these expectations depend on, or choose a lower --from',
  );
}

function haveSameValues(some: readonly LevelExpectation[], others: readonly LevelExpectation[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ line, left, right }) =>
      others.some((other) => other.line === line && other.left === left && other.right === right),
    )
  );
}

/**
 * A note if the level changed no figure of any expectation: for one seed, the lowest level and all others have the same ones.
 * A service that carries all levels can be the reason, so the search still succeeds.
 */
function unchanged(
  levels: readonly Level[],
  outcome: CapacityOutcome,
  { key, unit }: CapacityQuestion,
): readonly string[] {
  const [lowest, ...others] = levels.map(({ runs }) => runs[0]?.expectations ?? []);
  const [from, to] = [levels[0], levels.at(-1)].map((level) => levelText(level?.value ?? 0, unit));
  if (lowest === undefined || others.length === 0 || !['no limit', 'below range'].includes(outcome)) return [];
  if (!others.every((each) => haveSameValues(lowest, each))) return [];
  const figures = lowest.map(({ sentence }) => sentence).join('; ');
  return [
    `no level from ${from} to ${to} changed these figures: ${figures}; if they do not depend on ${key}, this result says nothing`,
  ];
}

function notesOn(levels: readonly Level[], fails: number | null, { unit }: CapacityQuestion): readonly string[] {
  const split = levels.flatMap(({ value, runs }) => {
    const held = runs.filter(({ kind }) => kind === 'holds').length;
    if (held === 0 || held === runs.length) return [];
    return [`the runs at ${levelText(value, unit)} disagree: all expectations held in ${held} of ${runs.length}`];
  });
  const above = levels.filter(({ value, kind }) => fails !== null && value > fails && kind === 'holds');
  const at = levels.find(({ value }) => value === fails);
  const fixed = firstFailed(at).filter(
    ({ line, left, right }) => (left ?? 0) > (right ?? 0) && /==\s*[1-9]\d*\s*$/.test(line),
  );
  return [
    ...split,
    ...above.map(({ value }) => `all expectations held at ${levelText(value, unit)}, although a lower level failed`),
    ...fixed.map(({ line }) => `"${line}" compares with a fixed number, so it fails because more was asked for`),
  ];
}
