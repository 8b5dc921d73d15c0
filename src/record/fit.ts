/**
 * Groups the devices of a recording by type, firmware version, report period and poll interval, for a scenario that behaves
 * like them. Devices that begin to send later than the others have groups of their own.
 *
 * Intervals may change during the recording (regimes.ts). A group has the intervals at the beginning; the changes become steps.
 *
 * The scenario contains each figure as a setting if there is one, otherwise as a comment: jitter, for example, is a part of the
 * profile.
 */
import type { Ratio } from '../kernel/ratio.js';
import { type Millis, minutes } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import { findQuantity } from '../profile/quantities.js';
import { groupByDevice } from './group.js';
import { findMedian } from './median.js';
import type { RecordedUplink, Recording, ValueRange } from './recording.js';
import { findRegimes, type Regime } from './regimes.js';
import { findReports } from './reports.js';
import { findSpan } from './span.js';

export interface FittedGroup {
  /** `clime`, or `clime-60` (period in seconds) when several groups have this profile. */
  readonly name: string;
  /** Name of a packaged profile. */
  readonly profile: string;
  /** How the profile was found. */
  readonly by: 'firmware' | 'values' | 'guess';
  /** Firmware version that the profile describes; null if it is not known. */
  readonly firmware: string | null;
  readonly count: number;
  /** Median time between reports at the beginning. 90 % of all times differ from their median by at most the share `jitter`. */
  readonly period: Millis;
  readonly jitter: Ratio;
  /** Median configured interval at the beginning; null when no device reported one. */
  readonly configured: Millis | null;
  /** Configured poll interval at the beginning; 0 if polls are off; null when no device reported one. */
  readonly poll: Millis | null;
  /** Number of missing reports, and number of reports that were due. */
  readonly missing: number;
  readonly due: number;
  /** Time of the first message of a device of the group, and the time from then until each device has sent one. */
  readonly begins: { readonly from: Millis; readonly over: Millis };
  /** Absences of single devices, longest first, at most 20. */
  readonly dropOuts: readonly DropOut[];
  /** Intervals that devices had later, in the order of the devices. */
  readonly changes: readonly IntervalChange[];
  /** Devices that sent nothing more, and the time of their last message. */
  readonly ended: readonly { readonly device: number; readonly at: Millis }[];
  /** Firmware versions that devices had later. */
  readonly updates: readonly FirmwareChange[];
  /** Size of report bodies as JSON, in bytes. */
  readonly size: { readonly min: number; readonly median: number; readonly max: number };
  /** Ranges of the quantities of the profile. */
  readonly ranges: readonly { readonly quantity: string; readonly min: number; readonly max: number }[];
}

interface DropOut {
  /** Number of the device in the group, from 1. */
  readonly device: number;
  readonly from: Millis;
  readonly until: Millis;
  /** Whether the device started again afterwards, so that it may have been without power. */
  readonly restarts: boolean;
}

interface IntervalChange {
  /** Number of the device in the group, from 1. */
  readonly device: number;
  readonly before: Regime;
  readonly after: Regime;
}

interface FirmwareChange {
  /** Number of the device in the group, from 1. */
  readonly device: number;
  readonly at: Millis;
  readonly firmware: string;
}

/** Profile of devices whose type is unknown. */
const FALLBACK = 'clime';
/** A gap of more than this number of periods counts as an absence. */
const ABSENT = 1.8;
const MOST_DROP_OUTS = 20;
/** Periods that differ by at most this share belong to one group. */
const ALIKE = 0.15;

interface Member {
  readonly device: string;
  readonly profile: string;
  readonly by: FittedGroup['by'];
  readonly firmware: string | null;
  readonly uplinks: readonly RecordedUplink[];
  readonly regimes: readonly [Regime, ...Regime[]];
  /** Time of its first message; 0 if it sent from the beginning on. */
  readonly begins: Millis;
}

