import { expect, it } from 'vitest';
import {
  asError,
  GhostfleetError,
  InterruptedError,
  messageOf,
  StuckError,
  UsageError,
} from '../../src/kernel/errors.js';

it.each([
  { error: new UsageError('port-in-use', 'port 5003 is in use', 'try --udp-port 0'), code: 'port-in-use', exit: 2 },
  { error: new StuckError('all tasks wait', 'store commit (1)'), code: 'stuck', exit: 4 },
  { error: new InterruptedError('SIGINT'), code: 'interrupted', exit: 130 },
])('$error.name has the code "$code" and the exit status $exit', ({ error, code, exit }) => {
  expect(error).toBeInstanceOf(GhostfleetError);
  expect(error).toMatchObject({ code, exit });
});

it('an error has the given hint', () => {
  expect(new UsageError('x', 'y', 'try --udp-port 0').hint).toBe('try --udp-port 0');
  expect(new UsageError('x', 'y').hint).toBeUndefined();
});

it.each([
  [new Error('broken'), 'broken'],
  [{ code: 'SQLITE_ERROR', message: 'from a thread' }, 'from a thread'],
  [{ code: 'SQLITE_ERROR' }, '{"code":"SQLITE_ERROR"}'],
  [Object.create(null), '{}'],
  [{ big: 1n }, 'an object that cannot be shown'],
  ['a text', 'a text'],
  [undefined, 'undefined'],
])('whatever was thrown has a message: %o', (thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
  expect(asError(thrown).message).toBe(message);
});
