/** The row of a device that has just been registered. */
import type { DeviceRow } from './store.js';

/** What every device has from its registration on. */
type Given = Pick<DeviceRow, 'id' | 'spaceId' | 'serial' | 'token' | 'createdAt'> & Partial<DeviceRow>;

/** A device that has not been in contact yet, with the given fields. */
export function makeNewDevice(given: Given): DeviceRow {
  return {
    name: '',
    comment: null,
    externalId: null,
    label: {},
    tagIds: [],
    version: 0,
    lastSeen: null,
    sessionId: null,
    session: null,
    configHash: null,
    decoderHash: null,
    encoderHash: null,
    lastContact: null,
    contactEvery: null,
    contactGaps: null,
    ...given,
  };
}
