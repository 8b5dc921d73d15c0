/** `ghostfleet record`: reads the history of a space through the public API and writes it, anonymised, to a file. */

import { ApiError, ConnectionError, type DeviceCloudClient, type Message } from '../client/client.js';
import { parseTimeOrDate } from '../kernel/calendar.js';
import { EXIT, type ExitCode, InterruptedError, UsageError } from '../kernel/errors.js';
import { PRIVATE } from '../kernel/private-file.js';
import { RealClock } from '../kernel/real-clock.js';
import { days, exactDuration, parseDuration, seconds, type UnixMillis } from '../kernel/time.js';
import { shownAddress } from '../kernel/web-address.js';
import { KINDS, reserve, writeWhole } from '../kernel/write-files.js';
import { packagedProfiles } from '../profile/library.js';
import { collect } from '../record/collect.js';
import { describeContent } from '../record/describe.js';
import { type DeviceNames, writeDeviceNames } from '../record/device-names.js';
import { findPace } from '../record/pace.js';
import type { Recording } from '../record/recording.js';
import { writeRecording } from '../record/write.js';
import { Budget } from '../runner/targets/budget.js';
import { makeGate } from '../runner/targets/paced.js';
import { checkOption, defineCommand } from './command.js';
import type { Host } from './host.js';
import { API_OPTIONS, connectTo, findApiKey, showWaits } from './target.js';
import { POSITIVE_FORM, parsePositiveNumber, SPEED } from './values.js';

/** Which messages to read. */
export interface SpaceFlags {
  readonly target: string;
  readonly 'api-key': string | undefined;
  readonly space: string | undefined;
  readonly after?: Moment | undefined;
  readonly before?: Moment | undefined;
  readonly rate?: number | undefined;
  readonly speed?: number | undefined;
  readonly bodies?: boolean;
}

interface RecordFlags extends SpaceFlags {
  readonly out: string;
  readonly names: string | undefined;
}

/** Default requests per second; low, because the space is in use. */
const GENTLE = 5;
/** How long an answer may take on average: each is a page of messages. */
const PER_PAGE = seconds(10);
const PROGRESS_EVERY = 1000;
const DEFAULT_REACH = days(1);
const TIME = 'a time such as 2026-03-02T06:00Z, or a duration before now such as 2h';

export const record = defineCommand<RecordFlags>(
  (parser) =>
    parser
      .option('target', { type: 'string', requiresArg: true, demandOption: true, describe: 'address of the cloud API' })
      .options(API_OPTIONS)
      .option(
        'after',
        checkOption(
          { describe: `start of the recording: ${TIME} (default: 1d before --before)` },
          'after',
          TIME,
          parseMoment,
        ),
      )
      .option('before', checkOption({ describe: 'end of the recording (default: now)' }, 'before', TIME, parseMoment))
      .option('out', { type: 'string', requiresArg: true, demandOption: true, describe: 'file to write' })
      .option(
        'rate',
        checkOption(
          { describe: `maximum API requests per second (default: ${GENTLE})` },
          'rate',
          POSITIVE_FORM,
          parsePositiveNumber,
        ),
      )
      .option('speed', { ...SPEED, describe: '--speed of the run that produced the history (default: 1)' })
      .option('names', {
        type: 'string',
        requiresArg: true,
        describe: 'file for the names of the recorded devices, which the recording does not contain',
      })
      .option('bodies', { type: 'boolean', default: false, describe: 'record the range of each measured value' }),
  execute,
);

async function execute(flags: RecordFlags, host: Host): Promise<ExitCode> {
  const { out, names: namesFile } = flags;
  const { recording, names, isCut } = await readSpace(flags, host, {
    begun: () => {
      reserve(out, KINDS.recording);
      if (namesFile !== undefined) reserve(namesFile);
    },
    leftBehind: () => `"${out}" was not written`,
  });
  writeWhole(out, writeRecording(recording));
  if (namesFile !== undefined) {
    writeWhole(namesFile, writeDeviceNames(names), { mode: PRIVATE.file });
  }
  host.out.write(`${writeSummary(out, recording)}\n`);
  host.err.write(writeHint(recording));
  return isCut ? EXIT.interrupted : EXIT.fine;
}

