/** `ghostfleet explain`: explains why downlinks of a run took so long. */

import { FAST } from '../explain/explain.js';
import type { Explanation } from '../explain/explanation.js';
import { compareSlowness } from '../explain/outcome.js';
import { type DeviceExplanation, RunExplainer } from '../explain/run-explainer.js';
import { didYouMean, quote } from '../input/problems.js';
import { readText } from '../input/text-file.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { wrap } from '../kernel/table.js';
import { DURATION_FORM, type Millis, parseDuration } from '../kernel/time.js';
import { type DeviceNames, readDeviceNames } from '../record/device-names.js';
import { makeRecordedRun } from '../record/explained.js';
import { readRecording } from '../record/read.js';
import type { Recording } from '../record/recording.js';
import { writeDevice, writeExplanation } from '../report/explanation/text.js';
import { findDownlinkId } from '../runner/downlink-id.js';
import { DownlinkRepeats } from '../runner/repeats.js';
import { WhatIf } from '../runner/what-if.js';
import { isNamed } from '../scenario/selector/device.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';
import type { Host } from './host.js';
import { isRun, openRun, readDownlinks, readHistories, type StoredDownlink } from './read-run.js';
import { readSpace } from './record.js';
import { findRepeatableRun, type Given } from './stored-plan.js';
import { API_OPTIONS } from './target.js';
import { ALLOW_FILE, collectVariables, VARIABLES } from './values.js';

interface ExplainFlags {
  readonly run: string | undefined;
  readonly what: string | undefined;
  readonly slowest: number | undefined;
  readonly pending: boolean;
  readonly limit: Millis | undefined;
  readonly var: ReadonlyMap<string, string>;
  readonly allowFile: readonly string[];
  readonly names: string | undefined;
  readonly target: string | undefined;
  readonly 'api-key': string | undefined;
  readonly space: string | undefined;
  readonly json: boolean;
}

const MOST_ASKED = 1000;
/** Number of downlinks to explain if the command line names no device and no downlink, and has no --slowest or --pending. */
const DEFAULT_SLOWEST = 3;
/** What to do if a recording has no such device or downlink. */
const PSEUDONYMS =
  'a recording has no serial numbers, names or ids of the API: name a device by its pseudonym, such as d1 (or give --names), or a downlink by its number, which --slowest shows';
const WIDEST = 120;

export const explain = defineCommand<ExplainFlags>(
  (parser) =>
    parser
      .positional('run', {
        type: 'string',
        describe: 'directory of a run (--out), or a file from "ghostfleet record"; left out with --target',
      })
      .positional('what', { type: 'string', describe: 'a device (name or serial number) or the id of a downlink' })
      .option(
        'slowest',
        checkOption(
          {
            describe:
              'explain this many of the slowest downlinks (default: 3; with --pending all); a pending one counts with its time so far',
          },
          'slowest',
          'a number from 1 to 1000',
          expectWholeNumber(1, MOST_ASKED),
        ),
      )
      .option('pending', {
        type: 'boolean',
        default: false,
        describe:
          'explain all incomplete downlinks: pending, cancelled or expired; delivered according to the cloud but not received by the device; or received but not answered',
      })
      .option(
        'limit',
        checkOption(
          {
            describe:
              'time above which a downlink counts as slow; no cause is named for a downlink that arrived sooner (default: 10m)',
          },
          'limit',
          DURATION_FORM,
          parseDuration,
        ),
      )
      .option('names', {
        type: 'string',
        requiresArg: true,
        describe: 'names of the devices in a recording, from "ghostfleet record --names"',
      })
      .option('target', {
        type: 'string',
        requiresArg: true,
        describe: 'address of a cloud API, whose last day is explained',
      })
      .options(API_OPTIONS)
      .option('var', VARIABLES)
      .option('allow-file', ALLOW_FILE)
      .option('json', { type: 'boolean', default: false, describe: 'print one JSON object instead of the text' }),
  execute,
);

/** A run whose downlinks can be listed before the events of their devices are read. */
interface Source {
  /** Whether it is a recording: its devices and downlinks have numbers of their own. */
  readonly isRecording: boolean;
  readonly names: Readonly<Record<string, string>>;
  /** Further names of the devices: in a recording their pseudonyms, and their serial numbers if they are known. */
  readonly aliases?: ReadonlyMap<string, number>;
  readonly downlinks: readonly StoredDownlink[];
  /** A sentence if the run is in progress or was killed. */
  readonly unfinished?: string;
  readonly explainer: (serials: ReadonlySet<number>) => Promise<RunExplainer>;
}

async function execute(flags: ExplainFlags, host: Host): Promise<ExitCode> {
  const { slowest, pending, limit = FAST, json } = flags;
  const what = flags.target === undefined ? flags.what : flags.run;
  if (what !== undefined && (slowest !== undefined || pending))
    throw new UsageError('bad-flags', 'use either a device or downlink, or --slowest and --pending');
  const source = await readSource(flags, host);
  const serial = what === undefined ? undefined : findSerial(source, what);
  const width = Math.min(WIDEST, host.out.columns);
  const { unfinished } = source;
  const said = unfinished === undefined ? [] : [...wrap(unfinished, width), ''];
  if (serial !== undefined) {
    const explainer = await source.explainer(new Set([serial]));
    const device = await explainer.device(serial, limit);
    print(host, json, { unfinished, ...device }, () => [...said, ...writeDevice(device, width, source.isRecording)]);
    return EXIT.fine;
  }
  const wanted = chooseDownlinks(source, { what, slowest, pending });
  const explainer = await source.explainer(new Set(wanted.map((each) => each.serial)));
  // At the same time, so that their repetitions can share a world.
  const answers = await Promise.all(wanted.map(({ serial: own, id }) => explainer.explainById(own, id, limit)));
  const explanations = answers.filter((each) => each !== undefined);
  const lines = () => [...said, ...listLines(explanations, pending, unfinished !== undefined, width)];
  print(host, json, { unfinished, downlinks: explanations }, lines);
  return EXIT.fine;
}

