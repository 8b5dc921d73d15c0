/**
 * A virtual device: hardware and flash. Each boot runs a new instance of the firmware on them.
 *
 * A fleet may have 100,000 devices, so each device takes little memory: the data that all devices of a type share are in their
 * {@link DeviceType}, and identity numbers are computed on demand.
 */
import { type Action, type Alarm, type AlarmOwner, type Clock, perform } from '../kernel/clock.js';
import { asError, GhostfleetError } from '../kernel/errors.js';
import { type Draws, NoiseStream, noiseSeed, type Random } from '../kernel/random.js';
import { type Instant, type Millis, seconds, type UnixMillis, type UnixSeconds } from '../kernel/time.js';
import type { Build } from '../protocol/firmware-image.js';
import { type Datagram, type LinkFormat, tokenText } from '../protocol/flap/envelope.js';
import type {
  BootCause,
  ContactReason,
  DownlinkType,
  RadioPause,
  Trace,
  TraceEvent,
  UplinkType,
} from '../trace/events.js';
import { DeviceConfig, type Settings } from './config/device-config.js';
import { type BoardOverrides, ChangeRefused, DeviceControls } from './device-controls.js';
import { type Doing, describeDoing } from './doing.js';
import type { Battery, CurrentUse } from './environment/battery.js';
import { Environment } from './environment/environment.js';
import type { Policy } from './family/index.js';
import { HARDWARE_WATCHDOG } from './firmware/application.js';
import { findFactoryReset } from './firmware/button.js';
import { Firmware } from './firmware/firmware.js';
import type { Bootloader } from './hardware/bootloader.js';
import type { DeviceFacts, Extent, Hardware, MessageWitness } from './hardware/hardware.js';
import { identityOf } from './hardware/identity.js';
import { Spool } from './hardware/spool.js';
import type { LinkObserver } from './link/link.js';
import type { DatagramPort, DeviceEnd, RadioLink } from './link/radio-link.js';
import { openLink } from './link/resending-link.js';
import { wireFormat } from './link/wire-format.js';
import { Modem } from './modem/modem.js';
import type { ModemBoard } from './modem/state.js';
import { type Subscriber, subscriberOf } from './modem/subscriber.js';
import type { ModemTimings } from './modem/timing.js';
import type { CommandResult } from './shell/command.js';
import type { DeviceIdentity } from './shell/host.js';
import { typable } from './shell/shell.js';
import type { DeviceType } from './type/device-type.js';

/** What all devices of a run share. It is one object, so that each device needs only one reference to it. */
export interface DeviceWorld {
  readonly clock: Clock;
  readonly trace: Trace;
  /** Receives the content of the messages. If undefined, the content is not recorded. */
  readonly witness?: MessageWitness | undefined;
  /** Called when the code of a device has thrown an error, after the event `device.failed`. */
  readonly failed?: ((serial: number, error: Error) => void) | undefined;
}

interface DeviceOptions {
  readonly type: DeviceType;
  /** 1 to 4294967295. */
  readonly serial: number;
  /** 32 hex digits. */
  readonly claimToken: string;
  /** Settings in flash before the first boot. */
  readonly flash?: Settings;
  readonly world: DeviceWorld;
  /** Random generator of this device alone. */
  readonly random: Random;
  readonly format: LinkFormat;
  /** Connects the radio. `format` is what the firmware uses (link/wire-format.ts), maybe not the option `format`. */
  readonly connect: (device: Pick<Device, 'receive' | 'clock' | 'run'>, format: LinkFormat) => DatagramPort;
}

/** How long the bootloader takes to swap two images (behaviour B-34: up to 2 min; cloud C-37). */
const SWAP_TIME = seconds(104);

/** Result of a command that a restart interrupts: no output. */
const CUT_SHORT: CommandResult = { code: 0, lines: [] };

interface Standstill {
  readonly what: string;
  readonly end: Alarm;
}

/** A device's code runs in {@link Device.run}: its errors end it alone. It is its parts' clock, to own their alarms. */
export class Device implements Hardware, DeviceFacts, LinkObserver, DeviceEnd, ModemBoard, Clock, AlarmOwner {
  /** The device type in the version of the running firmware; an update may replace it. */
  type: DeviceType;
  /** The serial number as a signed 32-bit integer: above 2^31, the engine would store an object. */
  readonly #serial: number;
  readonly draws: Draws;
  readonly config: DeviceConfig;
  bootloader: Bootloader | undefined;
  readonly environment: Environment;
  readonly modem: Modem;
  readonly token: string;
  readonly port: DatagramPort;
  readonly link: RadioLink;
  reason: ContactReason = 'boot';
  /** Undefined until a control changes the board, which is rare. */
  boardOverrides: BoardOverrides | undefined;
  /** Created on the first use: most device types do not use a spool. */
  #spool: Spool | undefined;
  readonly #world: DeviceWorld;
  #firmware: Firmware | undefined;
  /** Set while the power is on but no firmware runs, for example during a swap of images. */
  #standstill: Standstill | undefined;
  #uplinks = 0;
  /** Whether the device has opened no socket since its start. */
  #isNew = true;
  isClosing = false;
  /** The error that its code has thrown; undefined if it has thrown none. The device then stops for good. */
  failure: Error | undefined;

