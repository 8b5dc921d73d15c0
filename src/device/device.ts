/**
 * A virtual device: hardware and flash, on which one life of the firmware after the other runs.
 *
 * There is one of these for every device of a fleet, up to a hundred thousand, so it keeps little of its own: what devices of
 * a type have in common is in the {@link DeviceType}, and identity numbers are computed when somebody asks.
 */
import type { Alarm, Clock } from '../kernel/clock.js';
import { type Draws, NoiseStream, noiseSeed, type Random } from '../kernel/random.js';
import { type Millis, seconds } from '../kernel/time.js';
import { findQuantity } from '../profile/quantities.js';
import type { Build } from '../protocol/firmware-image.js';
import { type EnvelopeFormat, tokenBytes } from '../protocol/flap/envelope.js';
import type { BootCause, ContactReason, DownlinkType, Trace, UplinkType } from '../trace/events.js';
import { DeviceConfig, type Settings } from './config/device-config.js';
import type { DeviceType } from './device-type.js';
import { Firmware, HARDWARE_WATCHDOG } from './firmware.js';
import type { DeviceFacts, Hardware, Subscriber } from './hardware.js';
import { identityOf, subscriberOf } from './identity.js';
import { FlapLink } from './link/flap-link.js';
import { HttpLink } from './link/http-link.js';
import type { LinkObserver } from './link/link.js';
import type { DatagramPort, RadioLink } from './link/radio-link.js';
import { Modem } from './modem/modem.js';
import { Surroundings } from './sensors/surroundings.js';
import type { CommandResult } from './shell/command.js';
import type { DeviceIdentity } from './shell/host.js';
import { Spool } from './spool.js';
import type { Bootloader } from './update/bootloader.js';

/** How messages travel: as FLAP packets, or as HTTP requests. */
export type LinkFormat = EnvelopeFormat | 'http';

export interface DeviceOptions {
  readonly type: DeviceType;
  /** 1 to 4294967295. */
  readonly serial: number;
  /** 32 hex digits. */
  readonly claimToken: string;
  /** What was written to flash before the first boot. */
  readonly flash?: Settings;
  readonly clock: Clock;
  /** The device's own generator: nobody else draws from it. */
  readonly random: Random;
  readonly trace: Trace;
  readonly format: LinkFormat;
  /** Connects the device's radio to a network. */
  readonly connect: (receive: (datagram: Uint8Array) => void) => DatagramPort;
}

/** How long the bootloader takes to swap two images (firmware behaviour, 5.6: up to 2 min; cloud API gaps, 3.9: 1:44). */
const SWAP_TIME = seconds(104);

interface Standstill {
  readonly what: string;
  readonly end: Alarm;
}

export class Device implements Hardware, DeviceFacts, LinkObserver {
  readonly type: DeviceType;
  readonly serial: number;
  readonly clock: Clock;
  readonly draws: Draws;
  readonly config: DeviceConfig;
  bootloader: Bootloader | undefined;
  readonly spool = new Spool();
  readonly surroundings: Surroundings;
  readonly modem: Modem;
  readonly link: RadioLink;
  reason: ContactReason = 'boot';
  readonly #trace: Trace;
  readonly #claimToken: Uint8Array;
  #firmware: Firmware | undefined;
  /** Set while the power is on and no firmware of ours runs. */
  #standstill: Standstill | undefined;
  #uplinks = 0;
  #closing = false;

