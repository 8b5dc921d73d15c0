/**
 * One life of the firmware, from a boot to the next: everything that is in RAM. The device makes a new one at every boot and
 * drops the old one, so that nothing survives by accident (firmware behaviour, 1 and 11).
 *
 * Start-up, then a table of things to do: measuring, reports, polls, the downlink watchdog. Talking to the cloud is the
 * cloud thread's; what a report goes through is the reporter's.
 */
import type { Alarm, Clock } from '../kernel/clock.js';
import { type Draws, integerBetween } from '../kernel/random.js';
import { type Instant, type Millis, seconds, type UnixMillis } from '../kernel/time.js';
import type { ParameterRef, Profile } from '../profile/profile.js';
import { CborWriter } from '../protocol/cbor.js';
import { configTextHash } from '../protocol/hashes.js';
import { encodeUp } from '../protocol/messages.js';
import type { ContactReason } from '../trace/events.js';
import { TEST_LOAD_TIME } from './battery.js';
import { CloudThread, type CloudThreadHost, type Reaction, type ReactiveDownlink } from './cloud-thread.js';
import type { DeviceConfig } from './config/device-config.js';
import type { DeviceFacts, Hardware } from './hardware.js';
import type { Link } from './link/link.js';
import { reactTo } from './reactions.js';
import { Receiver } from './receiver/receiver.js';
import { encodeBody } from './report/body.js';
import { Reporter, type ReporterHost } from './reporter.js';
import { Measurements } from './sensors/measurements.js';
import { sessionRequest } from './session-request.js';
import { ShellMemory } from './shell/equipment.js';
import type { DeviceIdentity, ShellHost } from './shell/host.js';
import { listConfig } from './shell/remote.js';
import { FirmwareShellHost } from './shell-host.js';
import type { Spool } from './spool.js';
import { type TaskOwner, TaskTable } from './task-table.js';
import { reportUpdate, Updater } from './update/updater.js';

/** From power-up to the start of the modem: sensors, Bluetooth, 1-Wire scan (firmware behaviour, 1). */
const START_UP: readonly [Millis, Millis] = [seconds(1), seconds(10)];
/** The hardware watchdog, once nobody feeds it (firmware behaviour, 8). */
export const HARDWARE_WATCHDOG = seconds(120);

/** The task that connects the test load. */
const BATTERY_MEASUREMENT = 'sample battery';

/** One writer serves the whole fleet: firmware is synchronous, and a body is copied out before anybody else writes. */
const writer = new CborWriter();

export class Firmware implements CloudThreadHost, ReporterHost, TaskOwner {
  readonly cloud: CloudThread;
  readonly reporter: Reporter;
  readonly measurements: Measurements;
  /** Only some device types have one. */
  readonly receiver: Receiver | undefined;
  /** The application has started: its work queue runs. */
  running = false;
  readonly #hardware: Hardware;
  readonly #bootedAt: Instant;
  readonly #tasks: TaskTable;
  /** Number of the first task that does not belong to the measurements. */
  readonly #own: number;
  /** What came due while the work queue stood still, by task number. */
  #overdue: Set<number> | undefined;
  /** Unix seconds of the device's clock at simulated time 0; a boot begins in 1970 (firmware shell, 5.4). */
  #clockOrigin: number;
  #sequence = 0;
  /** Made when the first chunk of an update comes. */
  #updater: Updater | undefined;
  /** Made by the first command that has something to remember. */
  #shellMemory: ShellMemory | undefined;
  #starting: Alarm | undefined;
  #closing = false;

  constructor(hardware: Hardware) {
    this.#hardware = hardware;
    const { clock, config, surroundings, type } = hardware;
    this.#bootedAt = clock.now;
    this.#clockOrigin = -this.#elapsed(clock.now);
    config.boot();
    this.measurements = new Measurements(type.profile, surroundings, config, clock.wall);
    this.#own = this.measurements.tasks.length;
    const size = this.#own + OWN_TASKS + (type.profile.receiver ? 1 : 0);
    this.#tasks = new TaskTable(this, size, this.measurements.memory.plan.quiet);
    this.cloud = new CloudThread(this);
    this.reporter = new Reporter(this);
    this.receiver = type.profile.receiver && new Receiver(this, type.profile.receiver);
    const startUp = integerBetween(hardware.draws, ...START_UP);
    this.#starting = clock.after(startUp, 'the start-up of a device', () => this.#startRadio());
  }

