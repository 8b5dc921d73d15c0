/** `ghostfleet run`: runs a scenario and reports the result. */

import { join } from 'node:path';
import { isoTime } from '../kernel/calendar.js';
import { type ExitCode, InterruptedError, UsageError } from '../kernel/errors.js';
import { countOf } from '../kernel/quantity.js';
import { plainBase, shownAddress, shownCommand } from '../kernel/web-address.js';
import { KINDS, reserve, writeWhole } from '../kernel/write-files.js';
import {
  beginRun,
  EVENTS_FILE,
  needOtherPlaces,
  type RunFolder,
  sourceOf,
  writeReports,
} from '../library/run-files.js';
import { RENDERERS } from '../report/renderers/index.js';
import { renderMarkdown } from '../report/renderers/markdown.js';
import type { Leftovers, RunResult } from '../report/result.js';
import { findUndividedReason, MOST_WORKERS } from '../runner/play.js';
import { run as carryOut, type RunControl, type RunOptions } from '../runner/run.js';
import { TRANSPORTS, type TransportName } from '../runner/targets/embedded.js';
import type { RequestWait } from '../runner/targets/paced.js';
import { describeLeftovers } from '../runner/world/clean-up.js';
import { CLOCKS } from '../runner/world/options.js';
import { describeCloud } from '../scenario/model/cloud.js';
import type { Plan } from '../scenario/model/plan.js';
import { usefulParts } from '../scenario/plan/divide.js';
import { divideByGroup } from '../scenario/plan/parts.js';
import { readTelemetrySettings } from '../telemetry/settings.js';
import type { DownlinkRecord } from '../trace/downlinks/ledger.js';
import { FileSink } from '../trace/sinks.js';
import { awaitReader } from './capture.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';
import { type FoundScenario, findScenario, isReadOnce, SCENARIO_FILE } from './find-scenario.js';
import { getTextWidth, type Host, isColoured } from './host.js';
import { LeftoverRecords, readLeftovers } from './leftovers.js';
import { LiveServices } from './live-services.js';
import { createNotes } from './logs.js';
import { WEB_CONSOLE } from './package-files.js';
import type { Again } from './past-runs.js';
import { openCrew, QUEUE, queueIn, queueWords } from './queue.js';
import { readPlan } from './read-files.js';
import { checkStore, chooseStore, STORE } from './run-store.js';
import { checkWires, RunWires, WIRE_OPTIONS, type WireFlags } from './run-wires.js';
import { optionWords, runWords } from './run-words.js';
import { MOST_SEEDS, runSeeds } from './seeds.js';
import { addTargetOptions, findCloud, listTargetWords, type TargetFlags } from './target.js';
import { addTrustOptions, checkTrust, type TrustFlags } from './trust.js';
import {
  collectVariables,
  FIRMWARE,
  localPort,
  MARKDOWN,
  OTLP,
  POSITIVE_FORM,
  parsePositiveNumber,
  SEED,
  SPEED,
  shownVariables,
  VARIABLES,
} from './values.js';
import { readVersion } from './version.js';
import { printWarnings } from './warnings.js';

interface RunFlags extends TargetFlags, TrustFlags, WireFlags {
  readonly file: string;
  readonly seed: number | undefined;
  readonly seeds: number | undefined;
  readonly firmware: string | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly clock: RunOptions['clock'] | undefined;
  readonly speed: number | undefined;
  readonly pace: number | undefined;
  readonly transport: TransportName | undefined;
  /** `memory`, `sqlite`, or an address of PostgreSQL. */
  readonly store: string | undefined;
  readonly out: string | undefined;
  readonly workers: number | undefined;
  readonly queue: string | undefined;
  readonly keep: boolean;
  readonly json: boolean;
  readonly markdown: string | undefined;
  readonly 'metrics-port': number | undefined;
  readonly otlp: string | undefined;
}

