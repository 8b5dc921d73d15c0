/** The cookie of an answer that a check or a capture names. */
import { expect, it } from 'vitest';
import { AnswerReader, prepareSource } from '../../../src/scenario/load/answer.js';

it.each([
  ['sid=7', ['7']],
  [' sid = 7 ; Path=/', ['7']],
  ['sid=a=b; HttpOnly', ['a=b']],
  ['sid=', ['']],
  ['sid', []],
  ['SID=7', []],
  ['other=1; sid=7', []],
  ['', []],
  [
    ['sid=7', 'other=1', 'sid=8'],
    ['8', '7'],
  ],
  [`${' '.repeat(10_000)}x`, []],
])('of %j, the cookie "sid" has the values %j', (set, values) => {
  const headers = { 'set-cookie': [set].flat() };
  const answer = new AnswerReader({ status: 200, headers, body: '' });
  expect([...prepareSource('cookie sid')(answer)]).toEqual(values);
});
