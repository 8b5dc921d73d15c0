import { expect, it } from 'vitest';
import { type ApiKey, familyOf } from '../../../src/cloud/accounts/keys.js';

it('the family of a key is found in one pass over the keys of the space', () => {
  const fields = { spaceId: 's', name: 'k', prefix: '', tagIds: null, access: 'write', createdAt: 0 } as const;
  const chain = Array.from(
    { length: 200_000 },
    (_, i): ApiKey => ({ ...fields, id: `${i}`, ...(i > 0 && { parentId: `${i - 1}` }) }),
  );
  const [first] = chain;
  const stranger: ApiKey = { ...fields, id: 'other', parentId: 'another' };
  expect(familyOf(first ? [first] : [], [stranger, ...chain])).toEqual(chain);
});
