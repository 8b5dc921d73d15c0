/** The option and the variable with the key of the secrets in a database. */
import { keyFrom, keyInFile, type NamedKey } from '../cloud/store/secrets/key.js';
import type { Host } from './host.js';

const VARIABLE = 'GHOSTFLEET_SECRETS_KEY';

/** `--secrets-key-file`, as yargs wants it. */
export const SECRETS_KEY_FILE = {
  type: 'string',
  requiresArg: true,
  describe: `file with the key of the secrets in the database; also ${VARIABLE} (default for SQLite: a file beside it)`,
} as const;

/** The key of the option or of the variable; the option takes precedence. @throws UsageError `bad-secrets-key` */
export function secretsKeyIn(file: string | undefined, env: Host['env']): NamedKey | undefined {
  if (file !== undefined) return keyInFile(file);
  const text = env[VARIABLE];
  return text === undefined ? undefined : keyFrom(text, VARIABLE);
}
