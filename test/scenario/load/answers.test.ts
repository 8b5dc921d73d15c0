/** Which 2xx answers are usable, for every kind of call. */
import { describe, expect, it } from 'vitest';
import { CALL_NAMES, type CallName, findUselessReason } from '../../../src/scenario/load/calls.js';

const message = (more: object = {}) => ({
  id: 'm1',
  type: 'data',
  device_id: 'd1',
  body: { temperature: 21 },
  ...more,
});

/** A usable answer of each kind, and what it is. */
const USABLE: Readonly<Record<CallName, readonly [answer: unknown, what: string]>> = {
  'latest-value': [[message()], 'a list of data messages of the device'],
  'list-messages': [[message(), message({ id: 'm2', type: 'stats', device_id: 'd2' })], 'a list of messages'],
  'list-devices': [[{ id: 'd1' }, { id: 'd2' }], 'a list of devices'],
  'read-device': [{ id: 'd1', name: 'cellar' }, 'the device'],
  'count-devices': [{ count: 0 }, 'a count'],
  config: [message({ type: 'config' }), 'a message'],
  commands: [message({ type: 'shell' }), 'a message'],
  downlink: [message(), 'a message'],
};

const why = (kind: CallName, body: string) => findUselessReason({ kind }, body, 'd1');

describe.each(CALL_NAMES)('the answer of a call %s', (kind) => {
  const [answer, what] = USABLE[kind];
  const text = JSON.stringify(answer);

  it('is usable if it contains what the call promises', () => {
    expect(why(kind, text)).toBe('');
  });

  it.each([
    ['empty', '', 'the answer is empty'],
    ['only white space', ' \r\n', 'the answer is empty'],
    ['a page of a proxy', '<!doctype html><title>Sign in</title>', 'the answer is HTML instead of JSON'],
    ['cut JSON', text.slice(0, -1), 'the answer is not JSON'],
    ['a text', 'ok', 'the answer is not JSON'],
    ['null', 'null', `the answer is not ${what}`],
    ['an error object', '{"error":{"code":"busy"}}', `the answer is not ${what}`],
    ['the wrong type', '"d1"', `the answer is not ${what}`],
    ['a list of other things', '[1,2]', `the answer is not ${what}`],
    ['a page inside an object', '{"items":[],"total":0}', `the answer is not ${what}`],
  ])('is useless if it is %s', (_, body, reason) => {
    expect(why(kind, body)).toBe(reason);
  });
});

describe('an answer that belongs to another request', () => {
  it.each<[CallName, unknown]>([
    ['read-device', { id: 'd2', name: 'attic' }],
    ['latest-value', [message({ device_id: 'd2' })]],
    ['latest-value', [message({ type: 'stats' })]],
  ])('of a call %s is useless: %j', (kind, answer) => {
    expect(why(kind, JSON.stringify(answer))).toMatch(/^the answer is not /);
  });
});

it('the newest value of a device without messages is an empty list', () => {
  expect(why('latest-value', '[]')).toBe('');
});
