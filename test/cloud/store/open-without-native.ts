/** A program for a test: opens a database in every way that the program does, and prints what each attempt reports. */
import { openStore } from '../../../src/cloud/open-store.js';
import { backupDatabase } from '../../../src/cloud/store/sqlite/backup.js';
import { examine } from '../../../src/cloud/store/sqlite/doctor.js';
import { lockFile } from '../../../src/cloud/store/sqlite/file-lock.js';
import { gatherDatabases } from '../../../src/cloud/store/sqlite/gather.js';
import { rotateDatabase } from '../../../src/cloud/store/sqlite/rotate.js';

const [path = ''] = process.argv.slice(2);
const reported: string[] = [];
for (const use of [
  () => openStore(path),
  () => openStore(`${path}.new`),
  () => backupDatabase(path, `${path}.copy`),
  () => examine(path),
  () => lockFile(path),
  () => gatherDatabases([path]),
  () => rotateDatabase(path, { key: undefined, next: undefined }),
]) {
  await (async () => use())().then(
    () => reported.push('opened'),
    ({ code, message, hint }) => reported.push([code, message, hint].join('\n')),
  );
}
console.log(JSON.stringify(reported));