async function readSource(flags: ExplainFlags, host: Host): Promise<Source> {
  const { run, names, target } = flags;
  if (target !== undefined) {
    if (names !== undefined || flags.what !== undefined)
      throw new UsageError('bad-flags', 'use either --target with a device or downlink, or a run or a recording');
    const { recording, names: known } = await readSpace({ ...flags, target }, host);
    return makeRecordingSource(recording, known);
  }
  const lost = (['api-key', 'space'] as const).find((name) => flags[name] !== undefined);
  if (lost !== undefined) throw new UsageError('bad-flags', `--${lost} requires --target`);
  if (run === undefined) throw new UsageError('bad-flags', 'give a run or a recording, or --target');
  if (!isRun(run)) {
    const known = names === undefined ? new Map() : readDeviceNames(await readText(names), names);
    return makeRecordingSource(readRecording(await readText(run), run), known);
  }
  if (names !== undefined) throw new UsageError('bad-flags', '--names is for a recording: a run has its names');
  return readRunSource(run, { vars: collectVariables(flags.var, host.env), allowFiles: flags.allowFile });
}

function readRunSource(path: string, given: Given): Source {
  const run = openRun(path);
  const { situation, names, unknown, unfinished } = run;
  return {
    isRecording: false,
    names,
    downlinks: readDownlinks(run),
    ...(unfinished !== undefined && { unfinished: `The run ${unfinished.what}.` }),
    explainer: async (serials) => {
      const histories = readHistories(run, serials);
      const repeatable = findRepeatableRun(run, given, histories);
      const repeats =
        typeof repeatable === 'string' ? repeatable : new DownlinkRepeats(WhatIf.ofRun(repeatable), situation);
      return new RunExplainer(histories, names, { situation, unknown, repeats });
    },
  };
}

/** @param known names of the devices; devices without one have their pseudonyms */
function makeRecordingSource(recording: Recording, known: DeviceNames): Source {
  const { histories, situation, names: pseudonyms, unknown, downlinks } = makeRecordedRun(recording);
  const names = Object.fromEntries(
    Object.entries(pseudonyms).map(([n, pseudonym]) => [n, known.get(pseudonym)?.name ?? pseudonym]),
  );
  const aliases = Object.entries(pseudonyms).flatMap(([n, pseudonym]) => {
    const serial = known.get(pseudonym)?.serial;
    return [[pseudonym, Number(n)] as const, ...(serial === undefined ? [] : [[serial, Number(n)] as const])];
  });
  return {
    isRecording: true,
    names,
    aliases: new Map(aliases),
    downlinks,
    explainer: async () => new RunExplainer(histories, names, { situation, unknown }),
  };
}

/** The serial number of a device by its name or number; undefined for an unknown device. */
function findSerial({ isRecording, names, aliases, downlinks }: Source, what: string): number | undefined {
  const isSerial = Object.hasOwn(names, what) || downlinks.some(({ serial }) => String(serial) === what);
  // In a recording, a number is that of a downlink.
  if (isSerial && !isRecording) return Number(what);
  const found = Object.entries(names).find(([, name]) => isNamed(what, name));
  return found ? Number(found[0]) : aliases?.get(what);
}

/** @throws UsageError if no downlink or more than one matches `what` */
function chooseDownlinks(
  source: Source,
  { what, slowest, pending }: Pick<ExplainFlags, 'what' | 'slowest' | 'pending'>,
): readonly StoredDownlink[] {
  if (what !== undefined) return [findNamed(source, what)];
  const sorted = [...source.downlinks].sort(compareSlowness);
  return pending
    ? sorted.filter((each) => !each.complete).slice(0, slowest)
    : sorted.slice(0, slowest ?? DEFAULT_SLOWEST);
}

function findNamed({ isRecording, downlinks, names }: Source, what: string): StoredDownlink {
  const id = findDownlinkId(
    downlinks.map((each) => each.id),
    what,
  );
  const found = downlinks.find((each) => each.id === id);
  if (found !== undefined) return found;
  const known = [...Object.values(names), ...downlinks.map(({ id }) => id)];
  const message = `no device or downlink ${quote(what)}${didYouMean(what, known)}`;
  throw new UsageError('unknown-downlink', message, isRecording ? PSEUDONYMS : undefined);
}

function listLines(
  explanations: readonly Explanation[],
  pending: boolean,
  isUnfinished: boolean,
  width: number,
): readonly string[] {
  const soFar = isUnfinished ? ' so far' : '';
  if (explanations.length === 0)
    return [
      pending
        ? `all downlinks${soFar} were delivered and received, and answered where an answer is expected`
        : `the run has no downlinks${soFar}`,
    ];
  return explanations.flatMap((explanation, i) => [...(i === 0 ? [] : ['']), ...writeExplanation(explanation, width)]);
}

function print(
  host: Host,
  json: boolean,
  explained: Partial<DeviceExplanation> & { readonly unfinished: string | undefined },
  lines: () => readonly string[],
): void {
  host.out.write(json ? `${JSON.stringify(explained, null, 2)}\n` : `${lines().join('\n')}\n`);
}
