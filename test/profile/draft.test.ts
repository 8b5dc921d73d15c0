import { expect, it } from 'vitest';
import { draftProfile } from '../../src/profile/draft.js';
import { loadUserFiles } from '../../src/profile/library.js';
import { readProfile } from '../../src/profile/read.js';

it('a name with line breaks and escapes in a history does not change the structure of a drafted profile', () => {
  const session = { type: 'session', body: { fw_name: 'A\u001b[31m: x\n y\u2028z' } };
  const text = draftProfile({ name: 'well', family: 'chester', history: [session] });
  expect(readProfile(text, 'well.yaml', loadUserFiles('well.yaml')).identity.fwName).toBe('A [31m: x y z');
});
