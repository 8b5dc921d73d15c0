/** What a failed check has found, as reports show it. */
import { expect, it } from 'vitest';
import { describeFound, secretsOf } from '../../../src/scenario/load/found-value.js';

it.each([
  [['x'], '"x"'],
  [[5], '5'],
  [[null], 'null'],
  [[], 'missing'],
  [[[]], '[]'],
  [[{}], '{}'],
  [[{ a: [1, 'b'], c: {} }], '{"a":[1,"b"],"c":{}}'],
  [['a', 'b', 'c', 'd', 'e'], '"a", "b", "c" and 2 more'],
  [['{"a":1}'], '{"a":1}'],
  [['line 1\nline 2'], '"line 1\\nline 2"'],
])('the values %j are %s', (values, text) => {
  expect(describeFound('$.a', values, [])).toBe(text);
});

it.each([[['x'.repeat(5000)]], [[Array.from({ length: 1_000_000 }, () => 7)]], [[{ a: { b: ['y'.repeat(90)] } }]]])(
  'a long value is cut',
  (values) => {
    const text = describeFound('$.a', values, []);
    expect([text.length, text.at(-1)]).toEqual([81, '…']);
  },
);

it('a number that is a secret is hidden', () => {
  expect(describeFound('$.a', [4711, { b: 471 }], ['4711'])).toBe('(hidden), {"b":471}');
});

it.each([
  ['$.token', 'sesame'],
  ['$.user["api-key"]', 'sesame'],
  ['header set-cookie', 'id=sesame'],
  ['$.a', { name: 'x', credentials: { user: 'sesame' } }],
  ['body', '{"password":"sesame"}'],
  ['body', 'your secret is sesame'],
  ['$.a', 'Bearer sesame'],
  ['header location', 'https://me:sesame@example.com/?code=sesame'],
  ['$.echo', 'got my-sesame-key, thanks'],
  ['$.five', { 'my-sesame-key': 1 }],
  ['body', '{"a":[{"is my-sesame-key":{}}]}'],
  ['$.a', { 'my-sesame-key-token': 1 }],
  ['$.ble_passkey', 'sesame'],
  ['$.wifi.psk', 'sesame'],
  ['$.private_key', 'sesame'],
  ['$.a', { pin: 'sesame', otp: 'sesame' }],
  ['body', `{"pin":"sesame","more":"${'x'.repeat(5000)}"}`],
  ['body', `{"\\u0070assword":"sesame","more":"${'x'.repeat(5000)}"}`],
  ['$.echo', '[{"pin":"sesame"'],
])('%s with a secret in %j does not show it', (of, value) => {
  expect(describeFound(of, [value], ['', 'my-sesame-key'])).not.toContain('sesame');
});

it.each([
  ['/cb?token=sesame&a=b', ['sesame']],
  ['/cb?a=/x&token=ses?ame', ['ses?ame']],
  ['/cb?next=/a?token=sesame', ['sesame']],
  ['/cb?next=%2Fa%3Fb%3D%252Fc%253Ftoken%253Dsesame', ['sesame']],
  ['/cb?token=/a?pin=sesame', ['/a?pin=sesame', 'sesame']],
  ['/cb?a=b', []],
  [`/cb${'?a='.repeat(100_000)}`, []],
])('the secrets in the query of %j are %j', (path, secrets) => {
  expect(secretsOf({ path })).toEqual(secrets);
});