  get clock(): Clock {
    return this.#hardware.clock;
  }
  get link(): Link {
    return this.#hardware.link;
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
  /** What the device hears around it follows from where it hangs, which is as much its own as its serial number. */
  get seed(): number {
    return this.#hardware.serial | 0;
  }

  /** Time since the boot. */
  get uptime(): Millis {
    return this.now - this.#bootedAt;
  }

  unixTime(): number {
    return Math.floor(this.exactTime());
  }

  /** Unix seconds on the device's clock, with fractions. A clock that drifts has done so since it was last set. */
  exactTime(at: Instant = this.now): number {
    return this.#clockOrigin + this.#elapsed(at);
  }

  setUnixTime(time: number): void {
    this.catchUp();
    this.#clockOrigin = time - this.#elapsed(this.now);
    if (this.running) this.planScan();
  }

  /** Measures what has quietly come due: to be called before somebody looks at measurements, or changes what there is to measure. */
  catchUp(): void {
    if (!this.reporter.sending) this.#tasks.catchUp();
  }

  get shellMemory(): ShellMemory {
    this.#shellMemory ??= new ShellMemory();
    return this.#shellMemory;
  }

  /** The device as its shell sees it. */
  shellHost(): ShellHost {
    this.catchUp();
    return new FirmwareShellHost(this);
  }

  /** What this life is still busy with; undefined at rest. */
  get busyWith(): string | undefined {
    if (this.#starting) return 'start-up';
    if (this.cloud.busy) return this.cloud.initialized ? `an exchange (${this.facts.reason})` : 'its session';
    return undefined;
  }

  /** Begins nothing new any more; what is under way goes on. */
  close(): void {
    this.#closing = true;
    this.#tasks.clear();
    this.cloud.close();
  }

  /** The power goes: nothing of this life happens any more. */
  halt(): void {
    this.#starting?.cancel();
    this.#tasks.clear();
    this.cloud.halt();
    this.reporter.halt();
    this.link.reset();
    this.#hardware.modem.stop();
  }

  initialized(): void {
    this.facts.ready();
    this.#startApplication();
  }

  react(message: ReactiveDownlink, size: number): Reaction {
    if (message.kind === 'download-firmware') {
      this.#updater ??= new Updater(this.#hardware);
      return this.#updater.take(message);
    }
    return reactTo(message, size, this.#hardware, this.shellHost());
  }

  sessionRequest(): Uint8Array {
    return sessionRequest(this.#hardware);
  }

  decoderUpload(known: string | undefined): Uint8Array | undefined {
    const { profile, decoderUpload } = this.#hardware.type;
    return known === profile.decoder.hash ? undefined : decoderUpload;
  }

  encoderUpload(known: string | undefined): Uint8Array | undefined {
    const { profile, encoderUpload } = this.#hardware.type;
    return known === profile.encoder?.hash ? undefined : encoderUpload;
  }

  configUpload(known: string | undefined): Uint8Array | undefined {
    const { text, lines } = listConfig(this.#hardware.type.shell, this.shellHost());
    const hash = configTextHash(text);
    return known === hash ? undefined : encodeUp({ kind: 'upload-config', hash, lines });
  }

  updateReport(): Uint8Array | undefined {
    return reportUpdate(this.#hardware);
  }

  encode(): Uint8Array {
    const hardware = this.#hardware;
    let identity: DeviceIdentity | undefined;
    encodeBody(
      this.measurements,
      writer,
      {
        sequence: this.#sequence++,
        timestamp: this.unixTime(),
        uptime: Math.floor(this.uptime / 1000),
        network: hardware.modem.evaluation(),
        // Few device types write it: it is put together when the first part of it is asked for.
        get identity() {
          identity ??= hardware.identity;
          return identity;
        },
        scan: this.receiver?.report(),
        flag: ({ module, name }) => hardware.config.flag(module, name),
      },
      this.clock.wall,
    );
    return encodeUp({ kind: 'upload-data', hash: this.profile.decoder.hash, body: writer.finish() });
  }

  clear(): void {
    this.measurements.clear(this.unixTime());
  }

  /** Runs the measuring tasks that `sample` or `aggreg` of the shell stands for. */
  measureNow(kind: 'sample' | 'aggregate'): void {
    this.measurements.tasks.forEach((task, index) => {
      if (task.kind === kind && task.onRequest) this.#runNow(index);
    });
  }

  /** Samples one kind of sensor, by its name in the profile. */
  measureSensor(name: string): void {
    this.measurements.tasks.forEach(({ kind, sensors }, index) => {
      if (kind === 'sample' && sensors.some(({ spec }) => spec.name === name)) this.#runNow(index);
    });
  }

  /** Reports as soon as the work queue allows. */
  reportNow(why: ContactReason): void {
    if (this.reporter.sending) this.#postpone(this.#own + REPORT);
    else if (this.receiver) this.#reportScan(this.receiver, why);
    else this.#report(why);
  }

  /** Plans what the receiver does next: to be called when something has been done to it. */
  planScan(): void {
    if (this.receiver && !this.#closing) this.#tasks.set(this.#own + SCAN, this.receiver.next);
  }

  /** Notices inputs that somebody has just changed; as soon as the work queue allows. */
  look(): void {
    if (this.reporter.sending) {
      this.#postpone(this.#own + LOOK);
      return;
    }
    this.measurements.look(this.clock.wall, this.unixTime());
    this.#planWatch();
    this.#planEventReport();
  }

  #startRadio(): void {
    this.#starting = undefined;
    if (!this.#talks) return this.#startApplication();
    this.#hardware.modem.start();
    this.cloud.start();
  }

  /** T0 of the firmware's time table (firmware behaviour, 1 and 3.1). */
  #startApplication(): void {
    if (this.#closing) return;
    this.running = true;
    this.measurements.tasks.forEach((task, index) => {
      this.#tasks.set(index, task.first);
    });
    const { timing } = this.profile;
    this.#tasks.set(this.#own + REPORT, timing.firstReport ?? Number.POSITIVE_INFINITY);
    this.planScan();
    this.#tasks.set(this.#own + POLL, this.#seconds(timing.pollEvery));
    if (this.#talks) this.#tasks.set(this.#own + WATCHDOG, this.#seconds(timing.downlinkWatchdog));
  }

  /** Does a task that was due at `at`; returns the delay to its next time. */
  perform(task: number, at: Instant): Millis {
    const own = task - this.#own;
    if (own === POLL) {
      this.cloud.requestPoll();
      return this.#seconds(this.profile.timing.pollEvery);
    }
    if (own === WATCHDOG) return this.#checkWatchdog();
    if (this.reporter.sending) return this.#postpone(task);
    if (own >= 0) return this.#queued(own);
    const wall = this.clock.wall - (this.now - at);
    const next = this.measurements.run(task, wall, Math.floor(this.exactTime(at)));
    if (this.measurements.tasks[task]?.what === BATTERY_MEASUREMENT) this.#hardware.spent('test-load', TEST_LOAD_TIME);
    this.#planEventReport();
    return next;
  }

  /** Seconds that the clock has counted from the beginning of the world to `at`, had it always run as it does now. */
  #elapsed(at: Instant): number {
    return (at * (1 + this.#hardware.clockDrift / 1_000_000)) / 1000;
  }

  /** The tasks of the work queue that are not measurements; they plan themselves. */
  #queued(own: number): Millis {
    if (own === SCAN) return this.#scan();
    if (own === REPORT && this.receiver) this.#reportScan(this.receiver, 'report');
    else if (own === REPORT) this.#report('report');
    else if (own === EVENT) this.#report('event');
    else this.look();
    return Number.POSITIVE_INFINITY;
  }

  #runNow(task: number): void {
    const next = this.perform(task, this.now);
    if (Number.isFinite(next)) this.#tasks.set(task, next);
  }

  #report(why: ContactReason): void {
    // The timer is set again before the report is sent, and by every kind of report (firmware behaviour, 3.1 and 6).
    if (!this.#closing) this.#tasks.set(this.#own + REPORT, this.reporter.interval() ?? Number.POSITIVE_INFINITY);
    this.reporter.report(why, () => this.#goOn());
  }

  /** What was set by hand may change by itself from now on. */
  #planWatch(): void {
    const watch = this.measurements.tasks.findIndex(({ kind }) => kind === 'watch');
    if (watch < 0 || !this.running || this.#closing) return;
    this.#tasks.set(watch, this.measurements.untilChange(this.clock.wall));
  }

  #scan(): Millis {
    const { receiver } = this;
    if (receiver?.scanning) this.#reportScan(receiver, 'report');
    else receiver?.begin();
    return receiver?.next ?? Number.POSITIVE_INFINITY;
  }

  /** Ends a scan and reports its frames, part by part. What a part has taken does not come again (firmware behaviour, 3.5). */
  #reportScan(receiver: Receiver, why: ContactReason): void {
    const enrolled = receiver.end();
    const { mode } = this.profile.timing;
    const silent = mode !== undefined && this.config.text(mode.module, mode.name) !== 'lte';
    const finish = (): void => {
      receiver.clear();
      if (enrolled) this.#keepMeters(enrolled);
      else this.planScan();
    };
    if (silent) return finish();
    const send = (): void =>
      this.reporter.report(why, () => {
        if (receiver.nextPart() && !this.#closing) return send();
        finish();
        this.#goOn();
      });
    send();
  }

  /** The meters that were enrolled become the list, for good: the device saves and starts anew. */
  #keepMeters(meters: readonly number[]): void {
    const { config } = this;
    const places = config.layout.module(this.profile.receiver?.keep ?? '')?.list?.items ?? [];
    places.forEach((place, n) => {
      config.write(place, String(meters[n] ?? 0));
    });
    config.save();
    this.#hardware.reboot('config');
  }

  #planEventReport(): void {
    if (!this.measurements.takeReportable() || this.#closing) return;
    const delay = this.reporter.eventDelay();
    if (delay !== undefined) this.#tasks.set(this.#own + EVENT, delay);
  }

  #postpone(task: number): Millis {
    this.#overdue ??= new Set();
    this.#overdue.add(task);
    return Number.POSITIVE_INFINITY;
  }

  /** The work queue goes on: what came due meanwhile runs now, once each and in order. */
  #goOn(): void {
    const overdue = new Set([...(this.#overdue ?? []), ...this.#tasks.takeOverdue()]);
    this.#overdue = undefined;
    if (this.#closing) return;
    for (const task of [...overdue].sort((a, b) => a - b)) this.#runNow(task);
  }

  /** Whether the radio is LTE; a device in another mode never talks to the cloud, and has no downlink watchdog. */
  get #talks(): boolean {
    const { mode } = this.profile.timing;
    return mode === undefined || this.config.text(mode.module, mode.name) === 'lte';
  }

  #checkWatchdog(): Millis {
    const limit = this.#seconds(this.profile.timing.downlinkWatchdog);
    const silence = this.now - (this.cloud.lastSuccess ?? this.#bootedAt);
    if (silence < limit) return limit - silence;
    const bite = limit + (this.profile.timing.hardwareWatchdog ?? HARDWARE_WATCHDOG);
    if (silence < bite) return bite - silence;
    this.#hardware.reboot('watchdog');
    return Number.POSITIVE_INFINITY;
  }

  /** A parameter in seconds, as a delay; 0 means never, and so does no parameter. */
  #seconds(ref: ParameterRef | undefined): Millis {
    const value = ref ? this.config.number(ref.module, ref.name) : 0;
    return value === 0 ? Number.POSITIVE_INFINITY : seconds(value);
  }
}

/** Tasks of the firmware itself, after those of the measurements. */
const REPORT = 0;
const EVENT = 1;
const POLL = 2;
const WATCHDOG = 3;
/** Never planned, only postponed. */
const LOOK = 4;
const OWN_TASKS = 5;
/** One more, where there is a receiver: the beginning of a scan, or its end. */
const SCAN = 5;