  constructor(options: DeviceOptions) {
    const { type, serial, clock, random, trace, format } = options;
    this.type = type;
    this.serial = serial;
    this.clock = clock;
    this.#trace = trace;
    this.#claimToken = tokenBytes(options.claimToken);
    this.draws = new NoiseStream(noiseSeed(random.fork('firmware')));
    this.config = new DeviceConfig(type.layout, options.flash);
    this.surroundings = new Surroundings(type.profile, noiseSeed(random.fork('sensors')));
    this.modem = new Modem({
      clock,
      random: new NoiseStream(noiseSeed(random.fork('radio'))),
      cellSeed: noiseSeed(random.fork('cell')),
      attachPolicy: () => this.config.text('lte', 'attach-policy'),
    });
    const port = options.connect((datagram) => {
      if (this.modem.covered) this.link.receive(datagram);
    });
    this.link =
      format === 'http'
        ? new HttpLink(linkEnvironment(this, port, this.#claimToken, format))
        : new FlapLink(linkEnvironment(this, port, this.#claimToken, format));
  }

  get build(): Build {
    return this.bootloader?.running ?? this.type.build;
  }

  /** The running firmware; undefined while the power is off. */
  get firmware(): Firmware | undefined {
    return this.#firmware;
  }

  get facts(): DeviceFacts {
    return this;
  }

  get identity(): DeviceIdentity {
    return identityOf(this.type.profile.identity, this.build, this.serial, this.#claimToken);
  }

  get subscriber(): Subscriber {
    return subscriberOf(this.serial);
  }

  /** What the device is busy with; undefined at rest. */
  get busyWith(): string | undefined {
    return this.#standstill?.what ?? this.#firmware?.busyWith;
  }

  powerOn(): void {
    if (this.#firmware === undefined && this.#standstill === undefined) this.#boot('power');
  }

  powerOff(): void {
    this.#standstill?.end.cancel();
    this.#standstill = undefined;
    this.#firmware?.halt();
    this.#firmware = undefined;
  }

  reboot(cause: BootCause): void {
    this.powerOff();
    this.#boot(cause);
  }

  /** Puts the device into a place without network (false), or takes it back. */
  radio(on: boolean): void {
    this.modem.setCoverage(on);
  }

  /** Runs a line on the local shell. @throws Error while no firmware runs */
  shell(line: string): CommandResult {
    const firmware = this.#firmware;
    if (firmware === undefined)
      throw new Error(`the device has no ${this.#standstill ? 'firmware that runs' : 'power'}`);
    const result = this.type.shell.run(firmware.shellHost(), line);
    if (result.reboot) this.reboot(result.reboot);
    return result;
  }

  /**
   * Pins a quantity such as `hygrometer.temperature` to a value; null lets its model go on.
   * @throws Error when the device type has no such quantity
   */
  sensor(name: string, value: number | null): void {
    const address = findQuantity(this.type.profile, name);
    if (address === undefined) throw new Error(`"${name}" is not a quantity of ${this.type.profile.name}`);
    this.#firmware?.catchUp();
    if (value === null) this.surroundings.free(address, this.clock.wall);
    else this.surroundings.set(address, value);
    this.#firmware?.look();
  }

  /** Begins nothing new any more; what is under way goes on. */
  close(): void {
    this.#closing = true;
    this.#firmware?.close();
  }

  ready(): void {
    this.#trace.emit({ kind: 'device.ready', at: this.clock.now, serial: this.serial });
  }

  made(type: UplinkType, bytes: number): number {
    const uplink = ++this.#uplinks;
    this.#trace.emit({ kind: 'uplink.made', at: this.clock.now, serial: this.serial, uplink, type, bytes });
    return uplink;
  }

  sent(uplink: number, type: UplinkType): void {
    this.#trace.emit({ kind: 'uplink.sent', at: this.clock.now, serial: this.serial, uplink, type });
  }

  acknowledged(uplink: number, type: UplinkType): void {
    this.#trace.emit({ kind: 'uplink.acked', at: this.clock.now, serial: this.serial, uplink, type });
  }

  dropped(uplink: number, type: UplinkType, why: string): void {
    this.#trace.emit({ kind: 'uplink.dropped', at: this.clock.now, serial: this.serial, uplink, type, why });
  }

  received(type: DownlinkType, print: string): void {
    this.#trace.emit({ kind: 'downlink.received', at: this.clock.now, serial: this.serial, type, print });
  }

  executed(type: DownlinkType, print: string, ok: boolean): void {
    this.#trace.emit({ kind: 'downlink.executed', at: this.clock.now, serial: this.serial, type, print, ok });
  }

  pollFailed(why: string): void {
    this.#trace.emit({ kind: 'poll.failed', at: this.clock.now, serial: this.serial, why });
  }

  woke(): void {
    this.#trace.emit({ kind: 'device.wake', at: this.clock.now, serial: this.serial, why: this.reason });
  }

  repeated(waited: Millis): void {
    this.#trace.emit({ kind: 'device.repeat', at: this.clock.now, serial: this.serial, waited });
  }

  restarted(why: string): void {
    this.#trace.emit({ kind: 'device.restart', at: this.clock.now, serial: this.serial, why });
  }

  #boot(cause: BootCause): void {
    const { bootloader } = this;
    if (!bootloader?.reset()) return this.#run(cause);
    this.#standStill(SWAP_TIME, 'the swap of its firmware images', () => {
      bootloader.swapped();
      this.#run(cause);
    });
  }

  #run(cause: BootCause): void {
    this.#trace.emit({ kind: 'device.boot', at: this.clock.now, serial: this.serial, cause });
    if (this.build.bundle !== this.type.build.bundle) {
      // The firmware of another device type does not get anywhere on this board, until the watchdog bites.
      return this.#standStill(HARDWARE_WATCHDOG, 'a firmware that is not its own', () => this.reboot('watchdog'));
    }
    this.#firmware = new Firmware(this);
    if (this.#closing) this.#firmware.close();
  }

  #standStill(duration: Millis, what: string, then: () => void): void {
    const end = this.clock.after(duration, what, () => {
      this.#standstill = undefined;
      then();
    });
    this.#standstill = { what, end };
  }
}

/** All that a link is given, in one object, and no closure that would keep more: there is one for every device. */
function linkEnvironment<F extends LinkFormat>(device: Device, port: DatagramPort, token: Uint8Array, format: F) {
  const { clock, modem, serial, type } = device;
  return { clock, modem, port, observer: device, serial, token, format, bufferSize: type.profile.transferBuffer };
}
