/** The effects of a first and of a second Ctrl-C on the process. */
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { Interrupts } from '../../src/cli/interrupts.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';

/** A process that receives signals and records calls. */
function made() {
  const done: string[] = [];
  const self = Object.assign(new EventEmitter(), {
    stderr: { write: (text: string) => done.push(text) },
    exit: (code: number) => done.push(`exit ${code}`),
    pid: 4711,
    kill: (pid: number, signal: string) => done.push(`kill ${pid} ${signal}`),
  });
  const clock = new VirtualClock({ start: 0 });
  // The cast is safe because nothing else of the process is used.
  const interrupts = new Interrupts(self as unknown as NodeJS.Process, clock);
  return { done, self, clock, interrupts };
}

it.each([
  ['does not keep the process alive', []],
  ['stays with the process if its messages are read, as in the worker of a test runner', ['message']],
])('the channel to the parent %s', (_, read) => {
  const done: string[] = [];
  const channel = { unref: () => done.push('unref') };
  const self = Object.assign(new EventEmitter(), { connected: true, channel });
  for (const name of read) self.on(name, () => {});
  // The cast is safe because nothing else of the process is used.
  new Interrupts(self as unknown as NodeJS.Process, new VirtualClock({ start: 0 }));
  expect(done).toEqual(read.length === 0 ? ['unref'] : []);
});

it('one signal calls every handler', () => {
  const { done, self, interrupts } = made();
  interrupts.listen((signal) => done.push(`one: ${signal}`));
  interrupts.listen((signal) => done.push(`two: ${signal}`));
  self.emit('SIGTERM', 'SIGTERM', 15);
  expect(done).toEqual(['one: SIGTERM', 'two: SIGTERM']);
});

it('a second signal ends the process with exit code 130 and reports what may be left behind', async () => {
  const { done, self, clock, interrupts } = made();
  interrupts.listen(
    () => {},
    () => 'a device may still exist',
  );
  interrupts.listen(() => {});
  self.emit('SIGINT', 'SIGINT', 2);
  await clock.runUntil(1000);
  self.emit('SIGINT', 'SIGINT', 2);
  expect(done).toEqual(['ghostfleet: quit immediately; a device may still exist\n', 'exit 130']);
});

it('a signal that is repeated at once, as npm does, counts once', async () => {
  const { done, self, clock, interrupts } = made();
  interrupts.listen((signal) => done.push(signal));
  self.emit('SIGINT', 'SIGINT', 2);
  await clock.runUntil(50);
  self.emit('SIGINT', 'SIGINT', 2);
  expect(done).toEqual(['SIGINT']);
});

it('a slow shutdown explains how to quit immediately', async () => {
  const { done, self, clock, interrupts } = made();
  interrupts.listen(() => {});
  self.emit('SIGINT', 'SIGINT', 2);
  await clock.runUntil(5000);
  expect(done).toEqual(['ghostfleet: shutting down; press Ctrl-C again to quit immediately\n']);
});

it('without a handler, a signal ends the process and no timer is pending', () => {
  const { done, self, clock, interrupts } = made();
  const forget = interrupts.listen(() => {});
  self.emit('SIGINT', 'SIGINT', 2);
  forget();
  expect(clock.waiting).toBe(0);
  self.emit('SIGINT', 'SIGINT', 2);
  expect(done).toEqual(['ghostfleet: interrupted by SIGINT\n', 'kill 4711 SIGINT']);
});

it('the end of the process that has started this one is like a signal', () => {
  const { done, self, interrupts } = made();
  interrupts.listen((signal) => done.push(signal));
  self.emit('disconnect');
  expect(done).toEqual(['SIGHUP']);
});

// Node.js delivers a signal when the running code has returned: it arrives after a change that happened before.
it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])(
  '%s that is delivered late, while no command listens, is not lost',
  (signal) => {
    const { done, self, interrupts } = made();
    interrupts.release();
    self.emit(signal, signal, 1);
    expect(done).toContain(`kill 4711 ${signal}`);
    expect(self.listenerCount(signal)).toBe(0);
  },
);

it('a signal that is delivered late, when the command listens, ends the command', () => {
  const { done, self, interrupts } = made();
  interrupts.release();
  interrupts.listen((signal) => done.push(signal));
  self.emit('SIGTERM', 'SIGTERM', 15);
  expect(done).toEqual(['SIGTERM']);
});

it('SIGHUP ends a command as SIGTERM does', () => {
  const { done, self, interrupts } = made();
  interrupts.listen((signal) => done.push(signal));
  self.emit('SIGHUP', 'SIGHUP', 1);
  expect(done).toEqual(['SIGHUP']);
});

it('a signal that arrives before the command listens is kept for it', async () => {
  const { done, self, interrupts } = made();
  self.emit('SIGINT', 'SIGINT', 2);
  interrupts.listen((signal) => done.push(signal));
  await Promise.resolve();
  interrupts.release();
  expect(done).toEqual(['SIGINT']);
});

it('a signal before a command that does not listen is sent again when the command has begun', () => {
  const { done, self, interrupts } = made();
  self.emit('SIGINT', 'SIGINT', 2);
  interrupts.release();
  expect(done).toEqual(['ghostfleet: interrupted by SIGINT\n', 'kill 4711 SIGINT']);
  expect(self.listenerCount('SIGINT')).toBe(0);
});
