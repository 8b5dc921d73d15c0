/**
 * `ghostfleet device`: one virtual device in real time, against any cloud that speaks the wire protocol. Typed lines go to its
 * shell; lines that begin with a dot control it from outside. The events of the device are logged between these lines.
 */
import { controlHelp } from '../console/control-line.js';
import { carryOut, completions, type LineOptions } from '../console/line.js';
import type { Member } from '../console/member.js';
import type { Print } from '../console/screen.js';
import type { ConsoleServer } from '../console/server.js';
import { faint, listed, logLine } from '../console/shown.js';
import { orList } from '../input/problems.js';
import { readNamed } from '../input/text-file.js';
import type { Alarm } from '../kernel/clock.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { DURATION_FORM, type Millis, parseDuration } from '../kernel/time.js';
import { profileNamed } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import { USUAL_PORTS } from '../protocol/flap/envelope.js';
import { type CloudAddress, isRawSender, makeDeviceKind, startSingleDevice } from '../runner/single-device.js';
import { usesDtls } from '../runner/world/connection.js';
import { describeError, SystemErrors } from '../runner/world/system-errors.js';
import { makeSamplingRandom } from '../scenario/selector/match.js';
import type { TraceEvent } from '../trace/events.js';
import { Capture } from '../wire/capture.js';
import { DeviceRecorder } from '../wire/recorder.js';
import { openToConsoles } from './attachable.js';
import { awaitReader, CAPTURE, checkCapture } from './capture.js';
import { checkOption, defineCommand, expectWholeNumber } from './command.js';
import { CLAIM_TOKEN, claimTokenIn, DTLS_KEY, TOKEN_VARIABLE } from './device-secrets.js';
import { type Host, isColoured, type Terminal } from './host.js';
import { awaitInterruption } from './interrupts.js';
import { openSerialPorts, parseSerialPort, SERIAL_PORT_FORM, type SerialRequest } from './serial-port.js';
import { watchSilence } from './silence.js';
import { type AfterLine, takeLines } from './typed-lines.js';
import {
  FIRMWARE,
  formatAddress,
  HOST_AND_PORT,
  type HostAndPort,
  parseHostAndPort,
  SHOW_SECRETS,
  SPEED,
} from './values.js';

interface DeviceFlags {
  readonly profile: string;
  readonly firmware: string | undefined;
  readonly serial: number | undefined;
  readonly token: string | undefined;
  readonly secret: string | undefined;
  readonly udp: HostAndPort | undefined;
  readonly raw: boolean;
  readonly link: 'udp' | 'http';
  readonly api: string | undefined;
  readonly config: readonly string[];
  readonly speed: number | undefined;
  readonly for: number | undefined;
  readonly log: readonly string[] | undefined;
  readonly quiet: boolean;
  readonly capture: string | undefined;
  readonly 'serial-port': SerialRequest | undefined;
  readonly 'show-secrets': boolean;
}

/** Default addresses of a service on this machine. */
const GATEWAY: HostAndPort = { host: '127.0.0.1', port: USUAL_PORTS.base64 };
const API = 'http://127.0.0.1:8080';

/** Subjects of log lines: prefixes of event kinds. */
const LOG_SUBJECTS = ['device', 'uplink', 'downlink', 'poll', 'net'];