/** Groups, largest first; empty when no device has reported twice. */
export function fitGroups(recording: Recording, profiles: ReadonlyMap<string, Profile>): readonly FittedGroup[] {
  const values = groupByDevice(recording.values);
  const uplinks = groupByDevice(recording.uplinks);
  const downlinks = groupByDevice(recording.downlinks);
  const groups: Member[][] = [];
  for (const { device, type, firmware } of recording.devices) {
    const own = uplinks.get(device) ?? [];
    const regimes = findRegimes(own, downlinks.get(device) ?? []);
    if (regimes === undefined) continue;
    const found = findProfile(type, values.get(device) ?? [], profiles);
    const first = own.find((uplink) => uplink.firmware !== null)?.firmware ?? firmware;
    const known = profiles.get(found.profile)?.firmware.names.find((version) => version === first) ?? null;
    const at = own[0]?.at ?? 0;
    const begins = at > ABSENT * regimes[0].period ? at : 0;
    const member = { device, ...found, firmware: known, uplinks: own, regimes, begins };
    const group = groups.find(([other]) => other !== undefined && isAlike(other, member));
    if (group) group.push(member);
    else groups.push([member]);
  }
  groups.sort((a, b) => b.length - a.length);
  const length = recording.until - recording.from;
  return nameGroups(groups.map((members) => fitGroup(members, length, values, profiles)));
}

function isAlike(a: Member, b: Member): boolean {
  const isSameBuild = a.profile === b.profile && a.firmware === b.firmware;
  const [[one], [other]] = [a.regimes, b.regimes];
  if (!isSameBuild || (one.poll ?? 0) !== (other.poll ?? 0)) return false;
  const longest = Math.max(one.period, other.period);
  if ((a.begins === 0) !== (b.begins === 0) || Math.abs(a.begins - b.begins) > longest) return false;
  return Math.abs(one.period - other.period) <= ALIKE * longest;
}

/** @param length of the recording */
function fitGroup(
  members: readonly Member[],
  length: Millis,
  values: ReadonlyMap<string, readonly ValueRange[]>,
  profiles: ReadonlyMap<string, Profile>,
): FittedGroup {
  const { profile, by, firmware } = members[0] as Member;
  const starts = members.map(({ regimes: [first] }) => first);
  const poll = starts.find((first) => first.poll !== null)?.poll ?? null;
  const period = findMedian(starts.map((first) => first.period)) ?? 0;
  const regular = members.flatMap(measureDeviations);
  const dropOuts = members.flatMap((member, i) => findAbsences(member, i + 1));
  const ended = members.flatMap((member, i) => findEnd(member, length, i + 1));
  const missing = dropOuts.reduce((sum, { missed }) => sum + missed, 0);
  const reports = members.flatMap(({ uplinks }) => findReports(uplinks));
  const sizes = reports.map(({ size }) => size).sort((a, b) => a - b);
  const configured = findMedian(starts.flatMap((first) => (first.configured === null ? [] : [first.configured])));
  const [from, last] = findSpan(members.map(({ begins }) => begins));
  return {
    name: profile,
    profile,
    by,
    firmware,
    count: members.length,
    period,
    missing,
    configured: configured ?? null,
    poll,
    begins: { from, over: from === 0 ? period : last - from },
    jitter: regular.sort((a, b) => a - b)[Math.floor(regular.length * 0.9)] ?? 0,
    due: reports.length + missing,
    dropOuts: dropOuts.sort((a, b) => b.until - b.from - (a.until - a.from)).slice(0, MOST_DROP_OUTS),
    ended,
    changes: members.flatMap(({ regimes }, i) =>
      regimes.slice(1).map((after, k) => ({ device: i + 1, before: regimes[k] ?? regimes[0], after })),
    ),
    updates: members.flatMap(({ uplinks }, i) => findFirmwareChanges(uplinks, i + 1)),
    size: { min: sizes[0] ?? 0, median: findMedian(sizes) ?? 0, max: sizes.at(-1) ?? 0 },
    ranges: findRanges(
      members.flatMap(({ device }) => values.get(device) ?? []),
      profiles.get(profile),
    ),
  };
}

/** The regime of a device at a time. */
function findRegime({ regimes }: Member, at: Millis): Regime {
  return regimes.findLast(({ from }) => from <= at) ?? regimes[0];
}

/** How far the times between reports deviate from their median, as shares. */
function measureDeviations(member: Member): readonly Ratio[] {
  const reports = findReports(member.uplinks);
  return reports.slice(1).flatMap(({ at }, i) => {
    const before = reports[i]?.at ?? at;
    const { period } = findRegime(member, before);
    const isWithin = findRegime(member, at) === findRegime(member, before) && at - before < ABSENT * period;
    return isWithin ? [Math.abs(at - before - period) / period] : [];
  });
}

/** Times without any message of a device although a report was due. */
function findAbsences(member: Member, device: number): readonly (DropOut & { readonly missed: number })[] {
  const updates = findFirmwareChanges(member.uplinks, device);
  return member.uplinks.slice(1).flatMap(({ at, type }, i) => {
    const before = member.uplinks[i]?.at ?? at;
    const { period } = findRegime(member, before);
    const missed = countMissed(at - before, period);
    // A device that swaps its firmware sends nothing.
    if (missed === 0 || updates.some((update) => update.at === at)) return [];
    // The absence begins half a period after the message before the gap, and ends half a period before the one after it.
    const [from, until] = [before + period / 2, at - period / 2];
    return [{ device, from, until, missed, restarts: type === 'session' }];
  });
}

