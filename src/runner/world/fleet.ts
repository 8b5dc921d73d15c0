/** The devices of a plan, built and ready to be switched on. */

import { Device, type DeviceWorld } from '../../device/device.js';
import type { MessageWitness } from '../../device/hardware/hardware.js';
import { ASSUMED_TIMINGS } from '../../device/modem/timing.js';
import { type DeviceType, deviceType } from '../../device/type/device-type.js';
import type { EdgeClock } from '../../kernel/clock.js';
import type { Random } from '../../kernel/random.js';
import type { Profile } from '../../profile/profile.js';
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { Trace } from '../../trace/events.js';
import type { Transport } from '../../transport/transport.js';
import { type DeviceKind, makeConnection } from './connection.js';
import { makeFlashSettings } from './flash-settings.js';

interface FleetOptions {
  readonly plan: Plan;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly clock: EdgeClock;
  readonly random: Random;
  readonly trace: Trace;
  /** Receives the content of all messages of the devices; undefined if contents are not recorded. */
  readonly witness?: MessageWitness | undefined;
  /** Called when the code of a device has thrown an error. */
  readonly failed?: DeviceWorld['failed'];
  readonly transport: Transport;
  readonly format: LinkFormat;
}

/**
 * Builds the devices of the plan, in its order, all switched off. @throws UsageError for a configuration that devices reject
 */
export function buildFleet(options: FleetOptions): readonly Device[] {
  const { plan, profiles, clock, random, trace, witness, failed, transport, format } = options;
  const world = { clock, trace, witness, failed };
  const groups = makeKinds(plan, profiles);
  return plan.devices.map(({ serial, group: index, claimToken }) => {
    const group = groups[index];
    if (group === undefined) throw new Error(`the plan has no group ${index}`);
    const own = random.fork(`device/${serial}`);
    return new Device({
      type: group.type,
      serial,
      claimToken,
      flash: group.flash,
      world,
      random: own,
      format,
      connect: makeConnection({ serial, claimToken, transport, random: own }),
    });
  });
}

/**
 * The device type and the flash of the devices of each group, in the order of the groups.
 * @throws UsageError for a configuration that devices reject
 */
export function makeKinds(plan: Plan, profiles: FleetOptions['profiles']): readonly DeviceKind[] {
  const types = new Map<string, DeviceType>();
  const { radioRelease: release = ASSUMED_TIMINGS.release } = plan;
  return plan.groups.map((group) => {
    const newest =
      types.get(group.profile) ?? deviceType(getProfile(profiles, group.profile), { ...ASSUMED_TIMINGS, release });
    types.set(group.profile, newest);
    const type = group.firmware === undefined ? newest : newest.withVersion(`v${group.firmware}`);
    return { type, flash: makeFlashSettings(type.layout, group.config) };
  });
}

/** A profile that a plan names. */
export function getProfile(profiles: FleetOptions['profiles'], name: string): Profile {
  const profile = profiles.get(name);
  if (profile === undefined) throw new Error(`the profile "${name}" was not loaded`);
  return profile;
}
