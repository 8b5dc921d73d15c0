/** The `fleet` of a scenario: groups of devices that are alike. */
import {
  boolean,
  type Check,
  complain,
  duration,
  integer,
  list,
  oneOf,
  optional,
  record,
  text,
  valueAt,
} from '../input/checks.js';
import type { LocatedNode, Problems } from '../input/document.js';
import { quote } from '../input/problems.js';
import type { Millis } from '../kernel/time.js';
import { configLines, configPlaces } from './config-lines.js';
import type { Boot, FleetGroup } from './scenario.js';

/** Says why a device of a type would refuse a line such as `app config interval-report 900`; undefined when it would not. */
export type RefusalOf = (line: string) => string | undefined;

/** What a scenario must know of the device types, by the names of their profiles. */
export type DeviceTypes = ReadonlyMap<string, RefusalOf>;

export interface FleetShape {
  /** Device types that there are. */
  readonly types: DeviceTypes;
  /** When the scenario is over. */
  readonly end: Millis;
}

/** 0x80B00001: the first of product family 0x00B, CHESTER-M (wire protocol, 7.1). */
const FIRST_SERIAL = 2_159_017_985;
const LAST_SERIAL = 4_294_967_295;
const MOST_DEVICES = 1_000_000;
/** A device keeps 32 characters of its name, and `-0001` is added to the group's. */
const GROUP_NAME = /^(?!all$)[a-z][a-z0-9-]{0,23}[a-z0-9]$/;

const BOOT_AT_ONCE: Boot = { from: 0, over: 0, pattern: 'staggered' };

/** Reads all groups. Serial numbers that are not given run on from {@link FIRST_SERIAL}, over all such groups. */
export function fleet(node: LocatedNode, problems: Problems, shape: FleetShape): readonly FleetGroup[] | undefined {
  if (node.kind !== 'list' || node.items.length === 0) return complain(node, problems, 'a list of at least one group');
  const before = problems.list.length;
  const check = groupCheck(shape);
  const drafts = node.items.map((item) => {
    const draft = check(item, problems);
    if (draft) checkConfig(draft, item, shape.types, problems);
    return { item, draft };
  });
  const complete = drafts.every(({ draft }) => draft !== undefined);
  let next = FIRST_SERIAL;
  const groups: FleetGroup[] = [];
  for (const { item, draft } of drafts) {
    // Where a group could not be read, the numbers that run on behind it are not known.
    if (draft === undefined || (draft.serial === undefined && !complete)) continue;
    const { serial, ...rest } = draft;
    const group = { ...rest, firstSerial: serial ?? next };
    if (serial === undefined) next += rest.count;
    checkDistinct(group, groups, item, problems);
    groups.push(group);
  }
  return problems.list.length === before ? groups : undefined;
}

type Draft = Omit<FleetGroup, 'firstSerial'> & { readonly serial: number | undefined };

/** Notes the lines that a device of the group's type would refuse. */
function checkConfig({ profile, config }: Draft, node: LocatedNode, types: DeviceTypes, problems: Problems): void {
  if (node.kind !== 'map') return;
  const refusalOf = types.get(profile);
  const places = configPlaces(valueAt(node, 'config'));
  config.forEach((line, i) => {
    const refusal = refusalOf?.(line);
    if (refusal !== undefined) problems.add(places[i] ?? node, `${quote(line)} would be refused: ${refusal}`);
  });
}

function groupCheck({ types, end }: FleetShape): Check<Draft> {
  const boot: Check<Boot> = (node, problems) => {
    const read = record('boot', {
      from: optional(duration, 0),
      over: optional(duration, 0),
      pattern: optional(oneOf(['staggered', 'random']), 'staggered' as const),
    })(node, problems);
    if (read === undefined || read.from + read.over <= end) return read;
    problems.add(node, 'the last device would boot after the end of the scenario');
    return undefined;
  };
  return record('a group', {
    name: text(GROUP_NAME, 'a name of 2 to 25 small letters, digits and hyphens, other than "all"'),
    profile: oneOf([...types.keys()]),
    count: integer(1, MOST_DEVICES),
    serial: optional(integer(1, LAST_SERIAL)),
    boot: optional(boot, BOOT_AT_ONCE),
    config: optional(configLines, []),
    tags: optional(list(text()), []),
    register: optional(boolean, true),
  });
}

/** Notes names and serial numbers that an earlier group has already. */
function checkDistinct(group: FleetGroup, earlier: readonly FleetGroup[], node: LocatedNode, problems: Problems): void {
  const entries = node.kind === 'map' ? node.entries : undefined;
  const last = lastSerial(group);
  const serialPlace = entries?.get('serial')?.value ?? node;
  if (last > LAST_SERIAL) {
    problems.add(
      serialPlace,
      `the last of ${group.count} devices would have the serial number ${last}; the largest is ${LAST_SERIAL}`,
    );
  }
  for (const other of earlier) {
    if (other.name === group.name)
      complain(entries?.get('name')?.value ?? node, problems, 'a name of its own: another group has it');
    const from = Math.max(group.firstSerial, other.firstSerial);
    const to = Math.min(last, lastSerial(other));
    if (from <= to) {
      const which = from === to ? `the serial number ${from}` : `the serial numbers ${from} to ${to}`;
      problems.add(serialPlace, `group "${other.name}" has ${which} already`);
    }
  }
}

function lastSerial(group: FleetGroup): number {
  return group.firstSerial + group.count - 1;
}
