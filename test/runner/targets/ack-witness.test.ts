import { expect, it } from 'vitest';
import { AckWitness } from '../../../src/runner/targets/ack-witness.js';
import type { TraceEvent } from '../../../src/trace/events.js';

function setUp() {
  const events: TraceEvent[] = [];
  const witness = new AckWitness({ now: 7 }, { emit: (event) => events.push(event) });
  const store = (serial: number) =>
    witness.emit({ kind: 'cloud.stored', at: 0, serial, type: 'data', message: 'm', copy: false });
  const unstored = () => events.filter(({ kind }) => kind === 'cloud.unstored');
  return { witness, events, unstored, store };
}

it('an acknowledgement after a stored message of its device causes no event `cloud.unstored`', () => {
  const { witness, events, unstored, store } = setUp();
  for (const serial of [1, 2, 1]) {
    store(serial);
    witness.acknowledged(serial);
  }
  expect([events.length, unstored()]).toEqual([3, []]);
});

it('an acknowledgement without a stored message causes an event `cloud.unstored` of its device', () => {
  const { witness, unstored, store } = setUp();
  store(1);
  for (const serial of [1, 1, 2, 1]) witness.acknowledged(serial);
  expect(unstored()).toEqual([1, 2, 1].map((serial) => ({ kind: 'cloud.unstored', at: 7, serial })));
});

it('a message that was stored before the service was killed does not count for a later acknowledgement', () => {
  const { witness, unstored, store } = setUp();
  store(1);
  witness.emit({ kind: 'service.process', at: 0, runs: false });
  witness.acknowledged(1);
  expect(unstored()).toHaveLength(1);
});
