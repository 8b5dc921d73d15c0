/** The options of routes that all services of a process share. */
import Type from 'typebox';
import { expect, it } from 'vitest';
import { operation } from '../../../src/cloud/http/operation.js';

it('an operation that is described again, as for each service of a process, has the same schemas', () => {
  const describe = () =>
    operation({
      tag: 'Tags',
      id: 'countTestTags',
      summary: 'Count tags',
      description: 'For this test.',
      querystring: Type.Object({ name: Type.String() }),
      response: { 200: Type.Integer() },
    });
  expect(describe().schema.querystring).toBe(describe().schema.querystring);
});
