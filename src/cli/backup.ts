/** `ghostfleet backup`: copies the SQLite database of a service, also while the service runs. */
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { backupDatabase } from '../cloud/store/sqlite/backup.js';
import { sameKey } from '../cloud/store/sqlite/unlock.js';
import { EXIT, InterruptedError, UsageError } from '../kernel/errors.js';
import { checkDatabase } from './check-database.js';
import { defineCommand } from './command.js';

const IN_CLEAR =
  'has its secrets in clear: an earlier version wrote the database; the next start of the service encrypts them';

export const backup = defineCommand<{ readonly db: string; readonly target: string }>(
  (parser) =>
    parser
      .positional('db', { type: 'string', demandOption: true, describe: 'SQLite file of the service' })
      .positional('target', { type: 'string', demandOption: true, describe: 'file to create; it must not exist' }),
  async ({ db: given, target }, host) => {
    if (isPostgresUrl(given)) {
      throw new UsageError('bad-database', 'backup copies SQLite files only', 'use pg_dump for PostgreSQL');
    }
    const db = checkDatabase(given);
    checkDatabase(target);
    const abort = new AbortController();
    const forget = host.onInterrupt((signal) => abort.abort(new InterruptedError(signal)));
    const { bytes, encrypted } = await backupDatabase(db, target, abort.signal).finally(forget);
    const secrets = encrypted ? sameKey(db, target) : `${target} ${IN_CLEAR}`;
    host.out.write(`${target}: ${bytes} bytes, copied and verified\n${secrets}\n`);
    return EXIT.fine;
  },
);
