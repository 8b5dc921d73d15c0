/** Replaces the key of a database, and kills its process at one moment: after a number of statements, or when `done`. */
import { rotateDatabase } from '../../../src/cloud/store/sqlite/rotate.js';

const [, , path = '', moment] = process.argv;
rotateDatabase(path, {
  key: undefined,
  next: undefined,
  progress: (at) => {
    if (String(at) === moment) process.kill(process.pid, 'SIGKILL');
  },
});
