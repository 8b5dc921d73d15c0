/** The secrets of a device in options and the environment. */
import { UsageError } from '../kernel/errors.js';
import type { Host } from './host.js';

/** The form of a secret. */
export interface SecretForm {
  /** For messages, which do not quote a secret. */
  readonly wanted: string;
  readonly parse: (text: string) => string | undefined;
}

export const CLAIM_TOKEN: SecretForm = {
  wanted: 'a claim token of 32 hex digits',
  parse: (text) => (/^[0-9a-f]{32}$/i.test(text) ? text : undefined),
};

export const DTLS_KEY: SecretForm = {
  wanted: 'a key of 32 to 64 hex digits',
  parse: (text) => (/^(?:[\da-f]{2}){16,32}$/i.test(text) ? text : undefined),
};

/** The environment variable of a claim token. */
export const TOKEN_VARIABLE = 'GHOSTFLEET_CLAIM_TOKEN';

/** The claim token in the environment variable, if it is set. @throws UsageError without the value, which may be a secret */
export function claimTokenIn(env: Host['env']): string | undefined {
  const text = env[TOKEN_VARIABLE];
  if (text === undefined || CLAIM_TOKEN.parse(text) !== undefined) return text;
  // Files and secrets of containers often end with a line break, which a hidden value does not show.
  const why =
    CLAIM_TOKEN.parse(text.trim()) === undefined ? '' : ': it has a space or line break at its beginning or end';
  throw new UsageError('bad-flags', `${TOKEN_VARIABLE} (hidden) is not ${CLAIM_TOKEN.wanted}${why}`);
}
