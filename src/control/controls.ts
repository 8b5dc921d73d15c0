/**
 * Operations of the web console on a run: it reads the progress, and acts on the devices, the network and the time of the run.
 */

import { describeControls } from '../console/control-line.js';
import { carryOut, completions } from '../console/line.js';
import type { Answer, Fleet, Member } from '../console/member.js';
import type { Explanation } from '../explain/explanation.js';
import { Problems, readYaml } from '../input/document.js';
import { isoTime } from '../kernel/calendar.js';
import type { Alarm } from '../kernel/clock.js';
import { UsageError } from '../kernel/errors.js';
import type { Pace } from '../kernel/pace.js';
import { formatDuration, type Millis, parseDuration, sinceStart, type UnixMillis } from '../kernel/time.js';
import type { RunControl } from '../runner/run.js';
import type { LiveFaults } from '../runner/world/live-faults.js';
import { evaluate } from '../scenario/expect/evaluate.js';
import { checkFault, FAULT_NAMES, FAULTS, type FaultCall, isOnce, kindOf } from '../scenario/faults/index.js';
import type { Plan } from '../scenario/model/plan.js';
import { parseSelector } from '../scenario/selector/grammar.js';
import { makeMatcher } from '../scenario/selector/match.js';
import type { DeviceDoing, DownlinkWaits, FaultKind, RunState, Selection } from './run-state.js';
import type { TimeTravel } from './travel.js';

/** Metrics of a run that the console shows: their counts, and for durations also percentiles. */
const COUNTS = [
  ...['device.ready', 'uplink.sent', 'uplink.stored', 'downlink.queued', 'downlink.delivered', 'downlink.answered'],
  ...['poll.failed', 'net.faults', 'console.actions'],
];

/** Greatest speed: beyond it, a run cannot keep up. */
const FASTEST = 3600;

export interface WantedDownlink {
  readonly id: string;
  readonly serial: number;
}

/** A part of the output of one device. */
interface FromDevice extends Answer {
  readonly from: string;
}

export class RunControls {
  /** Undefined if the run has no time travel. */
  readonly travel: TimeTravel | undefined;
  readonly #pastOf: Millis | null;
  readonly #target: string | null;
  readonly #hasHistory: boolean;
  readonly #plan: Plan;
  readonly #control: RunControl;
  readonly #fleet: Fleet;
  readonly #clock: Pace;
  readonly #faults: LiveFaults;
  /** Pauses the run at the end of a step with a duration. */
  #stepEnd: Alarm | undefined;

  constructor(
    plan: Plan,
    control: RunControl,
    live: {
      readonly fleet: Fleet;
      readonly pace: Pace;
      readonly faults: LiveFaults;
      /** Left out if the run has no time travel. */
      readonly travel?: TimeTravel | undefined;
      /** The moment to which the run was repeated; left out for an original run. */
      readonly pastOf?: Millis | undefined;
      /** Address of another cloud, without secrets; left out for the embedded one. */
      readonly target?: string | undefined;
      /** Default: true */
      readonly hasHistory?: boolean;
    },
  ) {
    this.#plan = plan;
    this.#control = control;
    this.#fleet = live.fleet;
    this.#clock = live.pace;
    this.#faults = live.faults;
    this.travel = live.travel;
    this.#pastOf = live.pastOf ?? null;
    this.#target = live.target ?? null;
    this.#hasHistory = live.hasHistory ?? true;
  }

  /** The calendar time of the run. */
  get wall(): UnixMillis {
    return this.#clock.wall;
  }

  /** Simulated seconds per real second; 0 while the run is paused. */
  get speed(): number {
    return this.#clock.isPaused ? 0 : this.#clock.speed;
  }

