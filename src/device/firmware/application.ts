/**
 * The tasks of the application between two boots. They begin at T0: when the session is set up or, without LTE, after the
 * start-up (behaviour B-17; timing T-4, T-5). Measurements, reports and scans run on a work queue, which is blocked while a
 * report is being sent; `mayRunDuringReports` has exceptions for devices with a receiver. Polls and the check of the downlink
 * watchdog are not blocked. reporter.ts sends the reports.
 */
import type { Clock } from '../../kernel/clock.js';
import { type Instant, type Millis, seconds, type UnixSeconds } from '../../kernel/time.js';
import type { ParameterRef, Profile } from '../../profile/profile.js';
import type { ContactReason } from '../../trace/events.js';
import { TEST_LOAD_TIME } from '../environment/battery.js';
import type { Hardware } from '../hardware/hardware.js';
import type { Measurements } from '../measuring/measurements.js';
import { BATTERY_MEASUREMENT } from '../measuring/measuring-plan.js';
import type { Receiver } from '../wmbus/receiver.js';
import { Reporter, type ReporterHost } from './reporter.js';
import { type TaskOwner, TaskTable } from './task-table.js';

/** The hardware watchdog resets the board if it is not fed for this long (behaviour B-5). */
export const HARDWARE_WATCHDOG = seconds(120);

/** The parts of the firmware that the application needs. */
export interface ApplicationHost extends ReporterHost {
  readonly clock: Clock;
  readonly hardware: Pick<Hardware, 'spent' | 'reboot' | 'isClosing'>;
  readonly measurements: Measurements;
  /** Undefined for device types without a receiver. */
  readonly receiver: Receiver | undefined;
  /** Time since the boot. */
  readonly uptime: Millis;
  /** Whether the device uses LTE. */
  readonly usesLte: boolean;
  /** Unix seconds on the device's clock. */
  readUnixTime(): UnixSeconds;
}

export class Application implements TaskOwner {
  readonly #reporter: Reporter;
  /** True after the start: the work queue exists. */
  running = false;
  readonly #firmware: ApplicationHost;
  readonly #tasks: TaskTable;
  /** When the hardware watchdog was fed last; undefined while it is fed. */
  #unfedSince: Instant | undefined;
  /** Numbers of the tasks that came due while the work queue was blocked. */
  #overdue: Set<number> | undefined;

  constructor(firmware: ApplicationHost) {
    this.#firmware = firmware;
    const { measurements, receiver } = firmware;
    const { tasks, quiet, replaced } = measurements.memory.plan;
    this.#tasks = new TaskTable(this, tasks.length + OWN_TASKS + (receiver ? 1 : 0), quiet, replaced);
    this.#reporter = new Reporter(firmware);
  }

  get clock(): Clock {
    return this.#firmware.clock;
  }

  private get isClosing(): boolean {
    return this.#firmware.hardware.isClosing;
  }

