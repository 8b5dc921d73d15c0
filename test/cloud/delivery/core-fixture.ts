/** Messages and sessions for tests of the delivery core. */
import type { DeviceSession } from '../../../src/cloud/delivery/device-session.js';
import { type DownMessage, encodeUp, parseDown } from '../../../src/protocol/messages/index.js';
import { SERIAL, type TestCloud } from '../../support/cloud.js';

export async function sessionOf(cloud: TestCloud): Promise<DeviceSession> {
  const session = await cloud.core.load(SERIAL);
  if (session === undefined) throw new Error('no session');
  return session;
}

/** Takes and confirms downlinks until none is left; returns the sent messages, in order. */
export async function drain(cloud: TestCloud, session: DeviceSession): Promise<readonly DownMessage[]> {
  const sent: DownMessage[] = [];
  for (;;) {
    const message = await cloud.core.take(session);
    if (message === undefined) return sent;
    sent.push(parseDown(message));
    await cloud.core.confirm(session, 'final-ack');
  }
}

export const createSession = encodeUp({ kind: 'create-session', session: { serial_number: SERIAL } });