export const device = defineCommand<DeviceFlags>(
  (parser) =>
    parser
      .positional('profile', { type: 'string', demandOption: true, describe: 'device type, see "list profiles"' })
      .option('serial', {
        ...checkOption({ describe: 'serial number' }, 'serial', SERIAL_FORM, parseSerial),
        demandOption: true,
      })
      .option(
        'token',
        checkOption(
          { describe: `claim token; also ${TOKEN_VARIABLE}`, secret: true },
          'token',
          CLAIM_TOKEN.wanted,
          CLAIM_TOKEN.parse,
        ),
      )
      .option(
        'secret',
        checkOption(
          {
            describe: 'key for DTLS (cloud config protocol flap-dtls), the "secret" of the device in the cloud',
            secret: true,
          },
          'secret',
          DTLS_KEY.wanted,
          DTLS_KEY.parse,
        ),
      )
      .option('firmware', { ...FIRMWARE, describe: 'firmware version, such as 3.5.5; the newest is the default' })
      .option('link', {
        choices: ['udp', 'http'] as const,
        default: 'udp' as const,
        describe: 'link to the cloud: its UDP gateway, or the device ingress of its API',
      })
      .option('api', {
        type: 'string',
        requiresArg: true,
        describe: `address of the API for --link http (default: ${API})`,
      })
      .option(
        'udp',
        checkOption(
          { describe: `UDP gateway as HOST:PORT (default: ${formatAddress(GATEWAY)})` },
          'udp',
          HOST_AND_PORT,
          parseHostAndPort,
        ),
      )
      .option('raw', {
        type: 'boolean',
        default: false,
        describe: `send raw datagrams (port ${USUAL_PORTS.raw}) instead of base64`,
      })
      .option('config', {
        type: 'string',
        requiresArg: true,
        array: true,
        default: [] as string[],
        describe: 'configuration line stored before the start, such as "app config interval-report 60"',
      })
      .option('speed', { ...SPEED, default: '1', describe: 'simulated seconds per real second' })
      .option(
        'for',
        checkOption(
          { describe: 'time to run, such as 10m (default: until Ctrl-C)' },
          'for',
          DURATION_FORM,
          parseDuration,
        ),
      )
      .option(
        'log',
        checkOption(
          { describe: `what to log, separated by commas: ${LOG_SUBJECTS.join(', ')} (default: all)` },
          'log',
          `a comma-separated list of ${orList(LOG_SUBJECTS)}`,
          parseSubjects,
        ),
      )
      .option('capture', CAPTURE)
      .option(
        'serial-port',
        checkOption(
          { describe: 'serial port with the shell of the device: tcp:HOST:PORT, or pty (needs socat)' },
          'serial-port',
          SERIAL_PORT_FORM,
          (text) => parseSerialPort(text),
        ),
      )
      .option('quiet', { type: 'boolean', default: false, describe: 'log nothing' })
      .option('show-secrets', SHOW_SECRETS),
  execute,
);

async function execute(flags: DeviceFlags, host: Host): Promise<ExitCode> {
  const profile = profileNamed(flags.profile, flags.firmware);
  const claimToken = flags.token ?? claimTokenIn(host.env);
  if (claimToken === undefined) {
    throw new UsageError('bad-flags', `${CLAIM_TOKEN.wanted} is required: --token or ${TOKEN_VARIABLE}`);
  }
  checkCapture(flags.capture, { '--link http': flags.link === 'http' });
  if (flags.quiet && flags.log !== undefined) throw new UsageError('bad-flags', '--quiet and --log exclude each other');
  const clock = new RealClock({ speed: flags.speed ?? 1 });
  let terminal: Terminal | undefined;
  let consoles: ConsoleServer | undefined;
  let closePorts = (): void => {};
  const print: Print = (lines) => {
    if (terminal) terminal.print(lines);
    else for (const line of lines) host.out.write(`${line}\n`);
  };
  const subjects = flags.quiet ? [] : (flags.log ?? LOG_SUBJECTS);
  const cloud = chooseAddress(flags, profile);
  const silence =
    cloud.link === 'http'
      ? watchSilence(cloud.api, 'http')
      : watchSilence(formatAddress(cloud), cloud.format === 'dtls' ? 'dtls' : 'udp');
  const emit = (event: TraceEvent): void => {
    consoles?.take(event);
    if (subjects.some((subject) => event.kind.startsWith(`${subject}.`)))
      print([faint(logLine(event), terminal !== undefined && isColoured(host.out, host.env))]);
    const silent = silence(event);
    if (silent !== undefined && !flags.quiet) print([silent]);
  };
  const failures = new SystemErrors((failure) => {
    // `silence` names a service that does not answer.
    if (failure.own && !flags.quiet) print([describeError(failure)]);
  });
  const { promise: crashed, reject: crash } = makeFailurePromise();
  const about = `ghostfleet device ${profile.name} --serial ${flags.serial}`;
  const isOpen = await awaitReader(flags.capture);
  const capture = flags.capture === undefined ? undefined : new Capture(flags.capture, { about, live: true });
  isOpen();
  const running = await startSingleDevice({
    profile,
    serial: flags.serial as number,
    cloud,
    claimToken,
    secret: flags.secret,
    config: flags.config,
    clock,
    trace: { emit },
    failed: failures.add,
    crashed: crash,
    ...(capture && { recorder: new DeviceRecorder(capture) }),
  });
  const { device: member } = running;
  const { happens, forget } = awaitInterruption(host);
  const time = waitFor(clock, flags.for);
  const noted = (action: string): void =>
    emit({ kind: 'console.action', at: clock.now, serial: member.serial, action });
  try {
    consoles = await openToConsoles(host, {
      name: member.name,
      size: 1,
      tags: [],
      random: makeSamplingRandom(member.serial),
      members: () => [member],
      noted: (_serial, action) => noted(action),
    });
    closePorts = await openSerialPorts(
      flags['serial-port'] === undefined ? [] : [flags['serial-port']],
      {
        ...{ host, secrets: flags['show-secrets'], noted: (_, line) => noted(line) },
        memberOf: (name) => (name === member.name ? member : undefined),
      },
      member.name,
    );
    terminal = host.terminal({
      prompt: `${profile.name}> `,
      complete: async (line) => completions(member, line),
    });
    const over = Promise.race([happens, time.over, crashed]);
    const lines = terminal?.lines ?? host.lines();
    const options = { secrets: flags['show-secrets'], readFile: readNamed, noted };
    const left = takeLines(lines, over, (line) => takeLine(line, member, options, print));
    // A pipe may end before its commands have taken effect, so its end does not stop the device.
    if (!(await left) || terminal === undefined) await over;
  } finally {
    terminal?.close();
    closePorts();
    consoles?.close('the device was switched off');
    // Its timer would keep the process alive.
    time.cancel();
    await running.stop();
    forget();
    capture?.abandon();
  }
  return EXIT.fine;
}

