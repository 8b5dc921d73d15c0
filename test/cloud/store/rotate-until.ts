/** Replaces the key of a database, and kills its own process when the rotation reports the given moment. */
import { rotateDatabase } from '../../../src/cloud/store/sqlite/rotate.js';

const [, , path = '', moment] = process.argv;
rotateDatabase(path, {
  key: undefined,
  next: undefined,
  progress: (at) => {
    if (String(at) === moment) process.kill(process.pid, 'SIGKILL');
  },
});
