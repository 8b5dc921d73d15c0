/** Errors that the system reports during a run. */
import { expect, it } from 'vitest';
import type { SystemError } from '../../../src/report/result.js';
import { describeError, findErrorSpoiling, SystemErrors } from '../../../src/runner/world/system-errors.js';

const failure = (code: string) => Object.assign(new Error(code), { code });

function counted(...failures: readonly (readonly [what: SystemError['what'], code: string])[]) {
  const errors = new SystemErrors();
  for (const [what, code] of failures) errors.add(what, failure(code));
  return errors.all;
}

it('a datagram that this machine could not send makes the run invalid, and the reason says what to do', () => {
  expect(findErrorSpoiling(counted(['datagram', 'EMFILE'], ['datagram', 'EMFILE'], ['request', 'EAI_AGAIN']))).toBe(
    'this machine could not send 2 datagrams: EMFILE, too many open files of this process; raise the limit, for example with "ulimit -n 65536"; ' +
      'this machine could not send 1 request: EAI_AGAIN, the host name cannot be resolved at the moment',
  );
});

it.each(['EPERM', 'ENETUNREACH', 'ENOBUFS', 'EADDRNOTAVAIL', 'EAI_FAIL'])('%s is an error of this machine', (code) => {
  expect(findErrorSpoiling(counted(['datagram', code]))).toContain(code);
});

it('a connection that the other side refuses is named, and leaves the run valid', () => {
  const errors = counted(['request', 'ECONNREFUSED']);
  expect(findErrorSpoiling(errors)).toBeNull();
  expect(errors.map(describeError)).toEqual(['1 request of the run got no answer: ECONNREFUSED, connection refused']);
});

it('answers that exceed a limit of ghostfleet make the run invalid: the target did nothing wrong', () => {
  expect(findErrorSpoiling(counted(['answer', 'too large'], ['answer', 'too large']))).toBe(
    'ghostfleet gave up 2 answers, because of a limit of its own: too large',
  );
});

it('a look-up that fails loses nothing, so the run stays valid', () => {
  expect(findErrorSpoiling(counted(['name', 'EAI_AGAIN']))).toBeNull();
});

it('a failure to connect to several addresses is of this machine only if it could reach none of them', () => {
  const together = (...codes: readonly string[]) => {
    const errors = new SystemErrors();
    errors.add('request', Object.assign(new AggregateError(codes.map(failure)), { code: codes[0] }));
    return errors.all.map(({ own, code }) => [own, code]);
  };
  expect(together('ENETUNREACH', 'ECONNREFUSED')).toEqual([[false, 'ECONNREFUSED']]);
  expect(together('ENETUNREACH', 'EADDRNOTAVAIL')).toEqual([[true, 'ENETUNREACH']]);
});
