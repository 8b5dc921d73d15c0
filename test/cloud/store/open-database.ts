/** A program for a test: reads a database as `doctor`, `backup` and a service do, and prints the messages of their errors. */
import { openStore } from '../../../src/cloud/open-store.js';
import { backupDatabase } from '../../../src/cloud/store/sqlite/backup.js';
import { examine } from '../../../src/cloud/store/sqlite/doctor.js';

const [path = '', copy = ''] = process.argv.slice(2);
for (const open of [async () => examine(path), () => backupDatabase(path, copy), () => openStore(path)]) {
  await open().then(
    () => console.log('opened'),
    (error: Error) => console.log(error.message),
  );
}