export const run = defineCommand<RunFlags>(
  (parser) =>
    addTrustOptions(addTargetOptions(parser))
      .positional('file', { type: 'string', demandOption: true, describe: SCENARIO_FILE })
      .option('seed', SEED)
      .option(
        'seeds',
        checkOption(
          {
            describe:
              'number of runs, each with the next seed: spread over the cores, or one after another in real time',
          },
          'seeds',
          `a whole number from 2 to ${MOST_SEEDS}`,
          expectWholeNumber(2, MOST_SEEDS),
        ),
      )
      .option('firmware', FIRMWARE)
      .option('var', VARIABLES)
      .option('clock', {
        choices: CLOCKS,
        describe: 'virtual or real time (default: virtual; real with --target)',
      })
      .option('speed', {
        ...SPEED,
        describe: 'simulated seconds per real second, with --clock real (default: 1)',
      })
      .option(
        'pace',
        checkOption(
          { describe: 'maximum simulated seconds per real second, with --clock virtual; gives the run a console' },
          'pace',
          POSITIVE_FORM,
          parsePositiveNumber,
        ),
      )
      .option('transport', {
        choices: TRANSPORTS,
        describe:
          'transport of messages: memory, UDP datagrams or HTTP requests (default: memory; udp with --clock real --workers)',
      })
      .option('store', STORE)
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'directory for the reports (HTML, text, JSON, JUnit, CSV) and the event log',
      })
      .options(WIRE_OPTIONS)
      .option(
        'metrics-port',
        checkOption(
          { describe: 'port on 127.0.0.1 where Prometheus can scrape metrics during the run; 0 takes a free one' },
          'metrics-port',
          'a port number',
          localPort,
        ),
      )
      .option(
        'workers',
        checkOption(
          {
            describe:
              'number of threads for the devices (default: in virtual time the number of cores, fewer for a small run, with the same result; in real time 1); with --queue: number of workers on other machines; with --seeds in virtual time: number of concurrent runs',
          },
          'workers',
          `a whole number from 1 to ${MOST_WORKERS}`,
          expectWholeNumber(1, MOST_WORKERS),
        ),
      )
      .option('queue', QUEUE)
      .option('keep', {
        type: 'boolean',
        default: false,
        describe: 'do not delete what the run created in the cloud of --target',
      })
      .option('otlp', OTLP)
      .option('markdown', MARKDOWN)
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the report' }),
  execute,
);

async function execute(given: RunFlags, host: Host): Promise<ExitCode> {
  const flags = { ...given, var: collectVariables(given.var, host.env) };
  // Before the work: a long run must not end with a summary that cannot be written.
  needOtherPlaces(flags.out, { markdown: flags.markdown, capture: flags.capture });
  if (flags.markdown !== undefined) reserve(flags.markdown, KINDS.summary, flags.out);
  if (flags.seeds !== undefined) {
    checkWires(flags, 'virtual');
    return runSeeds({ ...flags, seeds: flags.seeds }, () => choosePlace(flags, host).clock, host);
  }
  const place = choosePlace(flags, host);
  // Before the handler, so that a signal ends the wait for a pipe.
  const input = { ...place, ...(await findScenario(flags.file, host)) };
  const isOver = await awaitReader(flags.capture);
  let early: string | undefined;
  // Until the run can be stopped: it then stops at once, with a report.
  const forget = host.onInterrupt((signal) => {
    early ??= signal;
  });
  try {
    return await executeOne(flags, input, host, () => {
      forget();
      return early;
    });
  } finally {
    forget();
    isOver();
  }
}

