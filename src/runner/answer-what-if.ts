/** Answers what would have happened to the downlinks of a run if something had been different. */
import { DeviceExplainer } from '../explain/explain.js';
import type { DownlinkCourse } from '../explain/explanation.js';
import { didYouMean, quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import { trimVersion } from '../profile/versions.js';
import type { ChangedDownlink, WhatIfAnswer } from '../report/explanation/what-if.js';
import type { Plan } from '../scenario/model/plan.js';
import { withFirmware, withParameter } from '../scenario/plan/change.js';
import { findNamedEntries } from '../scenario/plan/named-entries.js';
import { isNamed } from '../scenario/selector/device.js';
import { findDownlinkId } from './downlink-id.js';
import { findCounterpart } from './repeats.js';
import type { PlanChange } from './shared-worlds.js';
import { isRefused, type RepeatedDevice, type WhatIf } from './what-if.js';
import { getProfile } from './world/fleet.js';

/** What is different, and which downlinks are asked about. */
interface WhatIfQuestion {
  /** A device, by its name or serial number, or a downlink, by its id or a unique beginning or end of it. Default: all */
  readonly of?: string | undefined;
  /** Names of faults, steps or loads to leave out. */
  readonly without?: readonly string[] | undefined;
  /** Parameters of the devices: `interval-poll`, `lte apn`. */
  readonly set?: Readonly<Record<string, string>> | undefined;
  /** Firmware version of the devices. */
  readonly firmware?: string | undefined;
}

/** @throws UsageError for unknown names, for a change that devices reject, and for a run that cannot be repeated */
export async function answerWhatIf(whatIf: WhatIf, question: WhatIfQuestion): Promise<WhatIfAnswer> {
  const { plan } = whatIf;
  const asked = question.of === undefined ? undefined : await findAsked(whatIf, question.of);
  const indices = plan.devices.flatMap(({ serial }, i) => (asked === undefined || asked.serial === serial ? [i] : []));
  const { change, changes } = buildChange(whatIf, new Set(indices), question);
  const found: ChangedDownlink[] = [];
  let expectations: WhatIfAnswer['expectations'];
  const add = (serial: number, name: string, before: RepeatedDevice, after: RepeatedDevice) =>
    found.push(...compareDownlinks(serial, name, before, after, asked?.downlink));
  if (asked === undefined) {
    const [before, after] = [
      requireGranted(await whatIf.repeatWhole()),
      requireGranted(await whatIf.repeatWhole(change)),
    ];
    for (const { serial, name } of plan.devices) {
      const of = (run: typeof before) => ({ history: run.histories.getHistory(serial), situation: run.situation });
      add(serial, name, of(before), of(after));
    }
    expectations = before.expectations.map((each, index) => {
      return { line: each.line, before: each, after: after.expectations[index] ?? each };
    });
  } else {
    const [before, after] = [
      requireGranted(await whatIf.repeatDevice(asked.serial)),
      requireGranted(await whatIf.repeatDevice(asked.serial, change)),
    ];
    add(asked.serial, asked.name, before, after);
  }
  return {
    changes,
    simulated: whatIf.simulated,
    ...(expectations && { expectations }),
    downlinks: found.sort((a, b) => b.before.took - a.before.took),
  };
}

/** A device; one of its downlinks if only that is asked about. */
interface Asked {
  readonly serial: number;
  readonly name: string;
  readonly downlink?: Wanted;
}

/** A downlink with its place in the queue of its device, because it has another id in the simulation of a run in real time. */
interface Wanted {
  readonly id: string;
  readonly place: number;
}

async function findAsked(whatIf: WhatIf, word: string): Promise<Asked> {
  const { devices } = whatIf.plan;
  const device = devices.find(({ name, serial }) => isNamed(word, name) || String(serial) === word);
  if (device !== undefined) return device;
  const known = await whatIf.listDownlinks();
  const ids = known.map(({ id }) => id);
  const id = word === '' ? undefined : findDownlinkId(ids, word);
  const found = known.find((each) => each.id === id);
  if (id === undefined || found === undefined) {
    const names = [...devices.map(({ name }) => name), ...ids];
    throw new UsageError('unknown-downlink', `no device or downlink ${quote(word)}${didYouMean(word, names)}`);
  }
  const { serial } = found;
  const place = known.filter((each) => each.serial === serial).indexOf(found);
  return { serial, name: devices.find((each) => each.serial === serial)?.name ?? '', downlink: { id, place } };
}

/** The change of the plan, and its parts in words. @throws UsageError for unknown names */
function buildChange(
  { plan, profiles }: WhatIf,
  devices: ReadonlySet<number>,
  { without = [], set = {}, firmware }: WhatIfQuestion,
): { readonly change: PlanChange; readonly changes: readonly string[] } {
  const left = without.flatMap((word) => findNamedEntries(plan, word));
  const steps: ((changed: Plan) => Plan)[] = [];
  const changes = [...new Set(left.map(({ name }) => `without ${name}`))];
  if (firmware !== undefined) {
    const version = findFirmware({ plan, profiles }, devices, firmware);
    steps.push((changed) => withFirmware(changed, version.devices, version.name));
    changes.push(`with firmware ${version.name}`);
  }
  for (const [key, value] of Object.entries(set)) {
    const { module, name, devices: own } = findParameter({ plan, profiles }, devices, key);
    steps.push((changed) => withParameter(changed, own, { module, name, value }));
    changes.push(`with ${module} ${name} ${value}`);
  }
  if (changes.length === 0) {
    throw new UsageError('no-change', 'nothing is changed: leave something out, or set a parameter or the firmware');
  }
  const entries = new Set(left.flatMap((each) => each.entries));
  const apply = (whole: Plan) => steps.reduce((changed, step) => step(changed), whole);
  return { change: { key: changes.join(', '), without: entries, apply }, changes };
}

type Known = Pick<WhatIf, 'plan' | 'profiles'>;

/** The devices that have this parameter, with its module and complete name. @throws UsageError if none has it */
function findParameter({ plan, profiles }: Known, devices: ReadonlySet<number>, key: string) {
  const known = new Map<string, Set<number>>();
  for (const index of devices) {
    const group = plan.groups[plan.devices[index]?.group ?? -1];
    if (group === undefined) continue;
    for (const { name: module, parameters } of getProfile(profiles, group.profile).modules) {
      for (const { name } of parameters) {
        const full = `${module} ${name}`;
        known.set(full, (known.get(full) ?? new Set()).add(index));
      }
    }
  }
  const word = key.includes(' ') ? key : key.replace('.', ' ');
  const short = (full: string) => full.slice(full.indexOf(' ') + 1);
  const names = [...known.keys()];
  const exact = names.filter((full) => full === word || full === `app ${word}`);
  const begun = names.filter((full) => full.startsWith(word) || short(full).startsWith(word));
  const found = exact.length > 0 ? exact : names.filter((full) => short(full) === word);
  const [only, ...others] = found.length > 0 ? found : begun;
  const own = only === undefined ? undefined : known.get(only);
  if (only === undefined || own === undefined || key === '') {
    const near = didYouMean(word, [...names, ...names.map(short)]);
    throw new UsageError('unknown-parameter', `the devices have no parameter ${quote(key)}${near}`);
  }
  if (others.length > 0) {
    throw new UsageError(
      'ambiguous',
      `${quote(key)} is the beginning of several parameters: ${[only, ...others].slice(0, 8).join(', ')}`,
    );
  }
  return { module: only.slice(0, only.indexOf(' ')), name: short(only), devices: own };
}

/** The devices whose type has this version. @throws UsageError if none has it */
function findFirmware({ plan, profiles }: Known, devices: ReadonlySet<number>, wanted: string) {
  const name = trimVersion(wanted);
  const versions = new Set<string>();
  const own = new Set<number>();
  for (const index of devices) {
    const group = plan.groups[plan.devices[index]?.group ?? -1];
    const names = group === undefined ? [] : getProfile(profiles, group.profile).firmware.names;
    for (const each of names) versions.add(each);
    if (names.includes(name)) own.add(index);
  }
  if (own.size > 0) return { name, devices: own };
  const known = [...versions].join(', ');
  throw new UsageError('unknown-firmware', `no device type has the firmware ${quote(wanted)}; there are ${known}`);
}

/** The downlinks of a device before and after. @param wanted the only one that is asked about */
function compareDownlinks(
  serial: number,
  name: string,
  before: RepeatedDevice,
  after: RepeatedDevice,
  wanted: Wanted | undefined,
): readonly ChangedDownlink[] {
  const [one, other] = [before, after].map(
    ({ history, situation }) => new DeviceExplainer(history, name, { situation }),
  ) as [DeviceExplainer, DeviceExplainer];
  const { downlinks } = one;
  const named = wanted && (downlinks.find(({ id }) => id === wanted.id) ?? downlinks[wanted.place]);
  return downlinks.flatMap((record): readonly ChangedDownlink[] => {
    if (wanted !== undefined && record !== named) return [];
    const same = findCounterpart(record, one.facts, other.facts);
    const course: DownlinkCourse | null = same === undefined ? null : other.follow(same);
    const { type, queuedAt } = record;
    return [{ downlink: record.id, serial, device: name, type, queuedAt, before: one.follow(record), after: course }];
  });
}

/** @throws UsageError if the run cannot be repeated */
function requireGranted<T extends object>(answer: T | { readonly refused: string }): T {
  if (isRefused(answer)) throw new UsageError('not-repeated', `the run cannot be repeated, because ${answer.refused}`);
  return answer as T;
}
