import { expect, it } from 'vitest';
import { AckWitness } from '../../../src/runner/targets/ack-witness.js';
import type { TraceEvent } from '../../../src/trace/events.js';

function setUp() {
  const witness = new AckWitness();
  const events: TraceEvent[] = [];
  const trace = witness.listening({ emit: (event) => events.push(event) });
  const store = (serial: number) =>
    trace.emit({ kind: 'cloud.stored', at: 0, serial, type: 'data', message: 'm', copy: false });
  return { witness, events, trace, store };
}

it('an acknowledgement belongs to the message of its device that was stored before it', () => {
  const { witness, events, store } = setUp();
  for (const serial of [1, 2, 1]) {
    store(serial);
    witness.acknowledged(serial);
  }
  expect([1, 2, 3].map((serial) => witness.unstored(serial))).toEqual([0, 0, 0]);
  expect(events).toHaveLength(3);
});

it('an acknowledgement without a stored message is counted for its device', () => {
  const { witness, store } = setUp();
  store(1);
  for (const serial of [1, 1, 2, 1]) witness.acknowledged(serial);
  expect([1, 2, 3].map((serial) => witness.unstored(serial))).toEqual([2, 1, 0]);
});

it('a message that was stored before the service was killed does not excuse a later acknowledgement', () => {
  const { witness, trace, store } = setUp();
  store(1);
  trace.emit({ kind: 'service.process', at: 0, runs: false });
  witness.acknowledged(1);
  expect(witness.unstored(1)).toBe(1);
});