/** @param begun called when the run can be stopped; returns the signal that has arrived before */
async function executeOne(
  flags: RunFlags,
  { cloud, clock, queue, text, path }: ReturnType<typeof choosePlace> & FoundScenario,
  host: Host,
  begun: () => string | undefined,
): Promise<ExitCode> {
  const { seed, var: vars, firmware, allowFile: allowFiles } = flags;
  const telemetry = readTelemetrySettings(flags.otlp, host.env);
  const { plan, profiles, secretVars } = readPlan(text, path, { seed, vars, firmware, allowFiles });
  if (cloud) {
    host.err.write(warnOfIgnored(cloud.api, plan));
    offerLeftovers(cloud.api, host);
  }
  printWarnings(plan, profiles, host, { clock });
  checkTrust(plan, flags);
  const crew = queue ? await openCrew(queue, plan, host) : undefined;
  const reproduce = writeCommand({ ...flags, var: shownVariables(vars, secretVars) }, clock, plan);
  const isLive = clock === 'real' || flags.pace !== undefined;
  let left: Leftovers | undefined;
  const records = new LeftoverRecords(host);
  const live = await LiveServices.open({
    host,
    plan,
    metricsPort: flags['metrics-port'],
    telemetry,
    clock,
    consoles: isLive,
    ...{ api: isLive, target: cloud?.api },
    leftBehind: () => describeInterrupted(flags, left, records.areSaved),
  });
  let downlinks: Iterable<DownlinkRecord> = [];
  const kept: string[] = [];
  let folder: RunFolder | undefined;
  let wires: RunWires | undefined;
  try {
    wires = await RunWires.open(flags, { plan, host, about: reproduce, live: isLive });
    folder = flags.out === undefined ? undefined : beginRun(flags.out);
    const out = folder?.path;
    const again = {
      plan,
      profiles,
      clock,
      speed: flags.speed ?? 1,
      transport: chooseTransport(flags, clock),
      cloud,
      connectorHosts: flags.allowHost,
      keep: flags.keep ? (what: readonly string[]) => void kept.push(...what) : undefined,
      db: 'memory',
      sinks: [],
      log: createNotes(host.err),
      reproduce,
      source: isReadOnce(flags.file)
        ? undefined
        : sourceOf(flags.file, vars, secretVars, { firmware, allowFile: allowFiles }),
      out: null,
      version: readVersion(),
      startedAt: isoTime(host.wallClock()),
      stopwatch: () => host.stopwatch(),
      meter: host.meter,
      crew,
      leftBehind: (leftovers: Leftovers) => {
        left = leftovers.things.length > 0 ? leftovers : undefined;
        records.save(leftovers);
        // The summary of the run contains the record, too.
        return records.areSaved ? leftovers.run : out;
      },
    } satisfies RunOptions;
    const options = {
      ...again,
      ...(isLive && makeWatchOptions(live, flags)),
      ...chooseStore(flags, out, host),
      repeats: true,
      sinks: out ? [new FileSink(join(out, EVENTS_FILE))] : [],
      out: flags.out ?? null,
      ...wires.options,
      scopes: telemetry && divideByGroup(plan).scopes,
      waits: (wait: RequestWait | undefined) => live.showWait(wait),
      started: (control: RunControl) => {
        const past: Again = (changes) => carryOut({ ...again, webConsole: WEB_CONSOLE, ...changes });
        wires?.follow(control);
        live.follow(control, clock === 'virtual' ? past : undefined);
        downlinks = control.metrics.downlinks;
        const signal = begun();
        if (signal !== undefined) control.stop(new InterruptedError(signal));
      },
    } satisfies RunOptions;
    const result = await carryOut({ ...options, workers: chooseWorkers(flags, options, host) });
    const ended = live.end(result);
    printResult(result, flags, host);
    // The files are written after printing. So a failure to write them does not lose the result of a long run.
    if (out) writeReports(out, result, downlinks);
    if (flags.markdown !== undefined) writeWhole(flags.markdown, renderMarkdown(result));
    await ended;
    left = undefined;
    return result.exitCode;
  } finally {
    wires?.close();
    await live.close();
    folder?.end();
    if (flags.keep) host.err.write(describeKept(kept));
    // Without a result, no report lists it.
    if (left !== undefined) host.err.write(describeLeft(left, records.areSaved ? left.run : undefined));
  }
}

/** The cloud, the clock and the queue of the run. @throws UsageError for options that exclude or need each other */
function choosePlace(flags: RunFlags, host: Host) {
  checkTarget(flags);
  const cloud = findCloud(flags, host);
  const clock = flags.clock ?? (cloud === undefined ? 'virtual' : 'real');
  checkNeeds(flags, clock);
  return { cloud, clock, queue: queueIn(flags, host) };
}

/** Options for the consoles of a run in real time or with --pace. */
function makeWatchOptions(watch: LiveServices, { pace }: RunFlags): Pick<RunOptions, 'watch' | 'webConsole' | 'pace'> {
  return { watch, webConsole: WEB_CONSOLE, pace };
}

/** The transport of the run. Messages in memory do not leave a thread, so devices in other threads reach the cloud over UDP. */
function chooseTransport({ transport, workers = 1, target }: RunFlags, clock: RunOptions['clock']): TransportName {
  return transport ?? (clock === 'real' && workers > 1 && target === undefined ? 'udp' : 'memory');
}

/** Returns the number of threads. Prints a note if the run cannot be divided as asked, or has no console for it. */
function chooseWorkers({ workers }: RunFlags, options: RunOptions, { cores, err }: Host): number {
  if (workers === undefined) return options.clock === 'virtual' ? usefulParts(options.plan, cores) : 1;
  const reason = workers > 1 ? findUndividedReason(options) : undefined;
  if (reason !== undefined) err.write(`note: the run takes one thread, because ${reason}\n`);
  else if (options.clock === 'real' && workers > 1) err.write('note: a run with several workers has no console\n');
  return workers;
}