/** The silence of a device at the end of the recording. */
function findEnd(member: Member, length: Millis, device: number) {
  const at = member.uplinks.at(-1)?.at ?? 0;
  const missed = countMissed(length - at, findRegime(member, at).period);
  return missed === 0 ? [] : [{ device, at }];
}

/** Number of reports that are missing in a silence of this length. */
function countMissed(silence: Millis, period: Millis): number {
  return silence < ABSENT * period ? 0 : Math.max(0, Math.round(silence / period) - 1);
}

function findFirmwareChanges(uplinks: readonly RecordedUplink[], device: number): readonly FirmwareChange[] {
  const sessions = uplinks.flatMap(({ at, firmware }) => (firmware === null ? [] : [{ device, at, firmware }]));
  return sessions.filter(({ firmware }, i) => i > 0 && firmware !== sessions[i - 1]?.firmware);
}

/** The profile of the firmware name, or the one whose decoder has most of the reported values. */
function findProfile(
  type: string | null,
  values: readonly ValueRange[],
  profiles: ReadonlyMap<string, Profile>,
): Pick<Member, 'profile' | 'by'> {
  if (type !== null && profiles.has(type)) return { profile: type, by: 'firmware' };
  const keys = new Set(values.map(({ key }) => getHead(key)));
  let best: { readonly profile: string; readonly score: number } | undefined;
  for (const [profile, { decoder }] of profiles) {
    const known = new Set(decoder.keys.map(({ path }) => getHead(path)));
    const shared = [...keys].filter((key) => known.has(key)).length;
    // A value of a profile that the device never sends counts against the profile, but less than a reported value that the
    // profile does not know.
    const score = shared / Math.max(1, keys.size) + shared / Math.max(1, known.size) / 10;
    if (shared > 0 && (best === undefined || score > best.score)) best = { profile, score };
  }
  return best ? { profile: best.profile, by: 'values' } : { profile: FALLBACK, by: 'guess' };
}

/**
 * Sensor and quantity of a path. The rest of the path is left out, because the lists below a quantity differ between builds.
 */
function getHead(path: string): string {
  return path.split('.').slice(0, 2).join('.');
}

/** Ranges by quantity: `hygrometer.temperature.measurements.avg` is a value of `hygrometer.temperature`. */
function findRanges(values: readonly ValueRange[], profile: Profile | undefined): FittedGroup['ranges'] {
  if (profile === undefined) return [];
  const ranges = new Map<string, { min: number; max: number }>();
  for (const { key, min, max } of values) {
    const quantity = getHead(key);
    const address = findQuantity(profile, quantity);
    const spec = address && profile.sensors[address.sensor];
    const measured = spec?.quantities[address?.quantity ?? -1];
    if (spec === undefined || spec.counter || measured === undefined) continue;
    if (min < measured.min || max > measured.max || isMetadata(key)) continue;
    const known = ranges.get(quantity);
    ranges.set(quantity, { min: Math.min(known?.min ?? min, min), max: Math.max(known?.max ?? max, max) });
  }
  return [...ranges].map(([quantity, range]) => ({ quantity, ...range }));
}

/** Whether a value is a time or a total instead of a reading. */
function isMetadata(key: string): boolean {
  return /\.(timestamp|count|total|increment|delta)$/.test(key);
}

function nameGroups(groups: readonly FittedGroup[]): readonly FittedGroup[] {
  const taken = new Set<string>();
  return groups.map((group) => {
    const several = groups.filter(({ profile }) => profile === group.profile).length > 1;
    const base = several ? `${group.profile}-${Math.round(group.period / 1000)}` : group.name;
    let name = base;
    for (let i = 2; taken.has(name); i++) name = `${base}-${i}`;
    taken.add(name);
    return { ...group, name };
  });
}

/** Duration of the scenario: that of the recording, at least three report periods and one minute. */
export function measureDuration({ from, until }: Recording, groups: readonly FittedGroup[]): Millis {
  const longest = Math.max(0, ...groups.map(({ period }) => period));
  return Math.max(minutes(1), Math.ceil((until - from) / 1000) * 1000, Math.ceil((3 * longest) / 1000) * 1000);
}
