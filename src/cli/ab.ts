/**
 * `ghostfleet ab`: runs a scenario against two clouds in turn, and compares them. The order is A B B A A B B A …, so that a
 * machine or a network that becomes slower makes both of them slower by the same amount.
 */
import { join } from 'node:path';
import { EXIT, type ExitCode, GhostfleetError, UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { shownAddress } from '../kernel/web-address.js';
import { beginRunIn, needOtherPlaces, type RunFolder, seedDirectory } from '../library/run-files.js';
import { readSummary } from '../report/compare/read.js';
import { type ComparedRun, FEWEST_RUNS, findObjections, type Side, withoutSpoiled } from '../report/compare/side.js';
import type { RunResult } from '../report/result.js';
import { MOST_WORKERS } from '../runner/play.js';
import { seedsFrom } from '../scenario/values/seeds.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';
import {
  addComparisonOptions,
  type ComparisonFlags,
  readConditions,
  reserveFiles,
  showComparison,
  showNoComparison,
} from './comparison.js';
import { SCENARIO_FILE } from './find-scenario.js';
import type { Host } from './host.js';
import { optionWords, runWords } from './run-words.js';
import { type NamedResult, type NamedRun, planFirst, runSeveral } from './several-runs.js';
import {
  API_KEY,
  addGatewayOptions,
  addTrafficOptions,
  checkApiKey,
  findCloud,
  listTargetWords,
  type TargetFlags,
} from './target.js';
import { addTrustOptions, type TrustFlags } from './trust.js';
import { collectVariables, FIRMWARE, makeEnvironment, SEED, SPEED, VARIABLES } from './values.js';

const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];

type GatewayFlag = 'space' | 'udp' | 'udp-raw-port' | 'udp-dtls-port';

type SideFlags = {
  readonly [Flag in GatewayFlag as `${Name}-${Flag}`]: TargetFlags[Flag];
};

interface AbFlags extends ComparisonFlags, TrustFlags, SideFlags, Pick<TargetFlags, 'link' | 'rate'> {
  readonly file: string;
  readonly a: string;
  readonly b: string;
  readonly runs: number | undefined;
  readonly seed: number | undefined;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly speed: number | undefined;
  readonly workers: number | undefined;
  readonly out: string | undefined;
}

type ChosenFlags = AbFlags & { readonly runs: number };

const RUNS = 10;
const MOST_RUNS = 1000;

export const ab = defineCommand<AbFlags>((parser) => {
  const sides = NAMES.reduce((to, name) => {
    const target = to.option(name, {
      type: 'string',
      requiresArg: true,
      demandOption: true,
      describe: `address of the API of cloud ${name.toUpperCase()}; its API key is in ${keyName(name)} or GHOSTFLEET_API_KEY`,
    });
    return addGatewayOptions(target, `--${name}`, `${name}-`);
  }, parser);
  return addTrustOptions(addComparisonOptions(addTrafficOptions(sides, '--a and --b')))
    .positional('file', { type: 'string', demandOption: true, describe: SCENARIO_FILE })
    .option(
      'runs',
      checkOption(
        { describe: `number of runs against each cloud, each with the next seed (default: ${RUNS})` },
        'runs',
        `a whole number from ${FEWEST_RUNS} to ${MOST_RUNS}`,
        expectWholeNumber(FEWEST_RUNS, MOST_RUNS),
      ),
    )
    .option('seed', SEED)
    .option('firmware', FIRMWARE)
    .option('var', VARIABLES)
    .option('speed', SPEED)
    .option(
      'workers',
      checkOption(
        { describe: 'number of threads of each run (default: 1)' },
        'workers',
        `a whole number from 1 to ${MOST_WORKERS}`,
        expectWholeNumber(1, MOST_WORKERS),
      ),
    )
    .option('out', {
      type: 'string',
      requiresArg: true,
      describe: 'directory for the runs: a/seed-1, b/seed-1, …, as "compare" reads them',
    });
}, execute);

async function execute(given: AbFlags, host: Host): Promise<ExitCode> {
  const flags = {
    ...given,
    runs: given.runs ?? RUNS,
    var: collectVariables(given.var, host.env),
  };
  const conditions = readConditions(flags);
  needOtherPlaces(flags.out, { html: flags.html, markdown: flags.markdown });
  reserveFiles(flags, flags.out);
  for (const name of NAMES) checkCloud(name, flags, host);
  const { plan, isOther } = await planFirst({ ...flags, target: flags.a }, 'ab', 'real', host);
  const planned = planRuns(plan.seed, flags, host);
  const folders: RunFolder[] = [];
  try {
    if (flags.out !== undefined) for (const name of NAMES) folders.push(beginRunIn(flags.out, name));
    const runs = planned.map(({ run }) => run);
    const several = { atOnce: 1, isOther, endsWith: isUnusable };
    const { results, failures, interrupted } = await runSeveral(runs, several, host);
    const ended = planned.flatMap((each, i) => {
      const result = results[i];
      return result === undefined ? [] : [{ ...each, result }];
    });
    const broken = findBroken(ended);
    const [failure = broken === undefined ? undefined : EXIT.stuck] = failures;
    const failed = broken ?? (failure === undefined ? undefined : 'a run gave no result');
    const partial = interrupted === undefined ? failed : 'interrupted';
    const exit = compareEnded(ended, { partial, conditions }, flags, host);
    if (interrupted !== undefined) throw interrupted;
    return failure ?? exit;
  } finally {
    for (const folder of folders) folder.end();
  }
}