function printResult(result: RunResult, { json }: RunFlags, { out, env }: Host): void {
  const colour = isColoured(out, env);
  if (json) out.write(RENDERERS.json(result));
  else out.write(RENDERERS.text(result, { colour, width: getTextWidth(out) }), 'styled');
}

/** @throws UsageError for options that exclude --target or need it */
function checkTarget(flags: RunFlags): void {
  const wrong = flags.target === undefined ? undefined : OF_EMBEDDED.find((name) => flags[name] !== undefined);
  if (wrong !== undefined)
    throw new UsageError('bad-flags', `--${wrong} cannot be used with --target: it is for the embedded cloud`);
  if (flags.target !== undefined && flags.clock === 'virtual') {
    throw new UsageError('bad-flags', '--clock virtual cannot be used with --target: another cloud runs in real time');
  }
  if (flags.keep && flags.target === undefined) {
    throw new UsageError('bad-flags', '--keep requires --target: the embedded cloud ends with the run');
  }
}

/** @throws UsageError for options that need another option, or exclude each other */
function checkNeeds(flags: RunFlags, clock: RunOptions['clock']): void {
  checkWires(flags, clock);
  if (flags.speed !== undefined && clock !== 'real') {
    throw new UsageError('bad-flags', '--speed requires --clock real: virtual time runs as fast as possible');
  }
  if (flags.pace !== undefined && clock !== 'virtual') {
    throw new UsageError('bad-flags', '--pace requires --clock virtual; in real time, use --speed');
  }
  checkStore(flags);
}

/** A warning, if the cloud at `api` does not get the scenario's cloud settings. The scenario may still run against it. */
function warnOfIgnored(api: string, { cloud }: Plan): string {
  const settings = cloud ? describeCloud(cloud) : [];
  return settings.length === 0
    ? ''
    : `warning: ${shownAddress(api)} ignores the cloud settings of the scenario: ${settings.join(', ')}\n`;
}

/** Names up to three things, so that the user finds them. */
function withoutRecord({ things }: Leftovers): string {
  const names = things.slice(0, 3).map(({ what }) => what);
  const more = things.length > names.length ? ` and ${things.length - names.length} more` : '';
  return `no record was saved, so delete ${names.join(', ')}${more} by hand`;
}

/** Message about the leftovers of a run if the user quits immediately. */
function describeInterrupted(
  { target, out }: RunFlags,
  leftovers: Leftovers | undefined,
  isRecorded: boolean,
): string | undefined {
  const left = [
    ...(target === undefined ? [] : [`what the run created in ${shownAddress(target)} may still exist`]),
    ...(leftovers === undefined
      ? []
      : [isRecorded ? `"ghostfleet clean ${leftovers.run}" removes it` : withoutRecord(leftovers)]),
    ...(out === undefined ? [] : [`"${out}" is incomplete`]),
  ];
  return left.length === 0 ? undefined : left.join('; ');
}

/** Lists what `--keep` left in the cloud, to be inspected and deleted by hand. */
function describeKept(things: readonly string[]): string {
  return [`kept in the cloud: ${countOf(things.length, 'thing')}`, ...things].join('\n  ').concat('\n');
}

function describeLeft(left: Leftovers, record: string | undefined): string {
  return [describeLeftovers(left, record), ...left.things.map(({ what, why }) => `${what}: ${why}`)]
    .join('\n  ')
    .concat('\n');
}

/** Names what earlier runs left in the cloud. */
function offerLeftovers(api: string, { err, env }: Host): void {
  const address = plainBase(api);
  for (const left of readLeftovers(env)) {
    if (left.api === address) err.write(`note: ${describeLeftovers(left, left.run)}\n`);
  }
}

/** The command that repeats the run. Options that do not decide its events are left out. */
function writeCommand(flags: RunFlags, clock: string, plan: Plan): string {
  const transport = chooseTransport(flags, 'virtual');
  return shownCommand([
    'ghostfleet',
    ...runWords(flags, plan.seed, clock),
    ...optionWords({ speed: flags.speed, transport: transport === 'memory' ? undefined : transport }),
    ...listTargetWords(flags),
    ...queueWords(flags, clock),
  ]);
}

/** Options of the embedded cloud. */
const OF_EMBEDDED = ['transport', 'store'] as const;
