/** A device that sends uplinks, for tests of the delivery core. */
import type { JsonObject } from '../../../src/protocol/decode.js';
import { encodeUp, type UpMessage } from '../../../src/protocol/messages/index.js';
import { SERIAL, testCloud } from '../../support/cloud.js';

/** The hash of data without a codec. */
export const NO_HASH = '0000000000000000';
export const data = (...bytes: readonly number[]): UpMessage => ({
  ...{ kind: 'upload-data', hash: NO_HASH, body: Uint8Array.from(bytes) },
});

/** A cloud with one device and its session. */
export async function connected(options: Parameters<typeof testCloud>[0] = {}) {
  const cloud = await testCloud(options);
  const device = await cloud.addDevice();
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('no session');
  const accept = (message: UpMessage) => cloud.core.accept(session, encodeUp(message));
  const acceptJson = (body: JsonObject) => cloud.core.accept(session, { kind: 'decoded-data', body });
  const stored = () => cloud.messages(device);
  const copies = () => cloud.events.flatMap((event) => (event.kind === 'cloud.stored' ? [event.copy] : []));
  return { ...cloud, device, session, accept, acceptJson, stored, copies };
}
