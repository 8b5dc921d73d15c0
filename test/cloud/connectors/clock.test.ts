/** Connectors when the calendar of the machine is corrected. */
import { afterEach, describe, expect, it } from 'vitest';
import { openStore } from '../../../src/cloud/open-store.js';
import type { UnixMillis } from '../../../src/kernel/time.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { databaseFiles } from '../store/database-files.js';
import { always, closeAll, opened } from './opened-lab.js';

afterEach(closeAll);

const files = databaseFiles();

/** A clock whose calendar can be set. */
class SetClock extends VirtualClock {
  shift = 0;
  override get wall(): UnixMillis {
    return super.wall + this.shift;
  }
}

describe('a connector', () => {
  it.each([
    ['memory', '3 s', seconds(3)],
    ['memory', '10 min', minutes(10)],
    ['SQLite', '2 h', hours(2)],
  ])('forwards every message (%s) after the clock was set back by %s, to before its creation', async (kind, _, by) => {
    const clock = new SetClock();
    const store = await openStore(kind === 'memory' ? 'memory' : files.newPath());
    const { connector, device, uplink, pass, deliveries, hook } = await opened({ clock, store });
    const forward = await connector();
    clock.shift = -by;
    const session = await device();
    for (const n of [1, 2, 3]) await uplink(session, { n });
    await pass(seconds(1));
    expect(hook.received.map(({ json }) => json.message.body.n).sort()).toEqual([1, 2, 3]);
    for (const { state } of await deliveries(forward)) expect(state).toBe('delivered');
  });
});

describe('a delivery that waits for a retry', () => {
  it('is attempted after its delay, although the clock was set back by two hours in between', async () => {
    const clock = new SetClock();
    const at: number[] = [];
    const { connector, device, uplink, pass } = await opened({
      clock,
      answer: (_, response) => {
        at.push(clock.now);
        response.writeHead(503).end();
      },
    });
    await connector({ retryDelays: [10, 30, 60] });
    await uplink(await device());
    await pass(seconds(5));
    clock.shift = -hours(2);
    await pass(minutes(5));
    expect(at.map((time) => Math.round(time / 1000))).toEqual([0, 10, 40, 100]);
  });

  it('is attempted after its delay, although the clock was set back by two hours during a restart', async () => {
    const clock = new SetClock();
    const { connector, device, uplink, pass, hook, connectors, open } = await opened({ clock, answer: always(503) });
    await connector({ retryDelays: [10, 30, 60] });
    await uplink(await device());
    await pass(seconds(5));
    await connectors.close();
    clock.shift = -hours(2);
    const again = open();
    again.wake();
    await pass(minutes(5));
    await again.close();
    expect(hook.received.map(({ json }) => json.attempt)).toEqual([0, 1, 2, 3]);
  });
});
