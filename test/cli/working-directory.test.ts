import { expect, it } from 'vitest';
import { checkWorkingDirectory } from '../../src/cli/start-checks.js';

it('a working directory that was deleted is an error of the user, with a message', () => {
  const deleted = (): string => {
    throw Object.assign(new Error('ENOENT: no such file or directory, uv_cwd'), { code: 'ENOENT' });
  };
  expect(checkWorkingDirectory(deleted)).toEqual({
    text: 'ghostfleet: the working directory was deleted\nchange to another one\n',
    exit: 2,
  });
  expect(checkWorkingDirectory(() => '/home')).toBeUndefined();
});
