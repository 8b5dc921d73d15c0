/** What a device says that it does at a moment, for a user who watches it. */
import { describe, expect, it } from 'vitest';
import { hours, type Millis, minutes, seconds } from '../../src/kernel/time.js';
import { SERIAL } from '../support/cloud.js';
import { testDevice } from '../support/device.js';
import { liveDevice } from '../support/live-device.js';

type Live = Awaited<ReturnType<typeof liveDevice>>;

/** A device whose datagrams take 300 ms each way, so that a test sees the states between them. */
async function slowDevice(config: readonly string[] = []): Promise<Live> {
  const live: Live = await liveDevice({
    config,
    network: (datagram, answer) => {
      const { clock, cloud } = live;
      const receive = () =>
        cloud.gateway.receive(datagram, 'base64', (reply) => clock.after(300, 'answer', () => answer(reply)));
      clock.after(300, 'datagram', receive);
    },
  });
  return live;
}

/** All texts in turn, each once, while the device runs in small steps. */
async function textsOf({ device, run }: Live, length: Millis): Promise<readonly string[]> {
  const texts: string[] = [];
  for (let passed = 0; passed < length; passed += 100) {
    const { text } = device.doing;
    if (text !== texts.at(-1)) texts.push(text);
    await run(100);
  }
  return texts;
}

describe('what a device does', () => {
  it('is seen through its start, its session and its first report until it sleeps', async () => {
    const live = await slowDevice();
    const texts = await textsOf(live, minutes(3));
    const order = [
      'starting its sensors',
      'starting its modem',
      'sending its session',
      'waiting for the answer to its session',
      'sending its report',
    ];
    const places = order.map((text) => texts.findIndex((each) => each.startsWith(text.slice(0, -1))));
    expect(places.every((place, n) => place > (places[n - 1] ?? -1))).toBe(true);
    expect(texts).toContainEqual(expect.stringMatching(/^sending fragment 3 of \d+ of its session$/));
    expect(texts).toContainEqual(expect.stringMatching(/^searching for the network: attempt 1, 4m( \d\ds)? left$/));
    expect(live.device.doing).toEqual({ kind: 'asleep', text: 'asleep' });
  });

  it('names its fragment, and the fragments of a downlink that it receives', async () => {
    const live = await slowDevice(['app config interval-report 86400']);
    await live.run(minutes(5));
    const commands = Array.from({ length: 40 }, (_, n) => `info show ${n} and a longer line`);
    await live.cloud.core.queue(await live.cloud.device(), { type: 'shell', commands });
    live.device.shell('cloud poll');
    const texts = await textsOf(live, minutes(1));
    expect(texts).toContain('sending its poll for a downlink');
    expect(texts).toContainEqual(expect.stringMatching(/^receiving a downlink: 2 fragments so far$/));
    expect(texts).toContainEqual(expect.stringMatching(/fragment 2 of \d+ of its answer$/));
  });

  it('is trouble without a network, in a pause of the attach policy, and in the reset loop of its modem', async () => {
    const { device, run } = await liveDevice({ config: ['lte config attach-policy periodic-2h'] });
    device.radio(false);
    await run(minutes(2));
    expect(device.doing).toMatchObject({ kind: 'trouble', text: expect.stringMatching(/^searching .*: attempt 1, /) });
    await run(hours(1));
    expect(device.doing.text).toMatch(/^pausing for \d+m( \d\ds)? before it searches for the network again$/);
    device.controls.modem('reset-loop');
    await run(seconds(1));
    expect(device.doing).toMatchObject({ kind: 'trouble', text: expect.stringMatching(/off for another 3\dm/) });
  });

  it('is known while no firmware runs, and for a device that does not use LTE', async () => {
    const { device, clock } = testDevice({ serial: SERIAL, config: ['app config mode none'], network: () => {} });
    expect(device.doing).toEqual({ kind: 'off', text: 'switched off' });
    device.powerOn();
    await clock.runUntil(minutes(2));
    expect(device.doing).toEqual({ kind: 'asleep', text: 'measuring, without its modem' });
  });
});
