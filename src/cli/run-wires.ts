/** What a run shows of its devices on the wire: its capture, and serial ports with their shells. */
import type { Fleet, Member } from '../console/member.js';
import { didYouMean } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import { needDifferentPorts } from '../kernel/same-port.js';
import type { RunControl, RunOptions } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { Capture } from '../wire/capture.js';
import { DeviceRecorder } from '../wire/recorder.js';
import { CAPTURE, checkCapture } from './capture.js';
import { WrongValue } from './check-arguments.js';
import { readEach } from './command.js';
import type { Host } from './host.js';
import { openSerialPorts, parseSerialPort, SERIAL_PORT_FORM, type SerialRequest } from './serial-port.js';
import { REPEATED } from './values.js';

/** The options of these things. */
export interface WireFlags {
  readonly capture: string | undefined;
  readonly 'serial-port': readonly SerialRequest[];
}

/** Their definitions. */
export const WIRE_OPTIONS = {
  capture: CAPTURE,
  'serial-port': {
    ...REPEATED,
    describe: 'serial port with the shell of a device: NAME=tcp:HOST:PORT, or NAME=pty (needs socat); may be repeated',
    coerce: readEach(readSerialPort, (ports) => ports),
  },
};

/** The options that decide whether a run can have these things. */
interface OtherFlags extends WireFlags {
  readonly seeds: number | undefined;
  readonly pace: number | undefined;
  readonly transport: string | undefined;
  readonly link: string | undefined;
  readonly queue: string | undefined;
  readonly workers: number | undefined;
  readonly 'metrics-port': number | undefined;
}

/** @throws UsageError for options that exclude each other */
export function checkWires(flags: OtherFlags, clock: RunOptions['clock']): void {
  const { capture, transport, link, queue, seeds, pace, workers = 1, 'serial-port': ports } = flags;
  checkCapture(capture, {
    '--transport http': transport === 'http',
    '--link http': link === 'http',
    '--queue': queue !== undefined,
    '--seeds': seeds !== undefined,
  });
  if (ports.length === 0) return;
  needDifferentPorts([
    { option: '--metrics-port', port: flags['metrics-port'], host: '127.0.0.1' },
    ...ports.flatMap(({ device = '', place }) =>
      place.kind === 'tcp' ? [{ option: `--serial-port of "${device}"`, ...place.at }] : [],
    ),
  ]);
  const wrong = seeds !== undefined ? 'seeds' : queue !== undefined ? 'queue' : workers > 1 ? 'workers' : undefined;
  if (wrong !== undefined) throw new UsageError('bad-flags', `--serial-port cannot be used with --${wrong}`);
  if (clock === 'virtual' && pace === undefined) {
    throw new UsageError('bad-flags', '--serial-port requires --clock real or --pace: virtual time is too fast for it');
  }
}

interface WiresOptions {
  readonly plan: Plan;
  readonly host: Host;
  /** The command, for the comment of the capture. */
  readonly about: string;
  /** Whether the run can be watched while it lasts. */
  readonly live: boolean;
}

export class RunWires {
  /** For the runner; empty without a capture. */
  readonly options: Pick<RunOptions, 'recorder'>;
  readonly #capture: Capture | undefined;
  #fleet: Fleet | undefined;
  #closePorts = (): void => {};

  /** @throws UsageError if a port or the file cannot be opened, or if a device does not exist */
  static async open({ capture, 'serial-port': ports }: WireFlags, options: WiresOptions): Promise<RunWires> {
    const { plan, host, about, live } = options;
    checkNames(ports, plan);
    const wires = new RunWires(capture === undefined ? undefined : new Capture(capture, { about, live }));
    try {
      wires.#closePorts = await openSerialPorts(ports, {
        ...{ host, secrets: false },
        memberOf: (name) => wires.#memberOf(name),
        noted: ({ serial }, line) => wires.#fleet?.noted(serial, line),
      });
      return wires;
    } catch (error) {
      wires.close();
      throw error;
    }
  }

  private constructor(capture: Capture | undefined) {
    this.#capture = capture;
    this.options = capture === undefined ? {} : { recorder: new DeviceRecorder(capture) };
  }

  /** From now on, the ports lead to the devices. */
  follow({ world }: RunControl): void {
    this.#fleet = world?.fleet;
  }

  close(): void {
    this.#capture?.abandon();
    this.#closePorts();
  }

  #memberOf(name: string): Member | undefined {
    for (const member of this.#fleet?.members() ?? []) if (member.name === name) return member;
    return undefined;
  }
}

/** @throws UsageError for ports of devices that the scenario does not have, with all such names */
function checkNames(ports: readonly SerialRequest[], { devices }: Plan): void {
  const names = devices.map(({ name }) => name);
  const problems = ports.flatMap(({ device }) => {
    if (device === undefined) return ['name the device, as in NAME=tcp:127.0.0.1:7001'];
    return names.includes(device) ? [] : [`no device "${device}"${didYouMean(device, names)}`];
  });
  if (problems.length > 0) throw new UsageError('bad-flags', `--serial-port: ${problems.join('; ')}`);
}

function readSerialPort(text: string): SerialRequest | WrongValue {
  return parseSerialPort(text) ?? new WrongValue([`--serial-port "${text}" is not NAME= and ${SERIAL_PORT_FORM}`]);
}
