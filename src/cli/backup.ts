/** `ghostfleet backup`: a copy of the service's data, taken while it runs. */
import { backupDatabase } from '../cloud/store/sqlite/backup.js';
import { EXIT, UsageError } from '../kernel/errors.js';
import { command } from './command.js';

export const backup = command<{ readonly db: string; readonly target: string }>(
  'backup <db> <target>',
  'Copy the SQLite file of a service, which may be running',
  (parser) =>
    parser
      .positional('db', { type: 'string', demandOption: true, describe: 'SQLite file of the service' })
      .positional('target', { type: 'string', demandOption: true, describe: 'file to make; it must not exist' }),
  async ({ db, target }, host) => {
    if (/^postgres(ql)?:/i.test(db)) {
      throw new UsageError('bad-database', 'a PostgreSQL database is not a file', 'use pg_dump');
    }
    const bytes = await backupDatabase(db, target);
    host.out.write(`${target}: ${bytes} bytes, complete and checked\n`);
    return EXIT.fine;
  },
);
