/** Clients of a stream of events that read slowly or not at all. */
import { EventEmitter, once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { FastifyReply } from 'fastify';
import { describe, expect, it } from 'vitest';
import { EventStream } from '../../../src/cloud/http/event-stream.js';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

/** A connection whose client reads only when the test says so. */
class Connection extends EventEmitter {
  /** The request, without a socket. */
  readonly req = {};
  readonly texts: string[] = [];
  isFull = false;
  writableEnded = false;
  destroyed = false;
  setHeader() {}
  writeHead() {}
  write(text: string) {
    this.texts.push(text);
    return !this.isFull;
  }
  end(text: string) {
    this.texts.push(text);
    this.writableEnded = true;
  }
  destroy() {
    this.destroyed = true;
    this.emit('close');
  }
}

function open() {
  const raw = new Connection();
  const clock = new VirtualClock();
  // The cast is safe because a stream uses only these parts of a reply.
  const reply = { hijack: () => ({ raw }), getHeaders: () => ({}) } as unknown as FastifyReply;
  return { raw, clock, stream: new EventStream(reply, clock) };
}

const SLOW = { event: 'slow', data: {} };

describe('a slow client', () => {
  it('delays its next event: only one is kept in memory', async () => {
    const { raw, clock, stream } = open();
    raw.isFull = true;
    const sent = stream.send({ event: 'message', id: 'a-1', data: { n: 1 } }, SLOW);
    await clock.runUntil(seconds(9));
    expect(raw.texts.at(-1)).toBe('id: a-1\nevent: message\ndata: {"n":1}\n\n');
    raw.emit('drain');
    await sent;
    expect(stream.isOver).toBe(false);
  });

  it('gets a last event after ten seconds; its connection is then closed, even if it does not read that event', async () => {
    const { raw, clock, stream } = open();
    raw.isFull = true;
    const sent = stream.send({ event: 'message', data: {} }, SLOW);
    await clock.runUntil(seconds(10));
    await sent;
    expect([raw.texts.at(-1), stream.isOver, raw.destroyed]).toEqual(['event: slow\ndata: {}\n\n', true, false]);
    await clock.runUntil(seconds(15));
    expect(raw.destroyed).toBe(true);
  });

  it('that never reads from its socket needs a limited amount of memory, and loses its connection', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // The cast is safe because a server that listens on a port has such an address.
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    const [, raw]: [unknown, ServerResponse] = (await once(server, 'request')) as [unknown, ServerResponse];
    const clock = new VirtualClock();
    // The cast is safe because a stream uses only these parts of a reply.
    const stream = new EventStream(
      { hijack: () => ({ raw }), getHeaders: () => ({}) } as unknown as FastifyReply,
      clock,
    );
    const data = 'x'.repeat(100_000);
    let sent = Promise.resolve();
    // Both ends are in this process, so that turns of its event loop are enough, on a machine of any speed.
    const isTaken = async () => {
      let isOver = false;
      void sent.then(() => {
        isOver = true;
      });
      for (let turn = 0; turn < 100 && !isOver; turn++) await new Promise((resolve) => setImmediate(resolve));
      return isOver;
    };
    for (let n = 0; n < 1000; n++) {
      sent = stream.send({ event: 'message', data }, SLOW);
      if (!(await isTaken())) break;
    }
    expect([await isTaken(), raw.writableLength < 300_000]).toEqual([false, true]);
    await clock.runUntil(clock.now + seconds(10));
    await sent;
    expect([stream.isOver, raw.destroyed]).toEqual([true, false]);
    await clock.runUntil(clock.now + seconds(5));
    expect(raw.destroyed).toBe(true);
    socket.destroy();
    server.close();
  });
});
