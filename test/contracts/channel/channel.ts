/** The contract of a channel between a run and one of its parts, for every implementation. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel } from '../../../src/runner/divided/channel.js';

interface Ends {
  readonly run: Channel<unknown, unknown>;
  readonly part: Channel<unknown, unknown>;
}

/** @param open opens both ends of a new connection */
export function channelContract(open: () => Promise<Ends>): void {
  let ends: Ends | undefined;
  const opened = async () => {
    ends = await open();
    return ends;
  };

  afterEach(async () => {
    await Promise.all([ends?.run.close(), ends?.part.close()]);
    ends = undefined;
  });

  describe('a channel', () => {
    it('passes messages on in both directions, once and in order', async () => {
      const { run, part } = await opened();
      const numbers = Array.from({ length: 40 }, (_, i) => i);
      for (const number of numbers) part.send({ number });
      run.send('start');
      expect(await part.next()).toBe('start');
      for (const number of numbers) expect(await run.next()).toEqual({ number });
    });

    it('passes plain data on unchanged', async () => {
      const { run, part } = await opened();
      const message = { map: new Map([['a', 1]]), nothing: undefined, none: null, endless: Number.POSITIVE_INFINITY };
      run.send(message);
      expect(await part.next()).toEqual(message);
    });

    it('passes on a message that was sent before the sending end was closed', async () => {
      const { run, part } = await opened();
      part.send('last');
      await part.close();
      expect(await run.next()).toBe('last');
    });

    it('rejects a call that waits for a message when its own end is closed', async () => {
      const { run } = await opened();
      const waiting = expect(run.next()).rejects.toThrow('the connection is closed');
      await run.close();
      await waiting;
    });

    it('has a clock that is the same for both ends', async () => {
      const { run, part } = await opened();
      const [first, between, last] = [await run.sharedNow(), await part.sharedNow(), await run.sharedNow()];
      expect(between).toBeGreaterThanOrEqual(first);
      expect(last).toBeGreaterThanOrEqual(between);
    });
  });
}