  constructor(options: DeviceOptions) {
    const { type, serial, world, random, format } = options;
    this.type = type;
    this.#serial = serial | 0;
    this.#world = world;
    this.token = tokenText(options.claimToken);
    this.draws = new NoiseStream(noiseSeed(random.fork('firmware')));
    this.config = new DeviceConfig(type.layout, options.flash);
    this.environment = new Environment(type.profile, noiseSeed(random.fork('sensors')));
    this.modem = new Modem(this, new NoiseStream(noiseSeed(random.fork('radio'))), noiseSeed(random.fork('cell')));
    const wire = wireFormat(format, type.policy, this.config);
    this.port = options.connect(this, wire);
    this.link = openLink(this, wire);
  }

  get clock(): Clock {
    return this;
  }

  get now(): Instant {
    return this.#world.clock.now;
  }

  get wall(): UnixMillis {
    return this.#world.clock.wall;
  }

  after(delay: Millis, what: string, action: Action): Alarm {
    return this.#world.clock.after(delay, what, action, this);
  }

  run(action: Action): void {
    if (this.failure !== undefined) return;
    try {
      perform(action);
    } catch (error) {
      this.fail(asError(error));
    }
  }

  get serial(): number {
    return this.#serial >>> 0;
  }

  get spool(): Spool {
    this.#spool ??= new Spool();
    return this.#spool;
  }

  get build(): Build {
    return this.bootloader?.running ?? this.type.build;
  }

  /** The running firmware; undefined while none runs. */
  get firmware(): Firmware | undefined {
    return this.#firmware;
  }

  get facts(): DeviceFacts {
    return this;
  }

  get battery(): Battery {
    return this.environment.battery;
  }

  get observer(): LinkObserver {
    return this;
  }

  get bufferSize(): number {
    return this.type.profile.transferBuffer;
  }

  get identity(): DeviceIdentity {
    return identityOf(this.type.profile.identity, this.build, this.serial, this.token);
  }

  get subscriber(): Subscriber {
    return subscriberOf(this.serial);
  }

  /** What the device is doing; undefined at rest. */
  get busyWith(): string | undefined {
    return this.#standstill?.what ?? this.#firmware?.busyWith;
  }

