/** The rules by which messages are forwarded: they may change while a commit is prepared. */
import type { Forwarding } from '../interfaces/forwarding.js';
import type { Store } from '../store/store.js';
import { type DeviceSession, replaceDevice } from './device-session.js';

/** After a commit that was decided by rules which have changed: reads the device, its tags and the connectors again. */
export function currentRules(
  { store, forwarding }: { readonly store: Store; readonly forwarding?: Forwarding | undefined },
  session: DeviceSession,
) {
  return async (): Promise<void> => {
    const { id, spaceId, serial } = session.device;
    await forwarding?.reconsider(spaceId);
    const device = await store.deviceBySerial(serial);
    if (device?.id === id) replaceDevice(session, device);
  };
}
