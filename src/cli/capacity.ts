/** `ghostfleet capacity`: searches the largest load at which all expectations of a scenario hold. */

import type { NamedText } from '../input/text-file.js';
import { isoTime } from '../kernel/calendar.js';
import { type ExitCode, UsageError } from '../kernel/errors.js';
import { levelText } from '../kernel/quantity.js';
import { RealClock } from '../kernel/real-clock.js';
import { DURATION_FORM, formatDuration, type Millis, parseDuration } from '../kernel/time.js';
import { shownAddress, shownCommand } from '../kernel/web-address.js';
import { search } from '../library/capacity-search.js';
import { capacityJson } from '../report/capacity/json.js';
import type { LevelRun } from '../report/capacity/result.js';
import { capacityText } from '../report/capacity/text.js';
import type { Levels } from '../runner/capacity/levels.js';
import { isPrecision, moreGenerators, PRECISION, type Question, questionOf } from '../runner/capacity/question.js';
import { RECOVERY, TargetLevels } from '../runner/capacity/target-levels.js';
import { VirtualLevels } from '../runner/capacity/virtual-levels.js';
import { MOST_WORKERS } from '../runner/play.js';
import type { TargetCloud } from '../runner/targets/remote-api.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';
import { findScenario, SCENARIO_FILE } from './find-scenario.js';
import { getTextWidth, type Host } from './host.js';
import { awaitInterruption } from './interrupts.js';
import { LeftoverRecords } from './leftovers.js';
import { createNotes } from './logs.js';
import { openCrew, QUEUE, queueIn, queueWords } from './queue.js';
import { readPlan } from './read-files.js';
import { optionWords, settingWords } from './run-words.js';
import { addTargetOptions, findCloud, listTargetWords, type TargetFlags } from './target.js';
import { addTrustOptions, checkTrust, type TrustFlags } from './trust.js';
import { collectVariables, FIRMWARE, SEED, shownVariables, VARIABLES } from './values.js';
import { readVersion } from './version.js';
import { printWarnings } from './warnings.js';

interface CapacityFlags extends TargetFlags, TrustFlags {
  readonly file: string;
  readonly vary: string;
  readonly from: string;
  readonly to: string;
  readonly precision: number | undefined;
  readonly hold: Millis | undefined;
  readonly 'warm-up': Millis | undefined;
  readonly recovery: Millis | undefined;
  readonly 'at-least': string | undefined;
  readonly budget: Millis | undefined;
  readonly continue: string | undefined;
  readonly seed: number | undefined;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly workers: number | undefined;
  readonly queue: string | undefined;
  readonly out: string | undefined;
  readonly json: boolean;
}

const PRECISION_FORM = 'a share from 0.1% to 50%, such as "5%"';

function makeDurationOption(name: string, describe: string) {
  return checkOption({ describe }, name, DURATION_FORM, (text) => parseDuration(text) || undefined);
}

/** A level, such as `10`, `12.5/s` or `300ms`. */
function makeLevelOption(name: string, describe: string) {
  return checkOption({ describe }, name, 'a number, with or without its unit, such as "10" or "10/s"', (text) =>
    /^\d/.test(text.trim()) ? text : undefined,
  );
}

export const capacity = defineCommand<CapacityFlags>(
  (parser) =>
    addTrustOptions(addTargetOptions(parser))
      .positional('file', { type: 'string', demandOption: true, describe: SCENARIO_FILE })
      .option('vary', {
        type: 'string',
        requiresArg: true,
        demandOption: true,
        describe: 'value to vary: a variable, fleet.devices, fleet.NAME.count, load.NAME.rate or load.NAME.users',
      })
      .option('from', { ...makeLevelOption('from', 'lowest level'), demandOption: true })
      .option('to', { ...makeLevelOption('to', 'highest level'), demandOption: true })
      .option(
        'precision',
        checkOption(
          { describe: 'largest distance between the level that holds and the one that does not (default: 5%)' },
          'precision',
          PRECISION_FORM,
          parsePrecision,
        ),
      )
      .option(
        'hold',
        makeDurationOption('hold', 'time of each run after its warm-up (default: the duration of the scenario)'),
      )
      .option('warm-up', makeDurationOption('warm-up', 'warm-up of each run (default: that of the scenario)'))
      .option(
        'recovery',
        makeDurationOption('recovery', 'time that --target has to recover after each run (default: 1m)'),
      )
      .option(
        'at-least',
        makeLevelOption('at-least', 'level that must hold: the exit code is 0 if it does, and 1 if it does not'),
      )
      .option('budget', makeDurationOption('budget', 'time limit of the search (default: none)'))
      .option('continue', {
        type: 'string',
        requiresArg: true,
        describe: 'directory of an earlier search with the same options (--out), which this one continues',
      })
      .option('seed', SEED)
      .option('firmware', FIRMWARE)
      .option('var', VARIABLES)
      .option(
        'workers',
        checkOption(
          {
            describe:
              'number of runs at the same time, with the same result (default: number of cores); with --target: number of threads of each run (default: 1); with --queue: number of workers',
          },
          'workers',
          `a whole number from 1 to ${MOST_WORKERS}`,
          expectWholeNumber(1, MOST_WORKERS),
        ),
      )
      .option('queue', QUEUE)
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'directory for the results (HTML, JSON, JUnit)',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the report' }),
  execute,
);