async function takeLine(line: string, member: Member, options: LineOptions, print: Print): Promise<AfterLine> {
  const word = line.trim();
  if (word === '.quit') return 'leave';
  if (word === '.help') print(HELP);
  else if (word === '.list') print(listed([member]));
  else if (word !== '') await carryOut(member, line, options, ({ lines }) => print(lines));
  return 'stay';
}

const HELP = [
  'Lines go to the shell of the device; type "help" for its commands. Lines that begin with a dot control it from outside:',
  ...controlHelp(),
  '  .list  shows its firmware, its battery and its state',
  '  .quit  switches it off and exits, like Ctrl-D',
];

/** @throws UsageError for options that exclude each other, and for a missing option that another one requires */
function chooseAddress({ link, api, udp, raw, config, secret }: DeviceFlags, profile: Profile): CloudAddress {
  if (link === 'http') {
    const wrong = udp !== undefined ? 'udp' : raw ? 'raw' : undefined;
    if (wrong !== undefined) throw new UsageError('bad-flags', `--${wrong} cannot be used with --link http`);
    return { link, api: api ?? API };
  }
  if (api !== undefined) throw new UsageError('bad-flags', '--api requires --link http');
  if (usesDtls(makeDeviceKind(profile, config))) {
    if (secret === undefined) throw new UsageError('bad-flags', 'DTLS requires --secret');
    return { link, ...(udp ?? { ...GATEWAY, port: USUAL_PORTS.dtls }), format: 'dtls' };
  }
  if (isRawSender(profile)) return { link, ...(udp ?? { ...GATEWAY, port: USUAL_PORTS.raw }), format: 'raw' };
  return { link, ...(udp ?? GATEWAY), format: raw ? 'raw' : 'base64' };
}

/** A promise that only fails; nothing happens if its failure is not awaited. */
function makeFailurePromise(): { readonly promise: Promise<never>; readonly reject: (error: Error) => void } {
  let reject: (error: Error) => void = () => {};
  const promise = new Promise<never>((_, fails) => {
    reject = fails;
  });
  promise.catch(() => {});
  return { promise, reject };
}

function waitFor(
  clock: RealClock,
  duration: Millis | undefined,
): { readonly over: Promise<void>; readonly cancel: () => void } {
  let end: Alarm | undefined;
  const over = new Promise<void>((resolve) => {
    if (duration !== undefined) end = clock.after(duration, 'the end of the run', resolve);
  });
  return { over, cancel: () => end?.cancel() };
}

function parseSubjects(text: string): readonly string[] | undefined {
  const subjects = text.split(',').map((subject) => subject.trim());
  return subjects.every((subject) => LOG_SUBJECTS.includes(subject)) ? subjects : undefined;
}

const SERIAL_FORM = 'a serial number from 1 to 4294967295; for a serial port, use --serial-port';

function parseSerial(text: string): number | undefined {
  return expectWholeNumber(1, 4_294_967_295)(text);
}
