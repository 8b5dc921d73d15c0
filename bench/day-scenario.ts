/** The scenario of a day of a fleet, as several benchmarks simulate it. */
import type { Profile } from '../src/profile/profile.js';
import type { ScenarioDefinition } from '../src/scenario/parse/define.js';

interface DayOptions {
  readonly name: string;
  /** Device types of the fleet, in about equal parts. */
  readonly types: readonly Profile[];
  readonly devices: number;
  readonly hours: number;
}

/** A fleet with the settings that vendors suggest, which reports every half hour on average, or more often. */
export function dayScenario({ name, types, devices, hours }: DayOptions): ScenarioDefinition {
  return {
    name,
    duration: `${hours}h`,
    fleet: types.map(({ name: type, setup }, i) => ({
      name: type,
      profile: type,
      count: Math.floor((devices * (i + 1)) / types.length) - Math.floor((devices * i) / types.length),
      boot: { over: '30m' },
      ...(setup.length > 0 && { config: setup }),
    })),
    network: { latency: '150ms..900ms' },
    expect: [
      `device.ready == ${devices}`,
      'uplink.stored == uplink.sent',
      `uplink.stored > ${devices * (hours * 2 - 3)}`,
    ],
  };
}
