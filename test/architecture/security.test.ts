/** The subjects of `npm run security`. */
import { expect, it } from 'vitest';
import { SUBJECTS } from '../../scripts/security/subjects.js';
import { pathsIn } from './sources.js';

it('the subjects of the security checks name test files that exist', () => {
  const tests = new Set(pathsIn('test', '.test.ts'));
  const named = SUBJECTS.flatMap(({ files }) => files.map((file) => `test/${file}.test.ts`));
  expect(named.filter((path) => !tests.has(path))).toEqual([]);
});