interface PlannedAb {
  readonly name: Name;
  readonly seed: number;
  readonly run: NamedRun;
}

type EndedAb = PlannedAb & { readonly result: NamedResult };

/** A B B A A B B A …, each pair with the next seed. */
function planRuns(first: number, flags: ChosenFlags, host: Host): readonly PlannedAb[] {
  return seedsFrom(first, flags.runs).flatMap((seed, i) => {
    const order = i % 2 === 0 ? NAMES : NAMES.toReversed();
    return order.map((name) => {
      const { speed, workers, out } = flags;
      const args = [
        // The values of variables may be secrets, so they are not arguments.
        ...runWords({ ...flags, var: new Map() }, seed, 'real'),
        ...listTargetWords(targetFlags(name, flags)),
        ...optionWords({ workers, speed, out: out && seedDirectory(join(out, name), seed) }),
      ];
      const env = { ...makeEnvironment(flags.var), ...keysOf(name, host.env) };
      return { name, seed, run: { name: `seed ${seed} against ${name.toUpperCase()}`, args, env } };
    });
  });
}

/** Whether further runs are pointless: this one could not be made, or its target could not finish it. */
function isUnusable(result: RunResult | undefined): boolean {
  return result === undefined || (result.failure !== null && result.exitCode !== EXIT.invalid);
}

/** The first run that its target could not finish, and why. */
function findBroken(ended: readonly EndedAb[]): string | undefined {
  const broken = ended.find(({ result: { result } }) => isUnusable(result) && result.exitCode !== EXIT.interrupted);
  return broken && printableLine(`${broken.run.name} failed: ${broken.result.result.failure ?? ''}`);
}

/** Compares the pairs of which both runs have ended. @throws GhostfleetError if too few of them count */
function compareEnded(
  ended: readonly EndedAb[],
  { partial, conditions }: { partial: string | undefined; conditions: ReturnType<typeof readConditions> },
  flags: ChosenFlags,
  host: Host,
): ExitCode {
  const usable = ended.filter(({ result: { result } }) => !isUnusable(result));
  const isPair = (seed: number) => usable.filter((each) => each.seed === seed).length === NAMES.length;
  const sideOf = (wanted: Name): Side => ({
    name: shownAddress(flags[wanted]),
    runs: usable.flatMap((each) => (each.name === wanted && isPair(each.seed) ? comparedRun(each, flags) : [])),
  });
  const { a, b, remarks } = withoutSpoiled(sideOf('a'), sideOf('b'));
  const counted = `${a.runs.length} of ${flags.runs} pairs of runs count`;
  if (a.runs.length < FEWEST_RUNS) {
    for (const remark of remarks) host.err.write(`${remark}\n`);
    const message = `${counted}: too few to compare, which needs ${FEWEST_RUNS}`;
    if (partial === undefined) throw new GhostfleetError('too-few', message, EXIT.invalid);
    const why = `${partial}; ${message}`;
    host.err.write(`${why}\n`);
    showNoComparison(why, flags, host);
    return EXIT.stuck;
  }
  const objections = findObjections(a, b);
  if (objections.length > 0) throw new UsageError('not-comparable', objections.join('; '));
  const why = partial === undefined ? undefined : `${partial}; ${counted}`;
  return showComparison({ sides: [a, b], conditions, remarks, partial: why }, flags, host);
}

function comparedRun({ name, seed, run, result }: EndedAb, { out }: AbFlags): ComparedRun {
  return readSummary(result.text, out === undefined ? run.name : seedDirectory(join(out, name), seed));
}

/** The flags of `run` for a cloud. The key is not among them: it is in the environment. */
function targetFlags(name: Name, flags: AbFlags): TargetFlags {
  return {
    target: flags[name],
    'api-key': undefined,
    space: flags[`${name}-space`],
    udp: flags[`${name}-udp`],
    'udp-raw-port': flags[`${name}-udp-raw-port`],
    'udp-dtls-port': flags[`${name}-udp-dtls-port`],
    link: flags.link,
    rate: flags.rate,
  };
}

/** @throws UsageError for an address that is none, and a missing key */
function checkCloud(name: Name, flags: AbFlags, { env }: Host): void {
  const keys = keysOf(name, env);
  if (keys[API_KEY] === undefined) {
    throw new UsageError('bad-flags', `--${name} requires an API key`, `set ${keyName(name)} or ${API_KEY}`);
  }
  findCloud(targetFlags(name, flags), { env: keys }, `--${name}`);
}

function keyName(name: Name): string {
  return API_KEY.replace('_', `_${name.toUpperCase()}_`);
}

/** The API keys of a cloud, under the names that `run` knows. `GHOSTFLEET_A_API_KEY…` replaces `GHOSTFLEET_API_KEY…` for A. */
function keysOf(name: Name, env: Host['env']): Readonly<Record<string, string>> {
  const all = Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const own = keyName(name);
  return Object.fromEntries([
    ...all.filter(([key]) => key.startsWith(API_KEY)),
    ...all.flatMap(([key, value]) =>
      key.startsWith(own) ? [[API_KEY + key.slice(own.length), checkApiKey(value, key)] as const] : [],
    ),
  ]);
}
