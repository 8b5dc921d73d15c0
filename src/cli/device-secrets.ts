/** The secrets of a device in options and the environment: its claim token, and its key for DTLS. */
import { UsageError } from '../kernel/errors.js';
import type { Host } from './host.js';

/** The environment variable. */
export const CLAIM_TOKEN = 'GHOSTFLEET_CLAIM_TOKEN';
export const CLAIM_TOKEN_FORM = 'a claim token of 32 hex digits';

export function parseClaimToken(text: string): string | undefined {
  return /^[0-9a-f]{32}$/i.test(text) ? text : undefined;
}

export const DTLS_KEY_FORM = 'a key of 32 to 64 hex digits';

export function parseDtlsKey(text: string): string | undefined {
  return /^(?:[\da-f]{2}){16,32}$/i.test(text) ? text : undefined;
}

/** The claim token in the environment variable, if it is set. @throws UsageError without the value, which may be a secret */
export function claimTokenIn(env: Host['env']): string | undefined {
  const text = env[CLAIM_TOKEN];
  if (text === undefined || parseClaimToken(text) !== undefined) return text;
  throw new UsageError('bad-flags', `${CLAIM_TOKEN} (hidden) is not ${CLAIM_TOKEN_FORM}`);
}
