/** A running device: registered in a cloud on the same clock, switched on, with a network that can be cut. */
import type { Millis } from '../../src/kernel/time.js';
import { testCloud } from './cloud.js';
import { type TestDeviceOptions, testDevice } from './device.js';

/** The parts of data messages that tests read. */
export interface ReportBody {
  readonly message: { readonly sequence: number; readonly timestamp: number };
  readonly system: { readonly uptime: number; readonly voltage_rest: number | null };
  readonly [section: string]: unknown;
}

export async function liveDevice(options: Partial<TestDeviceOptions> = {}) {
  const cloud = await testCloud();
  await cloud.addDevice();
  const { clock } = cloud;
  const network = { up: true };
  const live = testDevice({
    clock,
    events: cloud.events,
    network: (datagram, answer) => {
      if (!network.up) return;
      clock.after(1, 'datagram', () =>
        cloud.gateway.receive(datagram, 'base64', (reply) => {
          if (network.up) answer(reply);
        }),
      );
    },
    ...options,
  });
  live.device.powerOn();
  return {
    ...live,
    cloud,
    /** If `up` is false, datagrams are lost, and the modem stays attached. */
    network,
    run: (time: Millis) => clock.runUntil(clock.now + time),
    /** The bodies of the stored reports, oldest first. */
    async reports(): Promise<readonly ReportBody[]> {
      const messages = await cloud.messages(await cloud.device());
      // The cast is safe because each test knows the reports of its device type.
      return messages.filter(({ type }) => type === 'data').map(({ body }) => body as unknown as ReportBody);
    },
    /** The times at which the device made reports. */
    reportTimes: () => live.of('uplink.made').flatMap(({ type, at }) => (type === 'data' ? [at] : [])),
  };
}
