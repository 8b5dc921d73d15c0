/** A request of a recording, in the form in which a run can send it again. */
import type { UnixMillis } from '../../kernel/time.js';
import { isCredential } from '../source/variables.js';
import { isSecretName } from './found-value.js';
import { type Method, PLAIN_PATH } from './request.js';

export interface RecordedRequest {
  readonly method: Method;
  /** After the base address. The id of the space is `{space}`, because a run has another space. */
  readonly path: string;
  readonly body?: string | undefined;
  /** In small letters. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The status that it had; 0 if that is not known. */
  readonly status: number;
}

/** An entry of a file: a request with its time, or why it is left out. */
export type Entry = { readonly at: UnixMillis; readonly request: RecordedRequest } | { readonly skipped: string };

/** A recorded path for any space, without credentials in its query. */
export function replayedPath(path: string): string {
  const [where = '', ...rest] = path.split('?');
  const query = rest
    .join('?')
    .split('&')
    .filter((part) => part !== '' && !isSecret(part.split('=')[0] ?? ''));
  const own = where.replace(/^\/v2\/spaces\/[^/]+/, '/v2/spaces/{space}');
  return query.length === 0 ? own : `${own}?${query.join('&')}`;
}

function isSecret(parameter: string): boolean {
  return isCredential(parameter) || /(?:^|[-_])(?:key|sig|signature|auth|code|credential)$/i.test(parameter);
}

/** Why a recorded request is not sent again; undefined if it is. */
export function findUnfit(path: string, body?: string): string | undefined {
  const [where = ''] = path.split('?');
  if (!PLAIN_PATH.test(path) || !isPlain(where)) return 'no plain path';
  return body !== undefined && hasCredential(body) ? 'a body with a credential' : undefined;
}

/** Whether a server that decodes the path before it resolves steps gets the same path. */
function isPlain(path: string): boolean {
  try {
    return PLAIN_PATH.test(decodeURIComponent(path).replace(/\s/g, '_'));
  } catch {
    return false;
  }
}

function hasCredential(body: string): boolean {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return isSecretName(body);
  }
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    for (const [key, item] of typeof next === 'object' && next !== null ? Object.entries(next) : []) {
      if (isSecretName(key)) return true;
      open.push(item);
    }
  }
  return false;
}
