/** The option and the environment variable for the key that encrypts the secrets in a database. */
import { keyFrom, keyInFile, type NamedKey } from '../cloud/store/secrets/key.js';
import type { Host } from './host.js';

/** The environment variable. */
export const SECRETS_KEY = 'GHOSTFLEET_SECRETS_KEY';

/** The option `--secrets-key-file` for yargs. */
export const SECRETS_KEY_FILE = {
  type: 'string',
  requiresArg: true,
  describe: `file with the key of the secrets in the database; also ${SECRETS_KEY} (default for SQLite: a file beside it)`,
} as const;

/** The key in the file, or else in the environment variable. @throws UsageError `bad-secrets-key` for an invalid key */
export function findSecretsKey(file: string | undefined, env: Host['env']): NamedKey | undefined {
  if (file !== undefined) return keyInFile(file);
  const text = env[SECRETS_KEY];
  return text === undefined ? undefined : keyFrom(text, SECRETS_KEY);
}
