/** Commits messages until a commit is rejected. Then prints the error code, and the damage that the store has found. */
import { openStore } from '../../../src/cloud/open-store.js';
import { furnish, insert, message } from './rows.js';

const store = await openStore(process.argv[2] ?? '');
await furnish(store);
const body = 'x'.repeat(4000);
for (let n = 1; n < 1000; n++) {
  try {
    await store.commit([insert.message(message(n, { body }))]);
  } catch (error) {
    console.log(JSON.stringify({ code: (error as { code?: string }).code, damage: store.soundness?.damage }));
    break;
  }
}
await store.close();
