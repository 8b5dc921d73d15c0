/** Commits messages until the process is killed, and reports each message as soon as its commit resolves. */
import { openStore } from '../../../src/cloud/open-store.js';
import { furnish, insert, message } from './rows.js';

const store = await openStore(process.argv[2] ?? '');
await furnish(store);
for (let n = 1; ; n++) {
  void store.commit([insert.message(message(n))]).then(() => process.send?.(message(n).id));
  if (n % 20 === 0) await new Promise((resolve) => setImmediate(resolve));
}
