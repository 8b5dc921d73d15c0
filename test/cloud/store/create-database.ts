/** A program for a test: creates a database as a service does, and prints the message and the hint of its error. */
import { openStore } from '../../../src/cloud/open-store.js';
import { UsageError } from '../../../src/kernel/errors.js';

await openStore(process.argv[2] ?? '').then(
  () => console.log('opened'),
  (error: unknown) => console.log(error instanceof UsageError ? `${error.message}\n${error.hint}` : String(error)),
);
