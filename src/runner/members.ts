/** The devices of a run as a console sees them (console/member.ts). */
import type { Answer, Fleet, Member, State } from '../console/member.js';
import type { Device } from '../device/device.js';
import type { CommandResult } from '../device/shell/command.js';
import { complete } from '../device/shell/complete.js';
import type { Profile } from '../profile/profile.js';
import type { Plan } from '../scenario/model/plan.js';
import type { DeviceHandle } from '../scenario/world.js';

/** The fleet of a plan; `devices` and `handles` in its order. */
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
    *members() {
      for (const [index, device] of devices.entries()) {
        const handle = handles[index];
        const group = plan.groups[plan.devices[index]?.group ?? -1];
        if (handle && group) yield memberOf(device, handle, group.name);
      }
    },
  };
}

export function memberOf(device: Device, handle: DeviceHandle, group: string): Member {
  return new DeviceMember(device, handle, group);
}

class DeviceMember implements Member {
  readonly handle: DeviceHandle;
  readonly group: string;
  readonly #device: Device;

  constructor(device: Device, handle: DeviceHandle, group: string) {
    this.#device = device;
    this.handle = handle;
    this.group = group;
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
