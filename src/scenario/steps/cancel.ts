import { oneOf } from '../../input/checks.js';
import { TRACKED_TYPES } from '../../trace/downlinks/ledger.js';
import { cloudIdOf, noEffect, type StepKind, stays } from './step.js';

/** Downlinks of other types are answers of the cloud; users cannot cancel them. */
const CANCELLABLE: ReadonlySet<string> = new Set(TRACKED_TYPES);

/** Cancels pending downlinks of the device: the oldest one, or all of them. */
export const cancel: StepKind<'oldest' | 'all'> = {
  about: 'cancels pending downlinks of the device: the oldest, or all; fails if none is pending',
  example: 'cancel: oldest',
  check: oneOf(['oldest', 'all']),
  describe: (which) => which,
  actsOn: 'cloud',
  effect: noEffect,
  beforeStart: stays,
  run: async (world, device, which) => {
    const waiting: string[] = [];
    for await (const { id, type, down_state } of world.api.allMessages({
      device_id: cloudIdOf(device),
      direction: 'down',
    })) {
      if (down_state === 'pending' && CANCELLABLE.has(type)) waiting.push(id);
    }
    // The API lists the newest message first.
    const oldest = waiting.at(-1);
    if (oldest === undefined) throw new Error('the device has no pending downlink');
    for (const id of which === 'all' ? waiting.reverse() : [oldest]) await world.api.cancelMessage(id);
  },
};
