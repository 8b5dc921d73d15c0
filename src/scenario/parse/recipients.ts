/** The devices to which a step or a load sends lines or data, with the commands and keys that their firmware accepts. */
import { boolean, describeKey, type OptionalCheck, optional, valueAt } from '../../input/checks.js';
import { type LocatedNode, type MapNode, Problems } from '../../input/document.js';
import { orList, quote } from '../../input/problems.js';
import type { FleetGroup } from '../model/fleet.js';
import { type FleetNames, readSelector } from '../selector/check.js';
import { canTouch } from '../selector/match.js';
import type { Selector } from '../selector/selector.js';
import type { SetupCall } from '../setup/index.js';
import type { Recipient } from '../values/sending.js';
import type { DeviceTypes } from './sources.js';

/** The key `unknown` of steps and loads: the lines or data to send are deliberately unknown or invalid, and are not checked. */
export const UNKNOWN: { readonly unknown: OptionalCheck<boolean, boolean> } = {
  unknown: optional(describeKey('Sends lines or data that the devices do not know.', true, boolean), false),
};

/**
 * Adds a problem for the key `unknown` in a step or load that sends no lines or data.
 * @param sending kinds that may have this key
 */
export function checkUnknown(node: MapNode, kind: string, sending: readonly string[], problems: Problems): void {
  if (sending.includes(kind)) return;
  problems.add(valueAt(node, 'unknown'), `"unknown" is for ${orList(sending)}, not for ${quote(kind)}`);
}

/** A fleet with its device types and the firmware updates of the scenario. */
export interface KnownFleet {
  readonly types: DeviceTypes;
  /** undefined if the fleet could not be read. */
  readonly groups: readonly FleetGroup[] | undefined;
  readonly updates: readonly FirmwareUpdate[];
}

interface FirmwareUpdate {
  readonly to: Selector;
  /** New version without a leading `v`; undefined if it is not known, because only the image file contains it. */
  readonly version: string | undefined;
}

/** The devices that match `to`, by device type and firmware. */
export function recipientsOf(to: Selector, { types, groups = [], updates }: KnownFleet): readonly Recipient[] {
  const recipients = new Map<string, Recipient>();
  for (const group of groups) {
    const type = types.get(group.profile);
    if (type === undefined || !canTouch(to, group)) continue;
    const { versions } = type;
    const own = group.firmware ?? versions.at(-1) ?? '';
    const possible = updates
      .filter((update) => canTouch(update.to, group))
      .flatMap(({ version }) => (version === undefined ? versions : versions.filter((name) => name === version)));
    const later = [...new Set(possible)].filter((version) => version !== own);
    const name = versions.length > 1 ? `${group.profile} ${own}` : group.profile;
    const firmware = [type.version(group.firmware), ...later.map((version) => type.version(version))];
    recipients.set([name, ...later].join(), { name, firmware });
  }
  return [...recipients.values()];
}

/** The firmware updates among the steps of a scenario. Problems are ignored here, because parse/steps.ts reports them. */
export function firmwareUpdates(
  steps: LocatedNode | undefined,
  setup: readonly SetupCall[],
  names: FleetNames,
): readonly FirmwareUpdate[] {
  if (steps?.kind !== 'list') return [];
  return steps.items.flatMap((step) => {
    const image = step.kind === 'map' ? textAt(step, 'firmware') : undefined;
    const found = setup.find((call) => call.setup === 'firmware' && call.options.name === image);
    if (step.kind !== 'map' || found?.setup !== 'firmware') return [];
    const cohorts = step.entries.get('for')?.value;
    const written = cohorts?.kind === 'map' ? textAt(cohorts, 'each') : textAt(step, 'to');
    const to = readSelector(written ?? 'all', step, new Problems(), names);
    const { source } = found.options;
    return to ? [{ to, version: source.kind === 'made' ? source.version.replace(/^v/, '') : undefined }] : [];
  });
}

function textAt(node: MapNode, key: string): string | undefined {
  const value = node.entries.get(key)?.value;
  return value?.kind === 'scalar' ? value.source : undefined;
}
