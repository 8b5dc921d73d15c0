/**
 * Groups the devices of a recording by type, firmware version, report period and poll interval, for a scenario that behaves
 * like them.
 *
 * The scenario contains each figure as a setting if there is one, otherwise as a comment: jitter, for example, is a part of the
 * profile.
 */
import type { Ratio } from '../kernel/ratio.js';
import { type Millis, minutes } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import { findQuantity } from '../profile/quantities.js';
import { byDevice } from './group.js';
import { median } from './median.js';
import type { RecordedUplink, Recording, ValueRange } from './recording.js';
import { configuredIn, gapsOf, periodOf, pollIn, reportsIn } from './reports.js';

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
  /** Median time between reports. 90 % of the times differ from it by at most the share `jitter`. */
  readonly period: Millis;
  readonly jitter: Ratio;
  /** Median configured interval; null when no device reported one. */
  readonly configured: Millis | null;
  /** Configured poll interval; 0 if polls are off; null when no device reported one. */
  readonly poll: Millis | null;
  /** Number of missing reports, and number of reports that were due. */
  readonly missing: number;
  readonly due: number;
  /** Absences of single devices, longest first, at most 20. */
  readonly dropOuts: readonly DropOut[];
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
  readonly reports: readonly RecordedUplink[];
  readonly period: Millis;
  readonly configured: Millis | null;
  readonly poll: Millis | null;
}

/** Groups, largest first; empty when no device has reported twice. */
export function fitGroups(recording: Recording, profiles: ReadonlyMap<string, Profile>): readonly FittedGroup[] {
  const values = byDevice(recording.values);
  const uplinks = byDevice(recording.uplinks);
  const groups: Member[][] = [];
  for (const { device, type, firmware } of recording.devices) {
    const own = uplinks.get(device) ?? [];
    const reports = reportsIn(own);
    const period = periodOf(reports);
    if (period === undefined) continue;
    const found = profileOf(type, values.get(device) ?? [], profiles);
    const known = profiles.get(found.profile)?.firmware.names.find((version) => version === firmware) ?? null;
    const settings = { configured: configuredIn(own), poll: pollIn(own) };
    const member = { device, ...found, firmware: known, reports, period, ...settings };
    const group = groups.find(([first]) => first !== undefined && isAlike(first, member));
    if (group) group.push(member);
    else groups.push([member]);
  }
  groups.sort((a, b) => b.length - a.length);
  const fitted = groups.map((members) => fitGroup(members, values, profiles));
  return named(fitted);
}

function isAlike(a: Member, b: Member): boolean {
  const isSameBuild = a.profile === b.profile && a.firmware === b.firmware;
  if (!isSameBuild || (a.poll ?? 0) !== (b.poll ?? 0)) return false;
  return Math.abs(a.period - b.period) <= ALIKE * Math.max(a.period, b.period);
}

function fitGroup(
  members: readonly Member[],
  values: ReadonlyMap<string, readonly ValueRange[]>,
  profiles: ReadonlyMap<string, Profile>,
): FittedGroup {
  const { profile, by, firmware } = members[0] as Member;
  const poll = members.find((member) => member.poll !== null)?.poll ?? null;
  const period = median(members.map((member) => member.period)) ?? 0;
  const regular = members.flatMap(({ reports, period: own }) =>
    gapsOf(reports)
      .filter((gap) => gap < ABSENT * own)
      .map((gap) => Math.abs(gap - own) / own),
  );
  const dropOuts = members.flatMap(({ reports, period: own }, i) => absences(reports, own, i + 1));
  const missing = dropOuts.reduce((sum, { missed }) => sum + missed, 0);
  const sizes = members.flatMap(({ reports }) => reports.map(({ size }) => size)).sort((a, b) => a - b);
  const configured = median(members.flatMap((member) => (member.configured === null ? [] : [member.configured])));
  return {
    ...{ name: profile, profile, by, firmware, count: members.length, period, missing },
    ...{ configured: configured ?? null, poll },
    jitter: regular.sort((a, b) => a - b)[Math.floor(regular.length * 0.9)] ?? 0,
    due: members.reduce((sum, { reports }) => sum + reports.length, 0) + missing,
    dropOuts: dropOuts.sort((a, b) => b.until - b.from - (a.until - a.from)).slice(0, MOST_DROP_OUTS),
    size: { min: sizes[0] ?? 0, median: median(sizes) ?? 0, max: sizes.at(-1) ?? 0 },
    ranges: rangesOf(
      members.flatMap(({ device }) => values.get(device) ?? []),
      profiles.get(profile),
    ),
  };
}

function absences(reports: readonly RecordedUplink[], period: Millis, device: number) {
  return reports.flatMap(({ at }, i) => {
    const before = reports[i - 1]?.at ?? at;
    const missed = Math.round((at - before) / period) - 1;
    if (at - before < ABSENT * period || missed < 1) return [];
    // The absence begins half a period after the report before the gap, and ends half a period before the report after it.
    return [{ device, from: before + period / 2, until: at - period / 2, missed }];
  });
}

/** The profile of the firmware name, or the one whose decoder has most of the reported values. */
function profileOf(
  type: string | null,
  values: readonly ValueRange[],
  profiles: ReadonlyMap<string, Profile>,
): Pick<Member, 'profile' | 'by'> {
  if (type !== null && profiles.has(type)) return { profile: type, by: 'firmware' };
  const keys = new Set(values.map(({ key }) => head(key)));
  let best: { readonly profile: string; readonly score: number } | undefined;
  for (const [profile, { decoder }] of profiles) {
    const known = new Set(decoder.keys.map(({ path }) => head(path)));
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
function head(path: string): string {
  return path.split('.').slice(0, 2).join('.');
}

/** Ranges by quantity: `hygrometer.temperature.measurements.avg` is a value of `hygrometer.temperature`. */
function rangesOf(values: readonly ValueRange[], profile: Profile | undefined): FittedGroup['ranges'] {
  if (profile === undefined) return [];
  const ranges = new Map<string, { min: number; max: number }>();
  for (const { key, min, max } of values) {
    const quantity = head(key);
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

function named(groups: readonly FittedGroup[]): readonly FittedGroup[] {
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
export function durationOf({ from, until }: Recording, groups: readonly FittedGroup[]): Millis {
  const longest = Math.max(0, ...groups.map(({ period }) => period));
  return Math.max(minutes(1), Math.ceil((until - from) / 1000) * 1000, Math.ceil((3 * longest) / 1000) * 1000);
}
