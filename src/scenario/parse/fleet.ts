/**
 * The `fleet` of a scenario: groups of devices of the same kind. It is either a list of groups, each with a count, or a map
 * with the total number of devices and a list of groups, each with a share of the total:
 *
 *     fleet: { devices: 1000, groups: [{ name: clime, profile: clime, share: 70% }, …] }
 */

import {
  boolean,
  complain,
  describeKey,
  duration,
  eitherForm,
  type Form,
  formed,
  formOf,
  integer,
  list,
  oneOf,
  optional,
  ratio,
  record,
  refine,
  text,
  valueAt,
} from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { didYouMean, orList, quote } from '../../input/problems.js';
import { countOf } from '../../kernel/quantity.js';
import { formatRatio, type Ratio } from '../../kernel/ratio.js';
import { withoutSecrets } from '../../kernel/shell-secrets.js';
import type { Millis } from '../../kernel/time.js';
import { BOOT_PATTERNS, type Boot, type FleetGroup } from '../model/fleet.js';
import { RESERVED } from '../selector/check.js';
import { makeDeviceName } from '../selector/device.js';
import { cloudName } from '../values/cloud-name.js';
import { configLines, configPlaces } from '../values/config-lines.js';
import { apportion } from './apportion.js';
import type { DeviceTypes, KnownDeviceType } from './sources.js';

/** The context in which a fleet is checked. */
export interface FleetShape {
  readonly types: DeviceTypes;
  /** Firmware version of the groups that do not name one; undefined for the newest. */
  readonly firmware: string | undefined;
  /** Duration of the scenario. */
  readonly end: Millis;
}

/** 0x80B00001: the first serial number of product family 0x00B, CHESTER-M (wire W-48). */
const FIRST_SERIAL = 2_159_017_985;
const LAST_SERIAL = 4_294_967_295;
const MOST_DEVICES = 1_000_000;
/** A device stores 32 characters of its name. The name is that of the group with a suffix such as `-0001`. */
const GROUP_NAME = /^(?!(all|region|tag)$)[a-z][a-z0-9-]{0,23}[a-z0-9]$/;

const BOOT_AT_ONCE: Boot = { from: 0, over: 0, pattern: 'staggered' };

/**
 * Reads all groups. Groups without a serial number get consecutive ones, beginning with {@link FIRST_SERIAL}. Groups with a value
 * that their type rejects are in the result, so that the problems of their steps are found, too.
 */
export function fleet(node: LocatedNode, problems: Problems, shape: FleetShape): readonly FleetGroup[] | undefined {
  const read = node.kind === 'map' ? sharedDrafts(node, problems, shape) : countedDrafts(node, problems, shape);
  if (read === undefined) return undefined;
  const drafts = read.map((drafted) => checkType(drafted, shape, problems));
  for (const { item, draft } of drafts) if (draft) checkUnlikeDevices(draft, item, drafts, problems);
  const complete = drafts.every(({ draft }) => draft !== undefined);
  let next = FIRST_SERIAL;
  const groups: FleetGroup[] = [];
  for (const { item, draft } of drafts) {
    // If a group could not be read, the serial numbers of groups that do not set them are unknown.
    if (draft === undefined || (draft.serial === undefined && !complete)) continue;
    const { serial, ...rest } = draft;
    const type = shape.types.get(rest.profile);
    const version = rest.firmware ?? type?.versions.at(-1) ?? 'newest';
    const group = { ...rest, version, firstSerial: serial ?? next, ...alwaysLte(draft, type) };
    if (serial === undefined) next += rest.count;
    checkDistinct(group, groups, item, problems);
    groups.push(group);
  }
  return complete ? groups : undefined;
}

function alwaysLte({ firmware }: Draft, type: KnownDeviceType | undefined): Pick<FleetGroup, 'alwaysLte'> {
  if (type === undefined || (firmware !== null && !type.versions.includes(firmware))) return {};
  return type.version(firmware).flashRefusal('app config mode lte') === undefined ? {} : { alwaysLte: true };
}

/** A group of the file. Its first serial number may depend on the other groups. */
type Draft = Omit<FleetGroup, 'firstSerial' | 'version'> & { readonly serial: number | undefined };

/** An item of the list of groups; `draft` is undefined if the group could not be read. */
interface Drafted {
  readonly item: LocatedNode;
  readonly draft: Draft | undefined;
}

function countedDrafts(node: LocatedNode, problems: Problems, shape: FleetShape): readonly Drafted[] | undefined {
  if (node.kind !== 'list' || node.items.length === 0) return complain(node, problems, 'a list of at least one group');
  const check = countedGroup(shape);
  return node.items.map((item) => ({ item, draft: check(item, problems) }));
}