function parsePrecision(text: string): number | undefined {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text.trim()) ?? [];
  const value = Number(digits) / (percent === '%' ? 100 : 1);
  return isPrecision(value) ? value : undefined;
}

async function execute(given: CapacityFlags, host: Host): Promise<ExitCode> {
  const flags = { ...given, var: collectVariables(given.var, host.env) };
  const { vary, from, to, hold, seed, var: vars, firmware, allowFile: allowFiles, out } = flags;
  if (out !== undefined && flags.continue !== undefined) {
    throw new UsageError(
      'bad-flags',
      '--out cannot be used with --continue: the search continues in its own directory',
    );
  }
  const cloud = findCloud(flags, host);
  if (cloud === undefined && flags.recovery !== undefined)
    throw new UsageError('bad-flags', '--recovery requires --target');
  const queue = queueIn(flags, host);
  const { text, path } = await findScenario(flags.file, host);
  const known = new Map<string, NamedText>();
  const first = readPlan(text, path, { seed, vars, firmware, allowFiles, known });
  checkTrust(first.plan, flags);
  printWarnings(first.plan, first.profiles, host, { clock: 'real' });
  const question = questionOf({
    read: (rewrite, own) => {
      const same = { vars, firmware, allowFiles, known, profiles: first.profiles };
      return readPlan(text, path, { ...same, seed: own, rewrite }).plan;
    },
    vary,
    from,
    to,
    hold,
    seed,
    atLeast: flags['at-least'],
    precision: flags.precision ?? PRECISION,
    warmUp: flags['warm-up'],
    target: cloud && shownAddress(cloud.api),
  });
  const workers = flags.workers ?? (cloud === undefined ? Math.min(host.cores, MOST_WORKERS) : 1);
  const stop = new AbortController();
  const { happens, forget } = awaitInterruption(host);
  void happens.then(() => stop.abort());
  try {
    const result = await search({
      question,
      levels:
        cloud === undefined
          ? new VirtualLevels({ profiles: first.profiles, connectorHosts: flags.allowHost }, workers)
          : openTargetLevels({ cloud, queue, flags, workers, profiles: first.profiles }, host),
      out,
      continued: flags.continue,
      budget: flags.budget,
      signal: stop.signal,
      more: moreGenerators(workers, host.cores),
      reproduce: writeCommand({ ...flags, var: shownVariables(vars, first.secretVars) }, question),
      onRun: (run) => host.err.write(`${formatProgress(run, question)}\n`),
    });
    host.out.write(flags.json ? capacityJson(result) : capacityText(result, getTextWidth(host.out)));
    return result.exitCode;
  } finally {
    forget();
  }
}

interface TargetSettings {
  readonly cloud: TargetCloud;
  readonly queue: string | undefined;
  readonly flags: CapacityFlags;
  readonly workers: number;
  readonly profiles: ReturnType<typeof readPlan>['profiles'];
}

function openTargetLevels({ cloud, queue, flags, workers, profiles }: TargetSettings, host: Host): Levels {
  const records = new LeftoverRecords(host);
  return new TargetLevels({
    cloud,
    clock: new RealClock(),
    patience: flags.recovery ?? RECOVERY,
    crewOf: queue === undefined ? undefined : (plan) => openCrew(queue, plan, host),
    base: {
      profiles,
      transport: 'memory',
      connectorHosts: flags.allowHost,
      db: 'memory',
      sinks: [],
      log: createNotes(host.err),
      reproduce: '',
      out: null,
      version: readVersion(),
      startedAt: isoTime(host.wallClock()),
      stopwatch: () => host.stopwatch(),
      workers,
      meter: host.meter,
      leftBehind: (left) => {
        records.save(left);
        return records.areSaved ? left.run : undefined;
      },
    },
  });
}

/** `   40/s  fails: call.refused is 30, wanted == 0` */
function formatProgress({ value, kind, why }: LevelRun, { asked }: Question): string {
  const level = levelText(value, asked.unit).padStart(levelText(asked.to, asked.unit).length);
  return `${level}  ${kind}${why === null ? '' : `: ${why}`}`;
}

function writeCommand(flags: CapacityFlags, { asked }: Question): string {
  const { file, vary, from, to, hold, 'warm-up': warmUp, 'at-least': atLeast, budget } = flags;
  const length = (time: Millis | undefined) => (time === undefined ? undefined : formatDuration(time));
  return shownCommand([
    ...['ghostfleet', 'capacity', file],
    ...optionWords({
      vary,
      from,
      to,
      precision: asked.precision === PRECISION ? undefined : `${Number((asked.precision * 100).toPrecision(6))}%`,
      hold: length(hold),
      'warm-up': length(warmUp),
      budget: length(budget),
      'at-least': atLeast,
      seed: asked.seed,
    }),
    ...settingWords(flags),
    ...listTargetWords(flags),
    ...queueWords(flags, asked.clock),
  ]);
}
