/** Repeats commits whose messages would have been forwarded by rules that have changed. */
import type { Forwarding } from '../interfaces/forwarding.js';
import { ConflictError, type Store } from '../store/store.js';
import { type DeviceSession, replaceDevice } from './device-session.js';

/** Maximum number of attempts. An attempt fails only if the rules have changed since the last one. */
const PATIENCE = 100;

/**
 * Runs `work`, which decides how a message of the device is forwarded, and commits it. If the device, its tags or the connectors
 * of its space have changed meanwhile, reads them again, and runs `work` again.
 */
export async function byCurrentRules<T>(
  { store, forwarding }: { readonly store: Store; readonly forwarding?: Forwarding | undefined },
  session: DeviceSession,
  work: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      const isOutdated = error instanceof ConflictError && error.field === 'rules';
      if (!isOutdated || attempt === PATIENCE) throw error;
      const { id, spaceId, serial } = session.device;
      await forwarding?.reconsider(spaceId);
      const device = await store.deviceBySerial(serial);
      if (device?.id === id) replaceDevice(session, device);
    }
  }
}
