/**
 * The firmware from one boot to the next: everything that is in RAM. The device creates a new one at every boot and drops the
 * old one, so that no state survives by accident (behaviour B-1, B-4).
 *
 * This file has the start-up, the device's clock, and the data that the cloud thread and the shell need. cloud-thread.ts
 * exchanges messages with the cloud; application.ts runs the tasks after the start-up.
 */
import type { Alarm, Clock } from '../../kernel/clock.js';
import { type Draws, integerBetween } from '../../kernel/random.js';
import {
  type Instant,
  type Millis,
  type Seconds,
  seconds,
  type UnixMillis,
  type UnixSeconds,
} from '../../kernel/time.js';
import type { Profile } from '../../profile/profile.js';
import { CborWriter } from '../../protocol/cbor.js';
import { ENOTSUP, OK } from '../../protocol/errno.js';
import { encodeUp } from '../../protocol/messages/index.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { Policy } from '../family/index.js';
import type { DeviceFacts, Hardware } from '../hardware/hardware.js';
import type { Spool } from '../hardware/spool.js';
import type { Link } from '../link/link.js';
import { Measurements } from '../measuring/measurements.js';
import { encodeBody } from '../measuring/report-body.js';
import type { ShellBoard, ShellEquipment } from '../shell/equipment.js';
import { type DeviceIdentity, type FirmwareDownload, type ShellHost, ShellMemory } from '../shell/host.js';
import { Receiver } from '../wmbus/receiver.js';
import { Application, type ApplicationHost } from './application.js';
import { CloudThread, type CloudThreadHost, type Reaction, type ReactiveDownlink } from './cloud-thread.js';
import { buildConfigUpload } from './config-upload.js';
import { reactTo } from './downlinks.js';
import { buildSessionRequest } from './session-request.js';
import { makeBoard } from './shell-board.js';
import { makeEquipment } from './shell-equipment.js';
import { downloadRequest, reportUpdate, Updater } from './updater.js';

/** Shortest and longest time for sensors, Bluetooth and 1-Wire, before the modem starts (timing T-1). */
const START_UP: readonly [Millis, Millis] = [seconds(1), seconds(10)];

/** One writer serves the whole fleet: each body is complete and copied before the next one is begun. */
const writer = new CborWriter();

export class Firmware implements CloudThreadHost, ApplicationHost, ShellHost {
  readonly cloud: CloudThread;
  readonly application: Application;
  readonly measurements: Measurements;
  /** Undefined for device types without a receiver. */
  readonly receiver: Receiver | undefined;
  readonly #hardware: Hardware;
  readonly #bootedAt: Instant;
  /** Unix seconds of the device's clock at simulated time 0. At a boot, the clock starts in 1970 (shell S-28). */
  #clockOrigin: UnixSeconds;
  #sequence = 0;
  /** Created by the first chunk of an update. */
  #updater: Updater | undefined;
  /** Created by the first command that stores something. */
  #shellMemory: ShellMemory | undefined;
  #starting: Alarm | undefined;

  constructor(hardware: Hardware) {
    this.#hardware = hardware;
    const { clock, config, environment, type } = hardware;
    this.#bootedAt = clock.now;
    this.#clockOrigin = -this.measureElapsed(clock.now);
    config.boot();
    this.measurements = new Measurements(type.profile, environment, config, clock.wall);
    this.cloud = new CloudThread(this);
    this.receiver = type.profile.receiver && new Receiver(this, type.profile.receiver);
    this.application = new Application(this);
    const startUp = type.policy.session.lineReset + integerBetween(hardware.draws, ...START_UP);
    this.#starting = clock.after(startUp, 'the start-up of a device', () => this.startRadio());
  }

  get clock(): Clock {
    return this.#hardware.clock;
  }
  get link(): Link {
    return this.#hardware.link;
  }
  get policy(): Policy {
    return this.#hardware.type.policy;
  }
  get config(): DeviceConfig {
    return this.#hardware.config;
  }
  get profile(): Profile {
    return this.#hardware.type.profile;
  }
  get draws(): Draws {
    return this.#hardware.draws;
  }
  get spool(): Spool {
    return this.#hardware.spool;
  }
  get facts(): DeviceFacts {
    return this.#hardware.facts;
  }
  get now(): Instant {
    return this.#hardware.clock.now;
  }
  get hardware(): Hardware {
    return this.#hardware;
  }
  get wall(): UnixMillis {
    return this.#hardware.clock.wall;
  }
  /** Seed of the meters and tags around the device. It follows from the serial number, because a device stays at one place. */
  get seed(): number {
    return this.#hardware.serial | 0;
  }

  /** Time since the boot. */
  get uptime(): Millis {
    return this.now - this.#bootedAt;
  }

  /** Whether the device uses LTE. In another mode it has no contact with the cloud, and no downlink watchdog. */
  get usesLte(): boolean {
    const { mode } = this.profile.timing;
    return mode === undefined || this.config.text(mode.module, mode.name) === 'lte';
  }

