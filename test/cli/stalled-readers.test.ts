/** The end of a process whose output is not read. */
import { expect, it } from 'vitest';
import { type Ending, leaveStalledReaders } from '../../src/cli/stalled-readers.js';

/** A pipe with unread output. `read`: the reader reads everything. `stall`: it stalls until the process loses its patience. */
function pipe(unread: number) {
  const written: string[] = [];
  let read = () => {};
  let stall = () => {};
  const stream = {
    writableLength: unread,
    isTTY: false,
    patience: undefined as number | undefined,
    write: (text: string, done?: () => void) => {
      if (done) read = done;
      else written.push(text);
    },
    setTimeout: (time: number, then: () => void) => {
      stream.patience = time;
      stall = then;
    },
  };
  return { stream, written, read: () => read(), stall: () => stall() };
}

function made(unreadOut: number, unreadErr: number, { wasInterrupted = false, isTerminal = false } = {}) {
  const [out, err] = [pipe(unreadOut), pipe(unreadErr)];
  err.stream.isTTY = isTerminal;
  const self = { stdout: out.stream, stderr: err.stream, exitCode: 0, exits: 0, exit: () => void self.exits++ };
  // The cast is safe because nothing else of the streams is used.
  leaveStalledReaders(self as unknown as Ending, wasInterrupted);
  return { out, err, self };
}

it('a process whose output was read ends by itself', () => {
  const { out, err, self } = made(0, 0);
  expect([out.stream.patience, err.stream.patience, self.exits]).toEqual([undefined, undefined, 0]);
});

it('a process ends by itself when a slow reader has read everything', () => {
  const { out, err, self } = made(10, 10);
  out.read();
  err.read();
  expect([self.exits, self.exitCode]).toEqual([0, 0]);
});

it('a process whose messages are not read for 5 s exits with its own exit code', () => {
  const { err, self } = made(0, 10);
  expect(err.stream.patience).toBe(5_000);
  err.stall();
  expect([self.exits, self.exitCode]).toEqual([1, 0]);
});

it('a process whose messages are not read still waits for the reader of its results', () => {
  const { out, err, self } = made(10, 10);
  err.stall();
  expect(self.exits).toBe(0);
  out.read();
  expect([self.exits, self.exitCode]).toEqual([1, 0]);
});

it('a process whose results are not read for 5 minutes says so, and its exit code is not 0', () => {
  const { out, err, self } = made(10, 0);
  expect(out.stream.patience).toBe(300_000);
  out.stall();
  expect(err.written).toEqual(['ghostfleet: the output is incomplete: its reader has stalled\n']);
  expect([self.exits, self.exitCode]).toEqual([1, 2]);
});

it('an interrupted process waits 5 s for the reader of its results', () => {
  const { out } = made(10, 0, { wasInterrupted: true, isTerminal: true });
  expect(out.stream.patience).toBe(5_000);
});

it('results that a user at a terminal pages through wait without a limit', () => {
  const { out, self } = made(10, 0, { isTerminal: true });
  expect([out.stream.patience, self.exits]).toEqual([undefined, 0]);
});
