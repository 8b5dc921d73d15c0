/**
 * How a cause is removed from a scenario:
 *
 * | cause | removed |
 * |---|---|
 * | a fault, or a step with its effect | left out, with the step that ends it |
 * | interval | `interval-poll` is 60 s for all devices |
 * | power-on | all devices are switched on at the start |
 * | encoder | the slow data downlink is a shell downlink instead |
 * | other downlinks | only the step of the slow downlink queues downlinks |
 *
 * Drawn scenarios have no firmware updates.
 */
import type { ScenarioDefinition } from '../../../src/index.js';
import { type DrawnScenario, DURATION, type Group, type Piece, type Queueing } from './draw.js';

/** Which parts are left out of a scenario. */
export interface Changes {
  /** Indices of the faults and steps that are left out, among the `removables` of the scenario. */
  readonly without: ReadonlySet<number>;
  readonly interval: boolean;
  readonly powerOn: boolean;
  /** Index of the queueing step whose data downlink is a shell downlink instead; undefined if none is. */
  readonly encoder: number | undefined;
  /** Index of the only queueing step that stays; undefined if all stay. */
  readonly only: number | undefined;
}

export const UNCHANGED: Changes = {
  ...{ without: new Set<number>(), interval: false, powerOn: false, encoder: undefined, only: undefined },
};

/** @param queueing index of a queueing step */
export function isKept(queueing: number, { only }: Changes): boolean {
  return only === undefined || only === queueing;
}

const SHELL: Piece = { commands: ['info show'] };

export function definitionOf(drawn: DrawnScenario, changes: Changes): ScenarioDefinition {
  const { seed, groups, removables, queueing } = drawn;
  const kept = removables.filter((_, index) => !changes.without.has(index));
  const queued = queueing.flatMap((each, index) => (isKept(index, changes) ? [stepWith(each, index, changes)] : []));
  return {
    name: 'explained',
    seed,
    duration: `${DURATION}m`,
    settle: '30m',
    fleet: groups.map((group) => groupWith(group, changes)),
    faults: kept.flatMap(({ faults }) => faults),
    steps: [...queued, ...kept.flatMap(({ steps }) => steps)],
    // The cast is safe because the checks of scenarios accept any value and report its problems.
  } as unknown as ScenarioDefinition;
}

function groupWith({ boot, config, ...group }: Group, { interval, powerOn }: Changes): Piece {
  return {
    ...group,
    ...((interval || Object.keys(config).length > 0) && {
      config: interval ? { ...config, 'interval-poll': 60 } : config,
    }),
    ...(!powerOn && { boot }),
  };
}

function stepWith({ at, to, action }: Queueing, index: number, { encoder }: Changes): Piece {
  return { at: `${at}m`, to, ...(encoder === index && 'downlink' in action ? SHELL : action) };
}
