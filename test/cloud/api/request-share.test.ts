import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Callers, type Usage } from '../../../src/cloud/api/request-share.js';

const SHARE = { all: { requests: 4, bytes: 300 }, each: { requests: 3, bytes: 200 } };

/** A body that can be destroyed, and the reader that a framework adds until it has an error or an end. */
class Body extends EventEmitter {
  destroyed = false;

  destroy(): void {
    this.destroyed = true;
  }

  get message(): IncomingMessage {
    return this as unknown as IncomingMessage;
  }

  get counts(): boolean {
    return this.listenerCount('data') > 0;
  }
}

const overloaded = () => new Error('overloaded');

/** Whether nothing is in use: one caller can use its whole share, and two callers all of it. */
function isUnused(callers: Callers): boolean {
  const takes = (caller: string, bytes: number) => {
    const body = new Body();
    const usage = callers.enter(caller);
    usage.charge(body.message, overloaded);
    body.emit('data', Buffer.alloc(bytes));
    return { usage, isAccepted: body.counts };
  };
  const open = [takes('a', 200), takes('b', 100)];
  const further = takes('c', 1);
  for (const { usage } of [...open, further]) usage.end();
  return open.every(({ isAccepted }) => isAccepted) && !further.isAccepted;
}

const step = fc.oneof(
  fc.record({ kind: fc.constant('begin' as const), caller: fc.constantFrom('a', 'b', 'c') }),
  fc.record({ kind: fc.constant('data' as const), of: fc.nat(9), bytes: fc.nat(250) }),
  fc.record({ kind: fc.constantFrom('charge', 'read', 'unread', 'end', 'answer'), of: fc.nat(9) }),
);

it('what requests have taken is given back exactly once, in any order of data, ends and answers', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const callers = new Callers(SHARE);
      const open: { usage: Usage; body: Body; isCharged: boolean }[] = [];
      for (const each of steps) {
        if (each.kind === 'begin') {
          open.push({ usage: callers.enter(each.caller), body: new Body(), isCharged: false });
          continue;
        }
        const request = open[each.of];
        if (request === undefined) continue;
        const { usage, body } = request;
        if (each.kind === 'data') body.emit('data', Buffer.alloc(each.bytes));
        else if (each.kind === 'charge' && !request.isCharged) {
          request.isCharged = true;
          usage.charge(body.message, overloaded);
        } else if (each.kind === 'read') body.once('error', () => usage.end());
        else if (each.kind === 'unread') body.removeAllListeners('error');
        else if (each.kind === 'end' || each.kind === 'answer') usage.end();
      }
      for (const { usage, body } of open) {
        usage.end();
        body.emit('data', Buffer.alloc(1000));
        expect(body.counts).toBe(false);
      }
      expect(isUnused(callers)).toBe(true);
    }),
    { numRuns: 300, seed: 8 },
  );
});

it('a body beyond a limit without a reader ends its connection, and never the process', () => {
  const body = new Body();
  const usage = new Callers(SHARE).enter('a');
  usage.charge(body.message, overloaded);
  body.emit('data', Buffer.alloc(201));
  expect(body.destroyed).toBe(true);
});