interface SpaceRead {
  readonly recording: Recording;
  readonly names: DeviceNames;
  /** Whether a signal ended the reading. */
  readonly isCut: boolean;
}

/**
 * Reads the messages of a space. A signal ends it; what was read then counts.
 * @param steps `begun` is called before the first request, `leftBehind` returns the message of a second signal
 * @throws UsageError if the flags are wrong, or the space cannot be read
 */
export async function readSpace(
  flags: SpaceFlags,
  host: Host,
  {
    begun = () => {},
    leftBehind = () => undefined,
  }: { begun?: () => void; leftBehind?: () => string | undefined } = {},
): Promise<SpaceRead> {
  const { wall: now } = new RealClock();
  const before = flags.before?.(now) ?? now;
  const after = flags.after?.(now) ?? before - DEFAULT_REACH;
  if (after >= before) throw new UsageError('bad-flags', '--after must be earlier than --before');
  const apiKey = findApiKey(flags, host);
  const abort = new AbortController();
  const forget = host.onInterrupt((signal) => abort.abort(new InterruptedError(signal)), leftBehind);
  const names = new Map<string, { readonly name: string; readonly serial: string }>();
  try {
    begun();
    const window = { after, before, signal: abort.signal };
    // Another cloud may leave out both.
    const named = (
      device: string,
      { device_name: name = device, device_serial_number: serial = '' }: Partial<Message>,
    ) => void names.set(device, { name, serial });
    const recording = await read(flags, apiKey, { ...window, named }, host);
    return { recording, names, isCut: abort.signal.aborted };
  } finally {
    forget();
  }
}

interface Window {
  readonly after: UnixMillis;
  readonly before: UnixMillis;
  readonly signal: AbortSignal;
  readonly named: (device: string, message: Message) => void;
}

async function read(flags: SpaceFlags, apiKey: string, window: Window, host: Host): Promise<Recording> {
  const { signal } = window;
  const [clock, pace] = [new RealClock(), { atOnce: 1, perSecond: flags.rate ?? GENTLE }];
  const budget = new Budget(clock, pace.perSecond, PER_PAGE);
  budget.begin();
  const gate = makeGate(pace, clock, { signal, waits: showWaits(host), budget });
  const types = new Map(
    [...packagedProfiles()].map(([name, { identity, firmware }]) => [
      identity.fwBundle,
      { name, versions: firmware.names },
    ]),
  );
  let api: DeviceCloudClient | undefined;
  try {
    api = await connectTo({ target: flags.target, space: flags.space, apiKey, gate });
    return await collect(api, {
      ...window,
      speed: flags.speed ?? 1,
      bodies: flags.bodies ?? false,
      typeOf: (bundle) => types.get(bundle),
      progress: showProgress(host),
    });
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof ConnectionError)) throw error;
    throw new UsageError('bad-target', `cannot read ${shownAddress(flags.target)}: ${error.message}`);
  } finally {
    await api?.close();
    budget.end();
  }
}

/** Prints a line for every thousand messages. */
function showProgress(host: Host): (messages: number) => void {
  let reported = 0;
  return (messages) => {
    if (messages - reported < PROGRESS_EVERY) return;
    reported = messages;
    host.err.write(`${messages} messages read\n`);
  };
}

function writeSummary(out: string, recording: Recording): string {
  const { from, until, cut } = recording;
  return `${out}: ${describeContent(recording)} in ${exactDuration(until - from)}${cut === null ? '' : ` (cut short: ${cut})`}`;
}

/** A warning if the devices report much more often than configured: `--speed` is then probably wrong. */
function writeHint(recording: Recording): string {
  const pace = Math.round(findPace(recording) ?? 1);
  if (pace < 2) return '';
  return (
    `warning: the devices report about ${pace} times as often as configured; ` +
    'if a run with --speed produced this history, use the same --speed here\n'
  );
}

/** A moment that may be relative to now. */
type Moment = (now: UnixMillis) => UnixMillis;

function parseMoment(text: string): Moment | undefined {
  const time = parseTimeOrDate(text);
  if (time !== undefined) return () => time;
  const ago = parseDuration(text);
  return ago === undefined ? undefined : (now) => now - ago;
}
