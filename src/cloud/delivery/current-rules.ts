/** Repeats commits whose messages would have been forwarded by rules that have changed. */
import type { Forwarding } from '../interfaces/forwarding.js';
import { retryConflicts } from '../store/records.js';
import type { Store } from '../store/store.js';
import { type DeviceSession, replaceDevice } from './device-session.js';

/** Runs `work`, which decides about forwarding and commits; again if the device, its tags or connectors have changed. */
export function applyCurrentRules<T>(
  { store, forwarding }: { readonly store: Store; readonly forwarding?: Forwarding | undefined },
  session: DeviceSession,
  work: () => Promise<T>,
): Promise<T> {
  return retryConflicts('rules', work, async () => {
    const { id, spaceId, serial } = session.device;
    await forwarding?.reconsider(spaceId);
    const device = await store.deviceBySerial(serial);
    if (device?.id === id) replaceDevice(session, device);
    return true;
  });
}