function sharedDrafts(node: LocatedNode, problems: Problems, shape: FleetShape): readonly Drafted[] | undefined {
  const read = record('a fleet', { devices: TOTAL, groups: list((item) => item, 1) })(node, problems);
  if (read === undefined) return undefined;
  const check = sharedGroup(shape);
  const groups = read.groups.map((item) => ({ item, group: check(item, problems) }));
  const shares = groups.flatMap(({ group }) => (group === undefined ? [] : [group.share]));
  const counts = shares.length === groups.length ? countsOf(shares, read.devices, node, problems) : undefined;
  return groups.map(({ item, group }, i) => {
    const count = counts?.[i];
    if (group === undefined || count === undefined) return { item, draft: undefined };
    const { share, ...rest } = group;
    if (count > 0) return { item, draft: { ...rest, count } };
    const place = valueAt(item, 'share');
    problems.add(place, `${formatRatio(share)} of ${countOf(read.devices, 'device')} is less than one device`);
    return { item, draft: undefined };
  });
}

function countsOf(shares: readonly Ratio[], devices: number, node: LocatedNode, problems: Problems): readonly number[] {
  const whole = shares.reduce((sum, share) => sum + share, 0);
  if (Math.abs(whole - 1) > SHARES_OFF) {
    const place = valueAt(node, 'groups');
    problems.add(place, `the shares of the groups add up to ${formatRatio(whole)}; expected 100%`);
  }
  return apportion(devices, shares);
}

/** Checks a group by its type. A group whose type does not have its firmware version cannot be read. */
function checkType({ item, draft }: Drafted, { types }: FleetShape, problems: Problems): Drafted {
  const type = draft && types.get(draft.profile);
  if (!draft || !type) return { item, draft };
  if (!checkFirmware(draft, item, type, problems)) return { item, draft: undefined };
  checkConfig(draft, item, type, problems);
  return { item, draft };
}

/** Adds a problem and returns false for a firmware version that the group's type does not have. */
function checkFirmware(
  { profile, firmware }: Draft,
  node: LocatedNode,
  { versions }: KnownDeviceType,
  problems: Problems,
): boolean {
  if (firmware === null || versions.includes(firmware)) return true;
  const place = valueAt(node, 'firmware');
  const near = didYouMean(firmware, versions);
  problems.add(place, `${quote(firmware)} is not a firmware version of ${quote(profile)}: ${orList(versions)}${near}`);
  return false;
}

/** Adds a problem for each line that a device of the group would reject. */
function checkConfig(
  { profile, config, firmware }: Draft,
  node: LocatedNode,
  type: KnownDeviceType,
  problems: Problems,
): void {
  if (node.kind !== 'map') return;
  const places = configPlaces(valueAt(node, 'config'));
  config.forEach((line, i) => {
    const refusal = type.version(firmware).flashRefusal(line);
    if (refusal === undefined) return;
    const others = type.versions.filter((version) => type.version(version).flashRefusal(line) === undefined);
    const [by, instead] =
      others.length === 0
        ? ['', '']
        : [` by ${profile} ${firmware ?? type.versions.at(-1)}`, `; ${others.join(', ')} accepts it`];
    problems.add(places[i] ?? node, `${quote(withoutSecrets(line))} would be rejected${by}: ${refusal}${instead}`);
  });
}

/** JSON Schema of a fleet, for editors. */
export function fleetForm(): Form {
  const shape: FleetShape = { types: new Map(), firmware: undefined, end: Number.POSITIVE_INFINITY };
  const shared = record('a fleet', {
    devices: TOTAL,
    groups: describeKey(
      'Groups of devices, each with a share.',
      [{ name: 'cellar', profile: 'clime', share: '70%' }],
      list(sharedGroup(shape), 1),
    ),
  });
  return eitherForm(formOf(list(countedGroup(shape), 1)), formOf(shared));
}

const DEVICES = integer(1, MOST_DEVICES);
const TOTAL = describeKey('Number of devices in all groups.', 1000, DEVICES);
/** Tolerance for the sum of all shares: shares such as 1/3 do not add up to exactly 1 in floating point. */
const SHARES_OFF = 1e-6;

const countedGroup = (shape: FleetShape) =>
  record('a group', {
    ...groupKeys(shape),
    count: describeKey('Number of devices.', 50, DEVICES),
  });
const sharedGroup = (shape: FleetShape) =>
  record('a group', {
    ...groupKeys(shape),
    share: describeKey('Share of all devices of the fleet.', '70%', ratio),
  });

