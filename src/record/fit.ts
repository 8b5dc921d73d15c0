/**
 * A scenario that behaves as the devices of a recording did: groups of the same type and rhythm, which can be multiplied.
 *
 * Each figure is one that a scenario can say, or a comment where it cannot (jitter belongs to a device type).
 */

import type { Ratio } from '../kernel/ratio.js';
import { type Millis, minutes } from '../kernel/time.js';
import type { Profile } from '../profile/profile.js';
import { findQuantity } from '../profile/quantities.js';
import { byDevice } from './group.js';
import { median } from './median.js';
import type { RecordedUplink, Recording, ValueRange } from './recording.js';
import { configuredIn, gapsOf, periodOf, reportsIn } from './reports.js';

export interface FittedGroup {
  /** `clime`, or `clime-60` where there are several of the type. */
  readonly name: string;
  /** Name of a packaged profile. */
  readonly profile: string;
  /** How it was found. */
  readonly by: 'firmware' | 'values' | 'guess';
  readonly count: number;
  /** Time from one report to the next: the middle one, and by how much of it nine of ten stay around it. */
  readonly period: Millis;
  readonly jitter: Ratio;
  /** The interval that devices said they have; null: none did. */
  readonly configured: Millis | null;
  /** Reports that did not come, of all that were due. */
  readonly missing: number;
  readonly due: number;
  /** Absences of single devices: the n-th of the group, from 1. Longest first. */
  readonly dropOuts: readonly DropOut[];
  /** Bytes of the body of a report as JSON. */
  readonly size: { readonly min: number; readonly median: number; readonly max: number };
  /** By the name of a quantity that the profile has. */
  readonly ranges: readonly { readonly quantity: string; readonly min: number; readonly max: number }[];
}

interface DropOut {
  readonly device: number;
  readonly from: Millis;
  readonly until: Millis;
}

/** Devices of which nothing else is known are taken for these: reports, and no application of their own. */
const FALLBACK = 'clime';
/** A gap of more periods than this is an absence. */
const ABSENT = 1.8;
const MOST_DROP_OUTS = 20;
/** Periods that differ by less than this are the same. */
const ALIKE = 0.15;

interface Member {
  readonly device: string;
  readonly profile: string;
  readonly by: FittedGroup['by'];
  readonly reports: readonly RecordedUplink[];
  readonly period: Millis;
  readonly configured: Millis | null;
}

/** Groups, largest first; none when no device has reported twice. */
export function fitGroups(recording: Recording, profiles: ReadonlyMap<string, Profile>): readonly FittedGroup[] {
  const values = byDevice(recording.values);
  const uplinks = byDevice(recording.uplinks);
  const groups: Member[][] = [];
  for (const { device, type } of recording.devices) {
    const own = uplinks.get(device) ?? [];
    const reports = reportsIn(own);
    const period = periodOf(reports);
    if (period === undefined) continue;
    const configured = configuredIn(own);
    const member = { device, ...profileOf(type, values.get(device) ?? [], profiles), reports, period, configured };
    const group = groups.find(([first]) => first !== undefined && isAlike(first, member));
    if (group) group.push(member);
    else groups.push([member]);
  }
  groups.sort((a, b) => b.length - a.length);
  const fitted = groups.map((members) => fitGroup(members, values, profiles));
  return named(fitted);
}

function isAlike(a: Member, b: Member): boolean {
  return a.profile === b.profile && Math.abs(a.period - b.period) <= ALIKE * Math.max(a.period, b.period);
}

function fitGroup(
  members: readonly Member[],
  values: ReadonlyMap<string, readonly ValueRange[]>,
  profiles: ReadonlyMap<string, Profile>,
): FittedGroup {
  const { profile, by } = members[0] as Member;
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
    ...{ name: profile, profile, by, count: members.length, period, configured: configured ?? null, missing },
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
    // It went after one report and was back before the other.
    return [{ device, from: before + period / 2, until: at - period / 2, missed }];
  });
}

/** The type that the firmware names, or the one whose decoder has most of the values. */
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
    // What a device never sends counts against a profile, but less than what the profile does not know.
    const score = shared / Math.max(1, keys.size) + shared / Math.max(1, known.size) / 10;
    if (shared > 0 && (best === undefined || score > best.score)) best = { profile, score };
  }
  return best ? { profile: best.profile, by: 'values' } : { profile: FALLBACK, by: 'guess' };
}

/** What measures, and what is measured: the lists inside differ from build to build. */
function head(path: string): string {
  return path.split('.').slice(0, 2).join('.');
}

/** `hygrometer.temperature.measurements.avg` is a value of `hygrometer.temperature`. */
function rangesOf(values: readonly ValueRange[], profile: Profile | undefined): FittedGroup['ranges'] {
  if (profile === undefined) return [];
  const ranges = new Map<string, { min: number; max: number }>();
  for (const { key, min, max } of values) {
    const quantity = head(key);
    const address = findQuantity(profile, quantity);
    const spec = address && profile.sensors[address.sensor];
    const measured = spec?.quantities[address?.quantity ?? -1];
    if (spec === undefined || spec.counter || measured === undefined) continue;
    if (min < measured.min || max > measured.max || isNoReading(key)) continue;
    const known = ranges.get(quantity);
    ranges.set(quantity, { min: Math.min(known?.min ?? min, min), max: Math.max(known?.max ?? max, max) });
  }
  return [...ranges].map(([quantity, range]) => ({ quantity, ...range }));
}

/** Times and totals beside the readings. */
function isNoReading(key: string): boolean {
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

/** How long a scenario of the recording takes: as long, and long enough for a few reports. */
export function durationOf({ from, until }: Recording, groups: readonly FittedGroup[]): Millis {
  const longest = Math.max(0, ...groups.map(({ period }) => period));
  return Math.max(minutes(1), Math.ceil((until - from) / 1000) * 1000, Math.ceil((3 * longest) / 1000) * 1000);
}
