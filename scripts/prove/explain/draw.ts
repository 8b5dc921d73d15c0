/**
 * Small random scenarios with faults. Every part that can be removed is kept separately, so that it can be left out of a
 * repetition.
 */
import { seededRandom } from '../../../src/kernel/random.js';

/** A value of a scenario file. */
export type Piece = Readonly<Record<string, unknown>>;

/** A fault or step that a scenario can do without. */
export interface Removable {
  /** Kind of the fault as explanations name it: `outage`, `radio`. */
  readonly name: string;
  /** Selector of the fault or step; empty for all devices. */
  readonly to: string;
  readonly faults: readonly Piece[];
  readonly steps: readonly Piece[];
  /** Start and duration of the fault, or of the effect of the step, in minutes. */
  readonly from: number;
  readonly lasts: number;
}

/** A step that queues downlinks. */
export interface Queueing {
  /** Time of the step in minutes. */
  readonly at: number;
  readonly to: string;
  readonly action: Piece;
}

export interface Group {
  readonly name: string;
  readonly profile: string;
  readonly firmware: string;
  readonly count: number;
  readonly config: Readonly<Record<string, number>>;
  readonly boot: Readonly<Record<string, string>>;
}

export interface DrawnScenario {
  readonly seed: number;
  readonly groups: readonly Group[];
  readonly removables: readonly Removable[];
  readonly queueing: readonly Queueing[];
}

/** Duration of a scenario in minutes. */
export const DURATION = 360;
const PROFILES = [
  'clime',
  'clime',
  'control',
  'control',
  'push',
  'meteo',
  'motion',
  'current',
  'scale',
  'demo',
] as const;

class Dice {
  readonly #random;

  constructor(seed: number) {
    this.#random = seededRandom(`explain/${seed}`);
  }

  /** From `min` to `max`, inclusive. */
  whole(min: number, max: number): number {
    return min + Math.floor(this.#random.next() * (max - min + 1));
  }

  chance(ratio: number): boolean {
    return this.#random.next() < ratio;
  }

  one<T>(items: readonly [T, ...T[]]): T {
    return items[this.whole(0, items.length - 1)] ?? items[0];
  }
}

export function drawScenario(seed: number): DrawnScenario {
  const dice = new Dice(seed);
  const groups = Array.from({ length: dice.whole(1, 3) }, (_, i) => drawGroup(dice, i));
  const names = groups.map(({ name }) => name);
  const removables: Removable[] = [];
  for (let i = dice.whole(1, 4); i > 0; i--) {
    const drawn = drawRemovable(dice, names);
    if (!removables.some(({ name, to }) => name === drawn.name && to === drawn.to)) removables.push(drawn);
  }
  return {
    seed,
    groups,
    removables,
    queueing: Array.from({ length: dice.whole(3, 8) }, () => drawQueueing(dice, names, removables)).flat(),
  };
}

function drawGroup(dice: Dice, index: number): Group {
  const profile = dice.one(PROFILES);
  const report = dice.one([0, 0, 300, 900, 3600]);
  const poll = dice.one([-1, -1, 60, 120, 600, 1800]);
  const config = {
    ...(report > 0 && { 'interval-report': report }),
    ...(poll >= 0 && { 'interval-poll': poll }),
  };
  const boot = dice.chance(0.1) ? { from: `${dice.whole(30, 90)}m` } : { over: `${dice.whole(1, 10)}m` };
  return { name: `g${index}`, profile, firmware: dice.one(['3.5.5', '4.0.0']), count: dice.whole(1, 2), config, boot };
}

function drawRemovable(dice: Dice, groups: readonly string[]): Removable {
  const to = dice.chance(0.5) ? '' : dice.one(groups as [string, ...string[]]);
  const whom = to === '' ? {} : { to };
  const from = dice.whole(20, 240);
  const lasts = dice.whole(10, 80);
  const window = { from: `${from}m`, until: `${from + lasts}m` };
  const fault = (name: string, options: unknown, more: Piece = whom): Removable => {
    return {
      name,
      to: 'to' in more ? to : '',
      faults: [{ [name]: options, ...window, ...more }],
      steps: [],
      from,
      lasts,
    };
  };
  const kind = dice.whole(0, 14);
  switch (kind) {
    case 0:
    case 1:
      return fault('outage', dice.one(['both', 'both', 'up', 'down']));
    case 2:
      return fault('loss', `${dice.whole(20, 95)}%`);
    case 3: {
      const slow = dice.whole(1, 9);
      return fault('latency', `${slow}s..${slow + dice.whole(1, 4)}s`);
    }
    case 4: {
      const away = { from: `${from}m`, 'service-restart': { away: `${lasts}m` } };
      return { name: 'service-restart', to: '', faults: [away], steps: [], from, lasts };
    }
    case 5:
      return fault('service-down', null, {});
    case 6:
      return fault('store-unavailable', null, {});
    case 7:
      return fault('signal', { rsrp: -dice.whole(118, 130) });
    case 8:
      return fault('no-signal', null);
    case 9:
      return fault('brown-out', null);
    case 10: {
      const every = dice.whole(8, 15);
      const flapping = { outage: 'both', from: `${from}m`, until: `${from + 2 * lasts}m`, every: `${every}m` };
      return {
        name: 'outage',
        to,
        faults: [{ ...flapping, lasts: `${every - dice.whole(1, 4)}m`, ...whom }],
        steps: [],
        from,
        lasts: 2 * lasts,
      };
    }
    case 11:
      return fault('reboot', { every: `${dice.whole(20, 90)}s` });
    case 12:
      return fault('modem-failure', dice.one(['mute', 'no-sim', 'no-socket']));
    case 13:
      return fault('corruption', `${dice.whole(20, 95)}%`);
    default:
      return {
        ...{ name: 'radio', to, faults: [], from, lasts },
        steps: [
          { at: `${from}m`, radio: 'off', ...whom },
          { at: `${from + lasts}m`, radio: 'on', ...whom },
        ],
      };
  }
}

function drawQueueing(dice: Dice, groups: readonly string[], faults: readonly Removable[]): readonly Queueing[] {
  const to = dice.one(groups as [string, ...string[]]);
  const { from, lasts } = dice.one(faults as [Removable, ...Removable[]]);
  // Most downlinks are queued shortly before or during a fault.
  const at = dice.chance(0.7) ? Math.max(12, dice.whole(from - 15, from + lasts)) : dice.whole(12, 280);
  const action = (): Piece => {
    if (dice.chance(0.08)) return { downlink: { output_1_state: 1 }, unknown: true };
    return dice.one([
      { commands: ['info show'] },
      { commands: ['info show', 'app config'] },
      { commands: ['batt measure'] },
      // No device type has this command, so each device rejects it.
      { commands: ['reboot'], unknown: true },
      { config: { 'interval-report': dice.one([600, 900, 1200]) } },
    ]);
  };
  const times = dice.chance(0.3) ? dice.whole(2, 6) : 1;
  return Array.from({ length: times }, () => ({ at, to, action: action() }));
}