/** A firmware version. Devices report it with a leading `v`, which may be left out here. */
const firmwareVersion = refine(text(/^v?\d+\.\d+\.\d+\S*$/, 'a firmware version such as 3.5.5'), (version) =>
  version.replace(/^v/, ''),
);

const BOOT = record('boot', {
  from: optional(describeKey('When the first device starts. Default: 0s.', '5m', duration), 0),
  over: optional(describeKey('Time over which the devices start. Default: 0s.', '10m', duration), 0),
  pattern: optional(
    describeKey('Evenly spread (default), at random times, or all at once.', 'poisson', oneOf(BOOT_PATTERNS)),
    'staggered' as const,
  ),
});

function groupKeys({ types, firmware, end }: FleetShape) {
  const boot = refine(BOOT, (read, node, problems): Boot | undefined => {
    if (read.pattern === 'storm' && read.over > 0) {
      problems.add(valueAt(node, 'over'), 'a storm starts all devices at once: it has no "over"');
    }
    if (read.from + read.over <= end) return read;
    problems.add(node, 'the last device would boot after the end of the scenario');
    return undefined;
  });
  return {
    name: describeKey(
      'Name of the group, for selectors and names of devices.',
      'cellar',
      text(
        GROUP_NAME,
        `a name of 2 to 25 small letters, digits and hyphens, other than ${RESERVED.map((word) => `"${word}"`).join(', ')}`,
      ),
    ),
    // The schema accepts any text, because it cannot contain the profiles in the folder of the scenario.
    profile: describeKey(
      'Device type: a packaged profile, or one in the folder `profiles` beside the scenario.',
      'clime',
      formed(() => formOf(text()), oneOf([...types.keys()])),
    ),
    firmware: optional(
      describeKey(
        'Firmware version with which the devices left the factory. Default: the newest.',
        '3.5.5',
        firmwareVersion,
      ),
      firmware ?? null,
    ),
    serial: optional(
      describeKey('Serial number of the first device; the others follow.', FIRST_SERIAL, integer(1, LAST_SERIAL)),
    ),
    boot: optional(describeKey('When the devices start. Default: all at once.', { over: '10m' }, boot), BOOT_AT_ONCE),
    config: optional(
      describeKey('Parameters that are in flash before the first start.', { 'interval-report': 900 }, configLines),
      [],
    ),
    tags: optional(describeKey('Tags of the devices in the cloud.', ['indoor'], list(cloudName)), []),
    region: optional(
      describeKey(
        'Region of the devices, for selectors.',
        'north',
        text(/^[\w.-]+$/, 'a label of letters, digits, dots and hyphens'),
      ),
      null,
    ),
    register: optional(
      describeKey('Whether the run registers the devices in the cloud. Default: true.', false, boolean),
      true,
    ),
  };
}

/** Adds problems for a name or serial numbers that an earlier group already has, and for serial numbers that are too large. */
function checkDistinct(group: FleetGroup, earlier: readonly FleetGroup[], node: LocatedNode, problems: Problems): void {
  const entries = node.kind === 'map' ? node.entries : undefined;
  const last = lastSerial(group);
  const serialPlace = entries?.get('serial')?.value ?? node;
  if (last > LAST_SERIAL) {
    problems.add(
      serialPlace,
      `the last of ${countOf(group.count, 'device')} would have the serial number ${last}; the largest is ${LAST_SERIAL}`,
    );
  }
  for (const other of earlier) {
    if (other.name === group.name)
      complain(entries?.get('name')?.value ?? node, problems, 'a unique name: another group has it');
    const from = Math.max(group.firstSerial, other.firstSerial);
    const to = Math.min(last, lastSerial(other));
    if (from <= to) {
      const which = from === to ? `the serial number ${from}` : `the serial numbers ${from} to ${to}`;
      problems.add(serialPlace, `group "${other.name}" already has ${which}`);
    }
  }
}

/** Adds a problem for a group with the name of a device: a selector with this name would mean both. */
function checkUnlikeDevices({ name }: Draft, node: LocatedNode, drafts: readonly Drafted[], problems: Problems): void {
  const [, other, digits] = /^(.+)-(\d+)$/.exec(name) ?? [];
  const like = other === undefined ? undefined : drafts.find(({ draft }) => draft?.name === other)?.draft;
  const number = Number(digits);
  if (like === undefined || number < 1 || number > like.count || makeDeviceName(like, number) !== name) return;
  const device = `${other}/${number}`;
  problems.add(valueAt(node, 'name'), `${quote(name)} is also the name of the device ${device}; choose another name`);
}

function lastSerial(group: FleetGroup): number {
  return group.firstSerial + group.count - 1;
}