  /** Begins the tasks: this moment is T0 of the firmware's time table (behaviour B-1). */
  start(): void {
    if (this.isClosing) return;
    this.running = true;
    this.#firmware.measurements.tasks.forEach((task, index) => {
      this.#tasks.set(index, task.first);
    });
    const { timing } = this.profile;
    this.#tasks.set(this.own + REPORT, timing.firstReport ?? Number.POSITIVE_INFINITY);
    this.planScan();
    this.#tasks.set(this.own + POLL, this.readSeconds(timing.pollEvery));
    if (this.#firmware.usesLte) this.#tasks.set(this.own + WATCHDOG, this.readSeconds(timing.downlinkWatchdog));
  }

  /** When the next regular report and the next regular poll are due; Infinity for never. */
  get due(): { readonly report: Instant; readonly poll: Instant } {
    return { report: this.#tasks.findDue(this.own + REPORT), poll: this.#tasks.findDue(this.own + POLL) };
  }

  /** Removes all tasks, because the device is closing. A report that is being sent continues. */
  close(): void {
    this.#tasks.clear();
  }

  /** The power fails, or the device resets. */
  halt(why: string): void {
    this.#tasks.clear();
    this.#reporter.halt(why);
  }

  /** Runs the quiet tasks that are due, unless the queue is blocked. Call it before quantities are read or changed. */
  catchUp(): void {
    if (!this.#reporter.sending || this.#firmware.receiver) this.#tasks.catchUp();
  }

  /**
   * Runs the measuring tasks that the shell command `sample` or `aggreg` triggers. This method and the next three have no
   * effect before the application starts: the firmware queues their work, and its work queue rejects it.
   */
  measureNow(kind: 'sample' | 'aggregate'): void {
    if (!this.running) return;
    this.#firmware.measurements.tasks.forEach((task, index) => {
      if (task.kind === kind && task.onRequest) this.runNow(index);
    });
  }

  /** Samples one kind of sensor, by its name in the profile. */
  measureSensor(name: string): void {
    if (!this.running) return;
    this.#firmware.measurements.tasks.forEach(({ kind, sensors }, index) => {
      if (kind === 'sample' && sensors.some(({ spec }) => spec.name === name)) this.runNow(index);
    });
  }

  /** Reports as soon as the work queue allows. */
  reportNow(why: ContactReason): void {
    if (!this.running) return;
    const { receiver } = this.#firmware;
    if (this.#reporter.sending) this.postpone(this.own + REPORT);
    else if (receiver) this.reportScan(receiver, why);
    else this.report(why);
  }

  /** `poll` of an application with a receiver, on the queue of its reports: without limit and retry. */
  pollBetweenReports(): void {
    if (!this.running) return;
    if (this.#reporter.sending) {
      this.postpone(this.own + OWN_POLL);
      return;
    }
    this.#reporter.sending = true;
    this.#firmware.cloud.pollWithoutLimit(() => {
      this.#reporter.sending = false;
      this.resume();
    });
  }

  /** Plans the receiver's next scan, or the end of the present one. Call it after the receiver or the clock was changed. */
  planScan(): void {
    const { receiver } = this.#firmware;
    if (receiver && !this.isClosing) this.#tasks.set(this.own + SCAN, receiver.next);
  }

  /** Reads inputs that have just changed, as soon as the work queue allows. */
  look(): void {
    if (this.#reporter.sending) {
      this.postpone(this.own + LOOK);
      return;
    }
    this.#firmware.measurements.look(this.clock.wall, this.#firmware.readUnixTime());
    this.planWatch();
    this.planEventReport();
  }

  /** Runs a task that was due at `at`; returns the delay to its next time. */
  perform(task: number, at: Instant): Millis {
    const own = task - this.own;
    if (own === POLL) {
      this.#firmware.cloud.requestPoll();
      return this.readSeconds(this.profile.timing.pollEvery);
    }
    if (own === WATCHDOG) return this.checkWatchdog();
    if (this.#reporter.sending && !this.mayRunDuringReports(own)) {
      if (own !== EVENT) return this.postpone(task);
      // An event triggers the same work item as the regular report.
      this.#reporter.mergeEvent();
      return this.postpone(this.own + REPORT);
    }
    if (own >= 0) return this.performOwn(own);
    const { measurements, hardware } = this.#firmware;
    const wall = this.clock.wall - (this.clock.now - at);
    const next = measurements.run(task, wall, Math.floor(this.#firmware.readExactTime(at)));
    if (measurements.tasks[task]?.what === BATTERY_MEASUREMENT) hardware.spent('test-load', TEST_LOAD_TIME);
    this.planEventReport();
    return next;
  }

  /** Devices with a receiver have a queue for reports: measurements and scans go on during a report. */
  private mayRunDuringReports(own: number): boolean {
    const { receiver } = this.#firmware;
    return receiver !== undefined && (own < 0 || (own === SCAN && !receiver.scanning));
  }

  /** Runs a task other than a measurement. The delay to its next time; Infinity if it plans that itself. */
  private performOwn(own: number): Millis {
    const { receiver } = this.#firmware;
    if (own === SCAN) return this.scan(receiver);
    if (own === REPORT && receiver) this.reportScan(receiver, 'report');
    else if (own === REPORT) this.report('report');
    else if (own === EVENT) this.report('event');
    else if (own === OWN_POLL) this.pollBetweenReports();
    else this.look();
    return Number.POSITIVE_INFINITY;
  }

  private runNow(task: number): void {
    const next = this.perform(task, this.clock.now);
    if (Number.isFinite(next)) this.#tasks.set(task, next);
  }

  private report(why: ContactReason): void {
    // Every kind of report sets the timer of the next regular report before it is sent (timing T-3, behaviour B-27).
    if (!this.isClosing) this.#tasks.set(this.own + REPORT, this.#reporter.readInterval() ?? Number.POSITIVE_INFINITY);
    this.#reporter.report(why, () => this.resume());
  }

  /** Plans the next reading of the watched inputs: an override, such as a ramp, can change them later without a call. */
  private planWatch(): void {
    const { measurements } = this.#firmware;
    const watch = measurements.tasks.findIndex(({ kind }) => kind === 'watch');
    if (watch < 0 || !this.running || this.isClosing) return;
    this.#tasks.set(watch, measurements.untilChange(this.clock.wall));
  }

  private scan(receiver: Receiver | undefined): Millis {
    if (receiver?.scanning) this.reportScan(receiver, 'report');
    else receiver?.beginScheduled();
    return receiver?.next ?? Number.POSITIVE_INFINITY;
  }

  /** Ends a scan and reports its frames, part by part. A part that is not delivered is not repeated (behaviour B-22). */
  private reportScan(receiver: Receiver, why: ContactReason): void {
    const enrolled = receiver.end();
    const { mode } = this.profile.timing;
    const silent = mode !== undefined && this.#firmware.config.text(mode.module, mode.name) !== 'lte';
    const finish = (): void => {
      receiver.reported();
      if (enrolled) this.keepMeters(enrolled);
      else this.planScan();
    };
    if (silent) return finish();
    const send = (): void =>
      this.#reporter.report(why, () => {
        if (receiver.nextPart() && !this.isClosing) return send();
        finish();
        this.resume();
      });
    send();
  }

  /** Replaces the list of meters by the enrolled meters. The device then saves its settings and reboots. */
  private keepMeters(meters: readonly number[]): void {
    const { config } = this.#firmware;
    const places = config.layout.module(this.profile.receiver?.keep ?? '')?.list?.items ?? [];
    places.forEach((place, n) => {
      config.write(place, String(meters[n] ?? 0));
    });
    config.save();
    this.#firmware.hardware.reboot('config');
  }

  private planEventReport(): void {
    const { measurements } = this.#firmware;
    const [urgent, reportable] = [measurements.takeUrgent(), measurements.takeReportable()];
    if (!this.running || this.isClosing) return;
    if (urgent) this.#tasks.set(this.own + EVENT, 0);
    if (!reportable) return;
    const delay = this.#reporter.readEventDelay();
    if (delay !== undefined) this.#tasks.set(this.own + EVENT, delay);
  }

  private postpone(task: number): Millis {
    this.#overdue ??= new Set();
    this.#overdue.add(task);
    return Number.POSITIVE_INFINITY;
  }

  /** Unblocks the work queue: each task that came due meanwhile runs once, in order. */
  private resume(): void {
    if (this.#firmware.receiver) this.catchUp();
    const overdue = new Set([...(this.#overdue ?? []), ...this.#tasks.takeOverdue()]);
    this.#overdue = undefined;
    if (this.isClosing) return;
    for (const task of [...overdue].sort((a, b) => a - b)) this.runNow(task);
  }

  /** The clock was set, or the session changed: checks the downlink watchdog, which compares the device's clock. */
  planWatchdog(): void {
    if (this.running && !this.isClosing && this.#firmware.usesLte) {
      this.#tasks.set(this.own + WATCHDOG, this.checkWatchdog());
    }
  }

  /** Restarts the device if the hardware watchdog was not fed for too long; returns the delay to the next check. */
  private checkWatchdog(): Millis {
    const { timing } = this.profile;
    const limit = this.readSeconds(timing.downlinkWatchdog);
    if (limit === Number.POSITIVE_INFINITY) return limit;
    const { cloud, uptime } = this.#firmware;
    const { now } = this.clock;
    // Before the first exchange, the silence counts from the boot.
    const silentAt = (cloud.lastSuccess ?? now - uptime) + limit;
    const hungrySince = Math.min(cloud.sessionlessSince ?? Number.POSITIVE_INFINITY, silentAt);
    if (hungrySince > now) {
      this.#unfedSince = undefined;
      return hungrySince - now;
    }
    this.#unfedSince = Math.max(this.#unfedSince ?? now, hungrySince);
    const left = this.#unfedSince + (timing.hardwareWatchdog ?? HARDWARE_WATCHDOG) - now;
    if (left > 0) return left;
    this.#firmware.hardware.reboot('watchdog');
    return Number.POSITIVE_INFINITY;
  }

  /** Number of the first task that does not belong to the measurements. */
  private get own(): number {
    return this.#firmware.measurements.tasks.length;
  }

  private get profile(): Profile {
    return this.#firmware.profile;
  }

  /** A parameter in seconds, as a delay; Infinity if it is 0 or does not exist. */
  private readSeconds(ref: ParameterRef | undefined): Millis {
    const value = ref ? this.#firmware.config.number(ref.module, ref.name) : 0;
    return value === 0 ? Number.POSITIVE_INFINITY : seconds(value);
  }
}

/** The application's own tasks; their numbers follow those of the measurements. */
const REPORT = 0;
const EVENT = 1;
const POLL = 2;
const WATCHDOG = 3;
/** A postponed {@link Application.look}. It has no due time of its own. */
const LOOK = 4;
const OWN_TASKS = 5;
/** One more task of a device with a receiver: the start or the end of a scan. */
const SCAN = 5;
/** A postponed {@link Application.pollBetweenReports}. It has no due time of its own. */
const OWN_POLL = 6;
