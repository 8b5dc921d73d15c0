import { oneOf } from '../../input/checks.js';
import { USER_TYPES } from '../../trace/downlinks/ledger.js';
import { cloudIdOf, type StepKind } from './step.js';

/** What the cloud queues by itself answers the device, and is not for users to take back. */
const OF_USERS: ReadonlySet<string> = new Set(USER_TYPES);

/** Takes downlinks back that wait for the device: the one that was queued first, or all of them. */
export const cancel: StepKind<'oldest' | 'all'> = {
  about: 'takes downlinks back that wait for the device: the oldest, or all; fails when one goes out at that moment',
  example: 'cancel: oldest',
  check: oneOf(['oldest', 'all']),
  describe: (which) => which,
  run: async (world, device, which) => {
    const waiting: string[] = [];
    for await (const { id, type, down_state } of world.api.allMessages({
      device_id: cloudIdOf(device),
      direction: 'down',
    })) {
      if (down_state === 'pending' && OF_USERS.has(type)) waiting.push(id);
    }
    // The newest comes first.
    const oldest = waiting.at(-1);
    if (oldest === undefined) throw new Error('no downlink waits for it');
    for (const id of which === 'all' ? waiting.reverse() : [oldest]) await world.api.cancelMessage(id);
  },
};
