/** A device that has its session, for tests of its controls. */
import { minutes } from '../../src/kernel/time.js';
import { testCloud } from '../support/cloud.js';
import { type TestDeviceOptions, testDevice } from '../support/device.js';

/** A registered device, 3 minutes after it was switched on, with its cloud. */
export async function readyDevice(options: Partial<TestDeviceOptions> = {}) {
  const cloud = await testCloud();
  await cloud.addDevice();
  const live = testDevice({
    clock: cloud.clock,
    events: cloud.events,
    network: (datagram, answer) => {
      cloud.clock.after(1, 'datagram', () => cloud.gateway.receive(datagram, 'base64', (reply) => answer(reply)));
    },
    ...options,
  });
  live.device.powerOn();
  await live.clock.runUntil(minutes(3));
  return {
    ...live,
    cloud,
    /** Bodies of the reports so far. */
    bodies: async () => {
      const messages = await cloud.messages(await cloud.device());
      // The cast is safe because each test knows the content of the bodies.
      return messages.filter(({ type }) => type === 'data').map(({ body }) => body as Body);
    },
  };
}

// biome-ignore lint/suspicious/noExplicitAny: bodies are nested, and differ between device types.
export type Body = any;

/** Configures a report every 30 minutes: it has several windows of five minutes. */
export const EVERY = ['app config interval-report 1800'];
