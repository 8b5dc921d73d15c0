/** `ghostfleet secrets rotate`: replaces the key with which a database encrypts secrets. */

import { rotateKey } from '../cloud/open-store.js';
import { createKeyFile, keyInFileIfAny } from '../cloud/store/secrets/key.js';
import { EXIT, type ExitCode } from '../kernel/errors.js';
import { countOf } from '../kernel/quantity.js';
import { checkDatabase } from './check-database.js';
import { defineCommand } from './command.js';
import type { Host } from './host.js';
import { findSecretsKey, SECRETS_KEY_FILE } from './secrets-key.js';

interface SecretsFlags {
  readonly action: 'rotate';
  readonly db: string;
  readonly secretsKeyFile: string | undefined;
  readonly newKeyFile: string | undefined;
}

export const secrets = defineCommand<SecretsFlags>(
  (parser) =>
    parser
      .positional('action', {
        choices: ['rotate'] as const,
        demandOption: true,
        describe: 'rotate: encrypt everything with a new key; no service may run',
      })
      .positional('db', { type: 'string', demandOption: true, describe: 'SQLite file, or postgres://…' })
      .option('secrets-key-file', SECRETS_KEY_FILE)
      .option('new-key-file', {
        type: 'string',
        requiresArg: true,
        describe:
          'file with the new key, which is created if it does not exist (default: the file beside the database)',
      }),
  execute,
);

async function execute({ db: given, secretsKeyFile, newKeyFile }: SecretsFlags, host: Host): Promise<ExitCode> {
  const db = checkDatabase(given);
  const key = findSecretsKey(secretsKeyFile, host.env);
  const next = newKeyFile === undefined ? undefined : (keyInFileIfAny(newKeyFile) ?? createKeyFile(newKeyFile));
  const { rows, keyId, file } = await rotateKey(db, { key, next });
  const where = file === undefined ? 'give the new key to every start of the service' : `the new key is in ${file}`;
  host.out.write(`${countOf(rows, 'row')} encrypted with the key ${keyId}; ${where}\n`);
  return EXIT.fine;
}
