/** One side of a comparison: its runs, and why they may not be compared. */

import { printableLine } from '../../kernel/printable.js';
import { countOf } from '../../kernel/quantity.js';
import type { SampleSummary } from '../../trace/metrics/samples.js';

/** The part of `summary.json` that a comparison needs. */
export interface ComparedRun {
  /** Path of the file from which it was read. */
  readonly name: string;
  /** Version of the format of the summary. */
  readonly format: number;
  readonly scenario: string;
  readonly seed: number;
  /** Digest of its events; null in a summary without one. */
  readonly digest: string | null;
  /** Fingerprint of the scenario without its seed. */
  readonly situation: string;
  /** The options that decide its plan besides the seed, such as `--var period`; null for the value of a secret. */
  readonly options: ReadonlyMap<string, string | null>;
  /** Why the run ended early or is invalid; null otherwise. */
  readonly failure: string | null;
  /** Whether the run is invalid because of the machine that made it. */
  readonly spoiled: boolean;
  /** Whether devices were changed from a console. */
  readonly touched: boolean;
  readonly samples: SampleSummary;
}

/** A run that has no numbers, such as one that was killed. */
interface UnreadRun extends Pick<ComparedRun, 'name' | 'seed'> {
  /** Worded to follow its name. */
  readonly why: string;
}

export interface Side {
  /** Path, or address of the target. */
  readonly name: string;
  /** At least one. */
  readonly runs: readonly ComparedRun[];
  /** Further runs of several. Default: none */
  readonly unread?: readonly UnreadRun[];
}

/** Fewest runs of a side that are compared as several: two show too little of how much runs differ. */
export const FEWEST_RUNS = 3;

/** `10 runs, seeds 1 to 10`; `seed 3` */
export function describeRuns({ runs }: Side): string {
  const seeds = runs.map(({ seed }) => seed).sort((a, b) => a - b);
  const [first = 0] = seeds;
  if (seeds.length === 1) return `seed ${first}`;
  const isRow = seeds.every((seed, i) => seed === first + i);
  return `${seeds.length} runs, ${isRow ? `seeds ${first} to ${seeds.at(-1)}` : `seeds ${seeds.join(', ')}`}`;
}

/**
 * Takes out the runs of sides with several runs that say nothing about the target, because the machine that made them was too
 * slow, or because they did not end. If both sides have the same seeds, the runs with such a seed are taken out on both.
 * @returns the sides, and a remark for each run that is taken out
 */
export function withoutSpoiled(
  a: Side,
  b: Side,
): { readonly a: Side; readonly b: Side; readonly remarks: readonly string[] } {
  const areSeveral = [a, b].every((side) => listAll(side).length > 1);
  const spoiled = areSeveral ? [...a.runs, ...b.runs].filter((run) => run.spoiled) : [];
  const unread = [...(a.unread ?? []), ...(b.unread ?? [])];
  const seeds = new Set([...spoiled, ...unread].map(({ seed }) => seed));
  const isPaired = areSeveral && seedsOf(a) === seedsOf(b);
  const kept = (side: Side): Side => {
    const runs = side.runs.filter((run) => !spoiled.includes(run) && !(isPaired && seeds.has(run.seed)));
    return { ...side, runs };
  };
  const partner = isPaired ? ', nor does the other run with this seed' : '';
  const remarks = [
    ...spoiled.map(({ name, failure }) => `"${name}" does not count${partner}: ${failure ?? 'it is invalid'}`),
    ...unread.map(({ name, why }) => `"${name}" does not count${partner}: it ${why}`),
  ];
  return { a: kept(a), b: kept(b), remarks: remarks.map(printableLine) };
}

function listAll({ runs, unread = [] }: Side): readonly Pick<ComparedRun, 'seed'>[] {
  return [...runs, ...unread];
}

function seedsOf(side: Side): string {
  return listAll(side)
    .map(({ seed }) => seed)
    .sort((a, b) => a - b)
    .join();
}

/** Why the numbers of runs do not fit; undefined if they do. */
export function findMisfit(a: Side, b: Side): string | undefined {
  const [one, other] = [a.runs.length, b.runs.length];
  if (one === 1 && other === 1) return undefined;
  if (Math.min(one, other) >= FEWEST_RUNS) return undefined;
  const count = (runs: number) => countOf(runs, 'run');
  return `"${a.name}" has ${count(one)} and "${b.name}" has ${count(other)} to compare; expected one run on each side, or at least ${FEWEST_RUNS}`;
}

/** Reasons not to compare two sides, one line each; empty when they can be compared. */
export function findObjections(a: Side, b: Side): readonly string[] {
  const all = [...a.runs, ...b.runs];
  const [first] = a.runs;
  const found = new Set<string>();
  for (const run of all) {
    const why = first === undefined ? undefined : findUnlike(first, run);
    if (why !== undefined) found.add(why);
  }
  for (const { name, failure, touched } of all) {
    if (failure !== null) found.add(`"${name}" did not finish: ${failure}`);
    if (touched) found.add(`"${name}" was changed from a console`);
  }
  return [...found, ...[a, b].flatMap(findRepeated)].map(printableLine);
}

function findUnlike(a: ComparedRun, b: ComparedRun): string | undefined {
  if (a.scenario !== b.scenario) return `the runs have different scenarios, "${a.scenario}" and "${b.scenario}"`;
  if (a.format !== b.format) return unknownScenario(a.format < b.format ? a : b);
  return a.situation === b.situation ? undefined : describeChange(a, b);
}

/** Why the situations of two runs differ: because of their options or, if these are the same, because of the scenario. */
function describeChange(a: ComparedRun, b: ComparedRun): string {
  const names = [...new Set([...a.options.keys(), ...b.options.keys()])].sort();
  const different = names.filter((name) => a.options.get(name) !== b.options.get(name));
  if (different.length > 0) {
    const values = different.map(
      (name) => `${name} ${shown(a.options.get(name))} in one run, ${shown(b.options.get(name))} in another`,
    );
    return `the runs of the scenario "${a.scenario}" have different options: ${values.join('; ')}`;
  }
  const secret = names.filter((name) => a.options.get(name) === null);
  const or = secret.length === 0 ? '' : `, or a secret value (${secret.join(', ')}),`;
  return `the scenario "${a.scenario}"${or} was changed between the runs`;
}

function shown(value: string | null | undefined): string {
  if (value === undefined) return 'not set';
  return value === null ? 'a secret' : `"${printableLine(value)}"`;
}

/** @param run the run with the earlier format, which has another fingerprint of the scenario */
function unknownScenario({ name, format, scenario }: ComparedRun): string {
  return `"${name}" has the format ${format} of an earlier version, so whether its scenario "${scenario}" is the same is unknown; repeat this run`;
}

/** The same run twice would make a side look more certain than it is. */
function findRepeated({ runs }: Side): readonly string[] {
  const seen = new Map<string, string>();
  return runs.flatMap(({ name, seed, digest }) => {
    if (digest === null) return [];
    const earlier = seen.get(`${seed} ${digest}`);
    seen.set(`${seed} ${digest}`, name);
    return earlier === undefined ? [] : [`"${earlier}" and "${name}" are the same run, with the digest ${digest}`];
  });
}
