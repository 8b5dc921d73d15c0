/** `ghostfleet doctor`: checks this machine; or shows the damage of the database of a service, and saves the readable rows. */
import { isPostgresUrl } from '../cloud/store/postgres/url.js';
import { type Examination, examine, save } from '../cloud/store/sqlite/doctor.js';
import type { TableFindings } from '../cloud/store/sqlite/salvage.js';
import { keyPath, sameKey } from '../cloud/store/sqlite/unlock.js';
import { EXIT, type ExitCode, UsageError } from '../kernel/errors.js';
import { listFirst } from '../kernel/quantity.js';
import { shownCommand } from '../kernel/web-address.js';
import { checkDatabase } from './check-database.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';
import { examineMachine, type Finding, judgeMachine } from './machine.js';

/** Maximum number of altered rows of a table whose ids are listed. */
const LISTED = 20;

interface DoctorFlags {
  readonly db: string | undefined;
  readonly save: string | undefined;
}

export const doctor = defineCommand<DoctorFlags>(
  (parser) =>
    parser
      .positional('db', {
        type: 'string',
        describe: 'SQLite file of the service, which is not changed (default: check this machine)',
      })
      .option('save', {
        type: 'string',
        requiresArg: true,
        describe: 'new file to which everything readable is copied; `serve --db` uses it',
      }),
  execute,
);

async function execute({ db, save: target }: DoctorFlags, host: Host): Promise<ExitCode> {
  if (db !== undefined) return examineDatabase(db, target, host);
  if (target !== undefined) throw new UsageError('bad-flags', '--save requires <db>');
  const findings = judgeMachine(await examineMachine(host));
  host.out.write(findings.map(describeFinding).join(''));
  return findings.some(({ state }) => state === 'fails') ? EXIT.usage : EXIT.fine;
}

function describeFinding({ state, subject, text, remedy }: Finding): string {
  return `${state.padEnd(5)}  ${subject.padEnd(13)}  ${text}\n${remedy === undefined ? '' : `${' '.repeat(22)}${remedy}\n`}`;
}

async function examineDatabase(given: string, target: string | undefined, host: Host): Promise<ExitCode> {
  if (isPostgresUrl(given)) {
    throw new UsageError('bad-database', 'doctor examines SQLite files only', 'use pg_amcheck for PostgreSQL');
  }
  const db = checkDatabase(given);
  const found = examine(db);
  const isSound = found.damagedPages.length === 0 && found.lostEnd === undefined && !found.tables.some(hasLosses);
  host.out.write(`${[...describeFindings(db, found), isSound ? 'sound' : 'damaged', ''].join('\n')}`);
  if (target !== undefined) {
    const saved = save(db, target, (table, rows) => host.err.write(`${rows} ${table} copied so far\n`));
    host.out.write(`saved to ${target}: ${saved.map(({ table, readable }) => `${readable} ${table}`).join(', ')}\n`);
    if (found.keyId !== undefined) host.out.write(`${sameKey(db, target)}\n`);
    return EXIT.fine;
  }
  if (isSound) return EXIT.fine;
  host.out.write(
    `\`${shownCommand(['ghostfleet', 'doctor', db, '--save', 'COPY'])}\` copies what is readable into a new file\n`,
  );
  return EXIT.usage;
}

function describeFindings(db: string, found: Examination): readonly string[] {
  const { pages, damagedPages, lostEnd, lastCommit, tables } = found;
  const end =
    lastCommit === undefined
      ? 'not known: the file that records the last commit is missing'
      : `complete: commit ${lastCommit}`;
  return [
    `file   ${db}: ${pages} pages`,
    ...(damagedPages.length === 0 ? ['pages  sound'] : damagedPages.map((finding) => `pages  ${finding}`)),
    `end    ${lostEnd ?? end}`,
    `key    ${describeKey(db, found)}`,
    `rows   ${tables.map(({ table, readable }) => `${readable} ${table}`).join(', ')}`,
    ...tables.filter(hasLosses).flatMap(describeLosses),
  ];
}

function describeKey(db: string, { keyId, hasKeyFile }: Examination): string {
  if (keyId === undefined) return 'none: an earlier version wrote the file, and nothing in it is encrypted';
  return `${keyId}, ${hasKeyFile ? 'in' : 'which is not in'} ${keyPath(db)}`;
}

function hasLosses({ unreadable, altered }: TableFindings): boolean {
  return unreadable !== 0 || altered.length > 0;
}

function describeLosses({ table, unreadable, altered }: TableFindings): readonly string[] {
  const count = unreadable === undefined ? 'an unknown number' : `at most ${unreadable}`;
  return [
    ...(unreadable === 0 ? [] : [`lost   ${count} of the rows of ${table}, in damaged pages`]),
    ...(altered.length === 0 ? [] : [`lost   altered rows of ${table}: ${listFirst(altered, LISTED)}`]),
  ];
}