  state(): RunState {
    const { metrics } = this.#control;
    const evidence = this.#control.evidence();
    const counts: Record<string, number> = {};
    const latencies: Record<string, RunState['latencies'][string]> = {};
    for (const name of COUNTS) {
      const measure = metrics.read(name);
      if (measure?.kind === 'count') counts[name] = measure.value;
      if (measure?.kind !== 'durations') continue;
      const { distribution } = measure;
      counts[name] = distribution.count;
      const [p50_ms, p95_ms] = distribution.findPercentiles([50, 95]);
      if (p50_ms !== undefined && p95_ms !== undefined) latencies[name] = { p50_ms, p95_ms };
    }
    const expectations = this.#plan.expectations.map((expectation) => {
      const { line, passed, undecided = false, sentence } = evaluate(expectation, evidence);
      const state = undecided ? 'undecided' : passed ? 'holds' : 'fails';
      return { line, state, sentence, cause: state === 'fails' ? this.#control.causeOf(line) : null } as const;
    });
    return {
      name: this.#plan.scenario,
      seed: this.#plan.seed,
      devices: this.#fleet.size,
      now_ms: Math.round(sinceStart(this.#clock.now)),
      now: isoTime(this.#clock.wall),
      duration_ms: this.#plan.duration,
      speed: this.#clock.speed,
      paused: this.#clock.isPaused,
      counts,
      latencies,
      expectations,
      faults: this.#faults.all(),
      travels: this.travel !== undefined,
      last_event: this.#control.lastEvent(),
      target: this.#target,
      has_history: this.#hasHistory,
      past_of_ms: this.#pastOf,
    };
  }

  pause(): void {
    this.#needOwnTime();
    this.#stepEnd?.cancel();
    this.#clock.pause();
  }

  resume(): void {
    this.#needOwnTime();
    this.#stepEnd?.cancel();
    this.#clock.resume();
  }

  /** Pauses the run, and advances it to the next event, or by a duration such as `10m`. */
  step(duration: string | undefined): void {
    const length = duration === undefined ? undefined : durationIn(duration);
    this.pause();
    if (length === undefined) return this.#clock.step();
    this.#stepEnd = this.#clock.after(length, 'the end of a step of the console', () => this.#clock.pause());
    this.#clock.resume();
  }

  /** @throws UsageError if the speed is not above 0 and at most {@link FASTEST} */
  setSpeed(speed: number): void {
    this.#needOwnTime();
    if (!(speed > 0 && speed <= FASTEST)) {
      throw new UsageError('bad-speed', `speed ${speed} is not a number above 0 and up to ${FASTEST}`);
    }
    this.#clock.speed = speed;
  }

  /**
   * Begins a fault of the network, of devices or of the service.
   * @param text the fault as in a scenario, such as `loss: 10%`
   * @param to selector; undefined for all devices
   * @param lasts duration such as `10m`; undefined for a fault that lasts until it is lifted
   * @returns the id of the fault, for {@link lift}
   * @throws UsageError or InputError for an invalid fault, selector or duration
   */
  inject(text: string, to: string | undefined, lasts: string | undefined): string {
    const members = to === undefined ? null : this.#select(to);
    if (members?.length === 0) throw new UsageError('no-devices', `"${to}" selects no device of the run`);
    const serials = new Set(members?.map(({ serial }) => serial));
    const devices = members && this.#plan.devices.flatMap(({ serial }, index) => (serials.has(serial) ? [index] : []));
    const call = faultIn(text, [...(members ?? this.#fleet.members())]);
    const time = lasts === undefined ? undefined : durationIn(lasts);
    checkUse(call, { to, lasts });
    const id = this.#faults.inject({ call, to: to ?? null, devices, lasts: time });
    const described = `fault: ${text.trim()}${time === undefined ? '' : ` for ${formatDuration(time)}`}`;
    for (const { serial } of members ?? this.#fleet.members()) this.#fleet.noted(serial, described);
    return id;
  }

  /** The kinds of faults that can be injected, each with an example. */
  kinds(): readonly FaultKind[] {
    return Object.entries(FAULTS).map(([name, { about, example }]) => ({ name, about, example }));
  }

  /**
   * Explains a downlink by its events; undefined if they are unknown or no longer kept.
   * @param whatIf whether to say what would have delivered it sooner, in virtual time: the run waits for the answer
   */
  explain(serial: number, id: string, whatIf: boolean): Promise<Explanation | undefined> {
    return this.#control.explainer(whatIf).explainById(serial, id);
  }

  /** The waits of downlinks until their delivery, and their stages; unknown downlinks are left out. */
  waits(downlinks: readonly WantedDownlink[]): readonly DownlinkWaits[] {
    const explainer = this.#control.explainer();
    return downlinks.flatMap(({ id, serial }) => {
      const journey = explainer.followJourney(serial, id);
      if (journey === undefined) return [];
      const { waits, now, stages } = journey;
      return [{ id, waits: waits.map(({ what, time }) => ({ what, time_ms: time })), now, stages_ms: stages }];
    });
  }

  /** Ends a fault. Returns false for an unknown fault, and for one that is over. */
  lift(id: string): boolean {
    return this.#faults.lift(id);
  }

  /** Undoes {@link lift}. Returns false if the fault was not lifted, or its time is over. */
  restore(id: string): boolean {
    return this.#faults.restore(id);
  }

  /** The devices that a selector selects. @throws UsageError for an invalid selector */
  devices(on: string) {
    return this.#select(on).map(({ name, serial, group, profile, tags, fw, battery, state }) => ({
      name,
      serial,
      group,
      profile,
      tags,
      fw,
      battery,
      state,
    }));
  }

  /** What a device does; undefined if the run has no such device. @param serial its serial number */
  doing(serial: number): DeviceDoing | undefined {
    for (const member of this.#fleet.members()) {
      if (member.serial !== serial) continue;
      const { doing, due } = member;
      const faults = this.#faults.affecting(serial);
      return { ...doing, next_report_ms: due.report, next_poll_ms: due.poll, faults };
    }
    return undefined;
  }

  /**
   * Number of devices that a selector selects, and the control commands for the first one.
   * @throws UsageError for an invalid selector
   */
  selection(on: string): Selection {
    const members = this.#select(on);
    const controls = describeControls(members[0]?.type).filter(({ name }) => !OF_FILES.includes(name));
    return { devices: members.length, controls };
  }

  /** Completions of the last word of a line, for the first selected device. */
  complete(on: string, line: string): readonly string[] {
    const [member] = this.#select(on);
    return member ? completions(member, line).filter((word) => !OF_FILES.includes(word)) : [];
  }

  /**
   * Executes a line on the selected devices, as `ghostfleet console` does: on the shell, or with a dot as a control command.
   * Returns the number of the devices; the last part of the output of each has `more: false`.
   */
  async line(on: string, line: string, answer: (part: FromDevice) => void): Promise<number> {
    const members = this.#select(on);
    for (const member of members) {
      const noted = (action: string, call?: Parameters<Fleet['noted']>[2]) =>
        this.#fleet.noted(member.serial, action, call);
      const options = { secrets: false, readFile: noFiles, noted };
      await carryOut(member, line, options, (part) => answer({ from: member.name, ...part }));
    }
    return members.length;
  }

  /** @throws UsageError if the run uses another cloud, whose time passes anyway */
  #needOwnTime(): void {
    if (this.#target === null) return;
    throw new UsageError('real-time', `the time of ${this.#target} cannot be changed`);
  }

  #select(on: string): readonly Member[] {
    const members = { [Symbol.iterator]: () => this.#fleet.members()[Symbol.iterator]() };
    const selected = makeMatcher(parseSelector(on, this.#fleet.tags), { devices: members, random: this.#fleet.random });
    return [...members].filter(selected);
  }
}

/** Control commands that read a file, which a page must not offer ({@link noFiles}). */
const OF_FILES: readonly string[] = ['.replay'];

/** A page must not read files of the machine. */
function noFiles(): never {
  throw new UsageError('no-files', 'files can only be used on a console in a terminal: ghostfleet console');
}

/** @throws UsageError if the text is not a duration above 0 */
export function durationIn(text: string): Millis {
  const duration = parseDuration(text);
  if (duration === undefined || duration <= 0) {
    throw new UsageError('bad-duration', `"${text}" is not a duration such as "30s" or "10m"`);
  }
  return duration;
}

function faultIn(text: string, members: readonly Member[]): FaultCall {
  const problems = new Problems();
  const node = readYaml(text, 'fault');
  const [[name, entry] = [], ...more] = node.kind === 'map' ? [...node.entries] : [];
  const kind = FAULT_NAMES.find((each) => each === name);
  if (!entry || !kind || more.length > 0) {
    throw new UsageError('bad-fault', `"${text}" is not a fault such as "loss: 10%": ${FAULT_NAMES.join(', ')}`);
  }
  const profiles = [...new Set(members.map(({ type }) => type))];
  const scope = () => ({ profiles, recipients: [], readFile: noFiles });
  const call = checkFault(kind, entry.value, problems, scope);
  problems.finish();
  if (call === undefined) throw new UsageError('bad-fault', `"${text}" is not a fault`);
  return call;
}

/** @throws UsageError for devices or a duration that the fault cannot have */
function checkUse(
  call: FaultCall,
  { to, lasts }: { readonly to?: string | undefined; readonly lasts?: string | undefined },
): void {
  const { part, duration } = kindOf(call);
  if (part === 'service' && to !== undefined) {
    throw new UsageError('bad-fault', `"${call.kind}" affects the whole service: it has no devices`);
  }
  if (lasts === undefined) return;
  if (duration !== undefined && duration.of(call.options) !== null) {
    const { option } = duration;
    throw new UsageError(
      'bad-fault',
      `"${call.kind}" with "${option}" accepts no duration: "${option}" is its duration`,
    );
  }
  if (isOnce(call)) throw new UsageError('bad-fault', `"${call.kind}" happens once: it has no duration`);
}
