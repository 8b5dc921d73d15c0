/** Replaces the key of a database, and kills its own process at the given progress: a number of statements, or `done`. */
import { rotateDatabase } from '../../../src/cloud/store/sqlite/rotate.js';

const [, , path = '', moment] = process.argv;
rotateDatabase(path, {
  key: undefined,
  next: undefined,
  progress: (at) => {
    if (String(at) === moment) process.kill(process.pid, 'SIGKILL');
  },
});