  /** What the device does, for a user who watches it. */
  get doing(): Doing {
    return describeDoing(this, this.#standstill?.what);
  }

  get policy(): Policy {
    return this.type.policy;
  }

  get modemTimings(): ModemTimings {
    return this.type.modemTimings;
  }

  attachPolicy(): string {
    return this.config.text('lte', 'attach-policy');
  }

  spent(use: CurrentUse, duration: Millis): void {
    const { battery, environment, clock } = this;
    if (environment.supplied(clock.wall)) battery.idle(clock.now);
    else battery.spend(use, duration, clock.now);
  }

  feedRadio(): boolean {
    const { battery, environment, clock } = this;
    if (battery.isStrong || environment.supplied(clock.wall)) return true;
    if (battery.bearsRadio(environment.celsius(clock.wall))) return true;
    this.reboot('brown-out');
    return false;
  }

  paused(why: RadioPause, lasts: Millis): void {
    this.emit({ kind: 'radio.paused', at: this.clock.now, serial: this.serial, why, lasts });
  }

  faded(way: 'up' | 'down'): void {
    this.emit({ kind: 'net.fault', at: this.clock.now, serial: this.serial, fault: 'weak-signal', way });
  }

  socketOpened(): void {
    this.port.reopen(this.link.socketOpened(), this.#isNew);
    this.#isNew = false;
  }

  switchedOff(): void {
    this.port.reset?.();
  }

  /** Takes a datagram from the network. */
  receive(datagram: Datagram): void {
    this.run(() => {
      if (this.modem.carries('down')) this.link.receive(datagram);
    });
  }

  powerOn(): void {
    this.run(() => {
      if (this.#firmware === undefined && this.#standstill === undefined) this.boot('power');
    });
  }

  powerOff(): void {
    this.run(() => this.halt('power off'));
  }

  reboot(cause: BootCause): void {
    this.halt('reboot');
    this.boot(cause);
  }

  /** Gives the device network coverage, or takes it away. */
  radio(on: boolean): void {
    this.modem.setCoverage(on);
  }

  /**
   * Runs a line on the local shell. If the command takes time, the result contains the first part of the output, and `later`
   * receives each further part. The last part has no `rest`; it is empty if the device restarts before the command ends.
   * @throws Error while no firmware runs, and if the device has failed
   */
  shell(line: string, later: (part: CommandResult) => void = () => {}): CommandResult {
    this.alive();
    const firmware = this.#firmware;
    if (firmware === undefined)
      throw new Error(
        `no firmware is running: ${this.#standstill ? `waiting for ${this.#standstill.what}` : 'the power is off'}`,
      );
    const begin = (part: CommandResult): CommandResult => {
      const { rest, reboot, afterwards } = part;
      if (reboot) this.reboot(reboot);
      if (rest) {
        const { waiting } = firmware.shellMemory;
        const alarm = this.#world.clock.after(rest.wait, 'a shell command', () => {
          waiting.delete(cutShort);
          let next = CUT_SHORT;
          this.run(() => {
            next = begin(rest.go());
          });
          later(next);
        });
        const cutShort = () => {
          waiting.delete(cutShort);
          alarm.cancel();
          this.callWorld(() => later(CUT_SHORT));
        };
        waiting.add(cutShort);
      }
      return afterwards ? { ...part, lines: [...part.lines, ...afterwards] } : part;
    };
    let first = CUT_SHORT;
    this.run(() => {
      first = begin(this.type.shell.run(firmware.getShellHost(), typable(line)));
    });
    this.alive();
    return first;
  }

  /** Changes that scenario steps and the console can make to the device. @throws Error if the device has failed */
  get controls(): DeviceControls {
    this.alive();
    return new DeviceControls(this, (action) => this.change(action));
  }

  get clockDrift(): number {
    return this.boardOverrides?.drift ?? 0;
  }

  get buttonPressed(): boolean {
    return this.clock.now < (this.boardOverrides?.pressedUntil ?? 0);
  }

  /** Whole seconds on the clock of the firmware; 0 while none runs. */
  unixTime(): UnixSeconds {
    return this.#firmware?.readUnixTime() ?? 0;
  }

  /** Starts no new work; running exchanges finish. */
  close(): void {
    this.run(() => {
      this.isClosing = true;
      this.#firmware?.close();
    });
  }

  ready(): void {
    this.emit({ kind: 'device.ready', at: this.clock.now, serial: this.serial });
  }

  made(type: UplinkType, message: Uint8Array): number {
    const uplink = ++this.#uplinks;
    const { length: bytes } = message;
    this.emit({ kind: 'uplink.made', at: this.clock.now, serial: this.serial, uplink, type, bytes });
    this.witness((witness) => witness.noteMade(this.serial, uplink, message));
    return uplink;
  }

  sent(uplink: number, type: UplinkType): void {
    this.emit({ kind: 'uplink.sent', at: this.clock.now, serial: this.serial, uplink, type });
  }

  acknowledged(uplink: number, type: UplinkType): void {
    this.emit({ kind: 'uplink.acked', at: this.clock.now, serial: this.serial, uplink, type });
  }

  dropped(uplink: number, type: UplinkType, why: string): void {
    this.emit({ kind: 'uplink.dropped', at: this.clock.now, serial: this.serial, uplink, type, why });
  }

  received(type: DownlinkType, message: Uint8Array, fingerprint: string): void {
    this.witness((witness) => witness.noteReceived(this.serial, message));
    this.emit({ kind: 'downlink.received', at: this.clock.now, serial: this.serial, type, print: fingerprint });
  }

  offeredAgain(message: Uint8Array): void {
    this.witness((witness) => witness.noteReceived(this.serial, message));
  }

  executed(type: DownlinkType, fingerprint: string, extent: Extent): void {
    const { serial } = this;
    const ok = extent === 'wholly';
    const partly = extent === 'partly' && { partly: true as const };
    this.emit({ kind: 'downlink.executed', at: this.clock.now, serial, type, print: fingerprint, ok, ...partly });
  }

  pollFailed(why: string): void {
    this.emit({ kind: 'poll.failed', at: this.clock.now, serial: this.serial, why });
  }

  woke(): void {
    this.emit({ kind: 'device.wake', at: this.clock.now, serial: this.serial, why: this.reason });
  }

  repeated(waited: Millis): void {
    this.emit({ kind: 'device.repeat', at: this.clock.now, serial: this.serial, waited });
  }

  restarted(why: string): void {
    this.emit({ kind: 'device.restart', at: this.clock.now, serial: this.serial, why });
  }

  /** Runs a change from outside. @throws ChangeRefused if it is not possible, Error if the device fails by it */
  private change(action: () => void): void {
    let refused: ChangeRefused | undefined;
    this.run(() => {
      try {
        action();
      } catch (error) {
        if (!(error instanceof ChangeRefused)) throw error;
        refused = error;
      }
    });
    if (refused !== undefined) throw refused;
    this.alive();
  }

  /** @throws Error if the device has failed */
  private alive(): void {
    if (this.failure !== undefined) throw new Error(`the device has failed: ${this.failure.message}`);
  }

  /** The code of the device has thrown an error: the device stops for good. */
  private fail(error: Error): void {
    // What the world reports to its devices by an error is not theirs, for example a full disk under the event log.
    if (error instanceof GhostfleetError || OF_THE_WORLD.has(error)) throw error;
    this.failure = error;
    try {
      this.halt('device failed');
    } catch (second) {
      // After an error, the firmware may not be able to stop in order. From now on, its alarms have no effect.
      if (second instanceof GhostfleetError || OF_THE_WORLD.has(asError(second))) throw second;
      this.#firmware = undefined;
    }
    this.emit({ kind: 'device.failed', at: this.now, serial: this.serial, why: whyOf(error) });
    this.#world.failed?.(this.serial, error);
  }

  private witness(sees: (witness: MessageWitness) => void): void {
    const { witness } = this.#world;
    if (witness !== undefined) this.callWorld(() => sees(witness));
  }

  private emit(event: TraceEvent): void {
    try {
      this.#world.trace.emit(event);
    } catch (error) {
      throw ofTheWorld(error);
    }
  }

  /** An error of the call is not an error of the device. */
  private callWorld(call: () => void): void {
    try {
      call();
    } catch (error) {
      throw ofTheWorld(error);
    }
  }

  overran(bytes: number, read: number): void {
    this.emit({ kind: 'device.overrun', at: this.clock.now, serial: this.serial, bytes, read });
  }

  /** Stops the firmware. @param why reason in the trace for the unsent uplinks, which are dropped */
  private halt(why: string): void {
    this.#standstill?.end.cancel();
    this.#standstill = undefined;
    this.#firmware?.halt(why);
    this.#firmware = undefined;
  }

  private boot(cause: BootCause): void {
    // A datagram that is answered at once can make the device fail while its code still runs.
    if (this.failure !== undefined) return;
    const { bootloader } = this;
    if (!bootloader?.reset()) return this.start(cause);
    this.standStill(SWAP_TIME, 'the swap of its firmware images', () => {
      bootloader.swapped();
      this.start(cause);
    });
  }

  private start(cause: BootCause): void {
    this.emit({ kind: 'device.boot', at: this.clock.now, serial: this.serial, cause });
    if (this.build.bundle !== this.type.build.bundle) {
      // The firmware of another device type hangs on this board until the watchdog resets it.
      return this.standStill(HARDWARE_WATCHDOG, 'the watchdog, because the firmware is for another device type', () =>
        this.reboot('watchdog'),
      );
    }
    this.adoptVersion();
    const reset = this.boardOverrides && findFactoryReset(this.clock.now, this.boardOverrides.pressedUntil);
    if (reset !== undefined) {
      return this.standStill(reset - this.clock.now, 'a factory reset by its button', () => {
        this.config.reset();
        this.reboot('button');
      });
    }
    this.#isNew = true;
    this.#firmware = new Firmware(this);
    if (this.isClosing) this.#firmware.close();
  }

  /** Adopts the parameters, buffers and timing of the firmware version that boots: an update may have replaced the firmware. */
  private adoptVersion(): void {
    const type = this.type.withVersion(this.build.version);
    if (type === this.type) return;
    this.type = type;
    this.config.adopt(type.layout);
    this.environment.adopt(type.profile);
  }

  private standStill(duration: Millis, what: string, then: () => void): void {
    const end = this.clock.after(duration, what, () => {
      this.#standstill = undefined;
      then();
    });
    this.#standstill = { what, end };
  }
}

/** Errors of the trace and of the witness, which are not errors of the device whose event they received. */
const OF_THE_WORLD = new WeakSet<Error>();

function ofTheWorld(error: unknown): Error {
  const known = asError(error);
  OF_THE_WORLD.add(known);
  return known;
}

/** `RangeError: 1e+21 is not an exact integer` */
function whyOf({ name, message }: Error): string {
  return `${name}: ${message}`;
}
