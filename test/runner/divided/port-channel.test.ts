/** The channel between a run and a thread that executes one of its parts. */
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PortChannel } from '../../../src/runner/divided/threads/port-channel.js';
import { channelContract } from '../../contracts/channel/channel.js';

channelContract(() => {
  const { port1, port2 } = new MessageChannel();
  const run = new PortChannel(port1, () => {});
  return Promise.resolve({ run, part: new PortChannel(port2, () => port2.close()) });
});

describe('a thread', () => {
  const ends = () => {
    const { port1, port2 } = new MessageChannel();
    onTestFinished(() => port1.close());
    return {
      run: new PortChannel<never, string>(port1, () => {}),
      part: new PortChannel<string, never>(port2, () => {}),
    };
  };

  it('counts as lost when its signs of life are missing; messages that it sent before are still received', async () => {
    const { run, part } = ends();
    part.send('last');
    run.expectBeats({ every: 5, most: 4 });
    expect(await run.next()).toBe('last');
    await expect(run.next()).rejects.toThrow('its thread has not answered for 0.02 s');
  });

  it('does not count as lost while it sends only signs of life', async () => {
    const { run, part } = ends();
    part.beat(5);
    run.expectBeats({ every: 50, most: 2 });
    const next = run.next();
    setTimeout(() => part.send('at last'), 300);
    expect(await next).toBe('at last');
    await part.close();
  });
});
