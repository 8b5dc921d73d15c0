/** Makes the devices of a run available to consoles (console/member.ts). */
import type { Answer, Fleet, Member } from '../../console/member.js';
import type { Device } from '../../device/device.js';
import type { CommandResult } from '../../device/shell/command.js';
import { complete } from '../../device/shell/complete.js';
import type { Profile } from '../../profile/profile.js';
import type { Plan } from '../../scenario/model/plan.js';
import type { SelectableDevice, State } from '../../scenario/selector/device.js';
import { samplingRandom } from '../../scenario/selector/match.js';
import type { DeviceHandle } from '../../scenario/world.js';

/** The fleet of a plan. `devices` and `handles` are in the order of the plan. */
export function fleetOf(
  plan: Plan,
  devices: readonly Device[],
  handles: readonly DeviceHandle[],
  noted: Fleet['noted'],
): Fleet {
  return {
    noted,
    name: plan.scenario,
    size: devices.length,
    tags: [...new Set(plan.groups.flatMap(({ tags }) => tags))],
    random: samplingRandom(plan.seed),
    *members() {
      const numbers: number[] = [];
      for (const [index, device] of devices.entries()) {
        const handle = handles[index];
        const group = plan.devices[index]?.group ?? -1;
        const { name, region } = plan.groups[group] ?? {};
        const number = (numbers[group] ?? 0) + 1;
        numbers[group] = number;
        if (handle && name !== undefined)
          yield memberOf(device, handle, { group: name, number, region: region ?? null });
      }
    },
  };
}

type GroupPlace = Pick<SelectableDevice, 'group' | 'number' | 'region'>;

/** @param place group and number of the device; default: the only device of a group with the name of its profile */
export function memberOf(device: Device, handle: DeviceHandle, place?: GroupPlace): Member {
  return new DeviceMember(device, handle, place ?? { group: device.type.profile.name, number: 1, region: null });
}

class DeviceMember implements Member {
  readonly handle: DeviceHandle;
  readonly #place: GroupPlace;
  readonly #device: Device;

  constructor(device: Device, handle: DeviceHandle, place: GroupPlace) {
    this.#device = device;
    this.handle = handle;
    this.#place = place;
  }

  get group(): string {
    return this.#place.group;
  }
  get number(): number {
    return this.#place.number;
  }
  get region(): string | null {
    return this.#place.region;
  }
  get name(): string {
    return this.handle.name;
  }
  get serial(): number {
    return this.handle.serial;
  }
  get tags(): readonly string[] {
    return this.handle.tags;
  }
  get type(): Profile {
    return this.#device.type.profile;
  }
  get profile(): string {
    return this.type.name;
  }
  get fw(): string {
    return this.#device.build.version;
  }
  get battery(): number {
    return (1 - this.#device.battery.used) * 100;
  }
  get state(): State {
    const { firmware, busyWith } = this.#device;
    if (firmware === undefined) return 'off';
    if (!firmware.application.running) return 'starting';
    return busyWith === undefined ? 'asleep' : 'ready';
  }

  complete(line: string): readonly string[] {
    const { shell, layout } = this.#device.type;
    return complete(shell.commands, layout, line);
  }

  shell(line: string, later: (part: Answer) => void): Answer {
    const part = ({ code, lines, rest }: CommandResult): Answer => ({ code, lines, more: rest !== undefined });
    return part(this.#device.shell(line, (result) => later(part(result))));
  }
}