  readUnixTime(): UnixSeconds {
    return Math.floor(this.readExactTime());
  }

  /** Unix seconds on the device's clock, with fractions, including the drift since the clock was last set. */
  readExactTime(at: Instant = this.now): UnixSeconds {
    return this.#clockOrigin + this.measureElapsed(at);
  }

  setUnixTime(time: UnixSeconds): void {
    this.application.catchUp();
    this.#clockOrigin = time - this.measureElapsed(this.now);
    if (this.application.running) this.application.planScan();
  }

  /** Sets the clock by hand. Unlike a time from the cloud, this does not shift the times of earlier events. */
  moveClock(time: UnixSeconds): void {
    this.cloud.noteClockMove(seconds(time - this.readExactTime()));
    this.setUnixTime(time);
    this.application.planWatchdog();
  }

  planWatchdog(): void {
    this.application.planWatchdog();
  }

  get shellMemory(): ShellMemory {
    this.#shellMemory ??= new ShellMemory();
    return this.#shellMemory;
  }

  get board(): ShellBoard {
    return makeBoard(this);
  }
  get equipment(): ShellEquipment {
    return makeEquipment(this);
  }

  requestFirmware(id: string): number {
    if (this.profile.bootloader === undefined) return ENOTSUP;
    this.cloud.requestFirmware(downloadRequest(id));
    return OK;
  }

  /** The device as its shell sees it, with everything done that is due. */
  getShellHost(): ShellHost {
    this.application.catchUp();
    return this;
  }

  /** What the firmware is doing; undefined at rest. */
  get busyWith(): string | undefined {
    if (this.#starting) return 'start-up';
    if (this.cloud.busy) return this.cloud.initialized ? `an exchange (${this.facts.reason})` : 'its session';
    return undefined;
  }

  /** Starts no new work; a running exchange continues. */
  close(): void {
    this.application.close();
    this.cloud.close();
  }

  /** The power fails, or the device resets: the firmware stops at once. */
  halt(why: string): void {
    for (const cutShort of this.#shellMemory?.waiting ?? []) cutShort();
    this.#starting?.cancel();
    this.cloud.halt(why);
    this.application.halt(why);
    this.link.reset();
    this.#hardware.modem.stop();
  }

  noteInitialized(): void {
    this.facts.ready();
    this.application.start();
  }

  react(message: ReactiveDownlink, size: number): Reaction {
    if (message.kind === 'download-firmware') {
      this.#updater ??= new Updater(this.#hardware);
      return this.#updater.take(message);
    }
    return reactTo(message, size, this.#hardware, this.getShellHost());
  }

  buildSessionRequest(): Uint8Array {
    return buildSessionRequest(this.#hardware);
  }

  buildDecoderUpload(known: string | undefined): Uint8Array | undefined {
    const { profile, decoderUpload } = this.#hardware.type;
    return known === profile.decoder.hash ? undefined : decoderUpload;
  }

  buildEncoderUpload(known: string | undefined): Uint8Array | undefined {
    const { profile, encoderUpload } = this.#hardware.type;
    return known === profile.encoder?.hash ? undefined : encoderUpload;
  }

  buildConfigUpload(known: string | undefined): Uint8Array | undefined {
    const { hash, message } = buildConfigUpload(this.#hardware, this.getShellHost());
    return known === hash ? undefined : message;
  }

  buildUpdateReport(): Uint8Array | undefined {
    return reportUpdate(this.#hardware);
  }

  noteUpdateReported(): void {
    const { bootloader } = this.#hardware;
    if (bootloader) bootloader.updateId = undefined;
  }

  get download(): FirmwareDownload | undefined {
    return this.#updater?.progress;
  }

  encode(): Uint8Array {
    const hardware = this.#hardware;
    let identity: DeviceIdentity | undefined;
    encodeBody(
      this.measurements,
      writer,
      {
        sequence: this.#sequence++,
        timestamp: this.readUnixTime(),
        uptime: Math.floor(this.uptime / 1000),
        network: hardware.modem.evaluation(),
        // Few device types report their identity, so it is computed on the first use.
        identity: () => {
          identity ??= hardware.identity;
          return identity;
        },
        scan: this.receiver?.report(),
        flag: ({ module, name }) => hardware.config.flag(module, name),
      },
      this.clock.wall,
    );
    return encodeUp({ kind: 'upload-data', hash: this.profile.decoder.hash, body: writer.take() });
  }

  clear(): void {
    this.measurements.clear(this.readUnixTime());
  }

  noteReported(): void {
    this.measurements.reported(this.clock.wall);
  }

  private startRadio(): void {
    this.#starting = undefined;
    if (!this.usesLte) return this.application.start();
    this.#hardware.modem.start();
    this.cloud.start();
  }

  /** Seconds from simulated time 0 to `at`, counted by a clock with the present drift. */
  private measureElapsed(at: Instant): Seconds {
    return (at * (1 + this.#hardware.clockDrift / 1_000_000)) / 1000;
  }
}
