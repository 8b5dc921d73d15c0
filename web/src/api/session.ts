/**
 * The session of the signed-in user, and the open space. The credential is in a cookie that no script can read; this module
 * stores only the id of the space.
 */
import { signal } from '@preact/signals';
import { ApiError, DeviceCloudClient } from '../../../src/client/client.js';
import { JsonHttp } from '../../../src/client/http.js';
import type { Space } from '../../../src/client/types.js';
import { ofTab } from '../platform/storage.js';
import { isOutage } from './again.js';
import { pauseAfter } from './answering.js';
import { readAll } from './lists.js';

export interface Session {
  readonly space: Space;
  /** All spaces that the credential opens. */
  readonly spaces: readonly Space[];
  readonly client: DeviceCloudClient;
}

/** The address of the service: that of the page, which may have a path behind a reverse proxy. */
const HOME = new URL('.', location.href).href;

/** Path at which the service exchanges a credential for a cookie. */
const COOKIE = '/console/session';
const SPACE = 'ghostfleet.space';
const NO_COOKIE =
  'The browser did not keep the cookie of the session. Permit cookies for this address, then sign in again.';

/** The open session; `undefined` if the user is not signed in, `null` if this is not known yet. */
export const session = signal<Session | undefined | null>(null);
/** Reason for which the page asks for a credential again; empty if there is none. */
export const signInNotice = signal('');
/** Reason for which the session could not be read from the service; empty without a failure. */
export const outage = signal('');

/** The session of a page that is shown only after the sign-in. */
export function current(): Session {
  const { value } = session;
  if (!value) throw new Error('not signed in');
  return value;
}

/**
 * Opens the session of this browser: with the one-time token in the address, or with the cookie.
 * @param failures how many requests in a row the service has not answered
 */
export async function resume(failures = 0): Promise<void> {
  const token = takeToken();
  let refusal: unknown;
  let granted: { readonly space_id: string | null } | undefined;
  if (token !== undefined) {
    // The cast is safe because the sign-in of ghostfleet answers with this type.
    granted = (await bare()
      .request('POST', COOKIE, {}, { token })
      .catch((error: unknown) => {
        refusal = error;
      })) as typeof granted;
  }
  try {
    // A token is valid only once. If the user opened this address before, the cookie from that time still works.
    await open(granted?.space_id ?? ofTab.get(SPACE));
    outage.value = '';
  } catch (error) {
    if (isOutage(error)) {
      outage.value = sentence(error);
      void pauseAfter(failures + 1).then(() => resume(failures + 1));
      return;
    }
    outage.value = '';
    session.value = undefined;
    // Without token and cookie, the user has simply not signed in yet: the sign-in page needs no explanation.
    const isExpected = token === undefined && error instanceof ApiError && error.status === 401;
    if (!isExpected) signInNotice.value = sentence(refusal ?? afterAcceptance(error));
  }
}

/**
 * Signs in with an API key or the token of a login.
 * @throws ApiError 401 if the service rejects the credential
 * @throws Error if the browser does not keep the cookie
 */
export async function signIn(credential: string): Promise<void> {
  await bare().request('POST', COOKIE, {}, { credential });
  await open().catch((error: unknown) => {
    throw afterAcceptance(error);
  });
}

/** The error of a request right after the service has accepted a credential. */
function afterAcceptance(error: unknown): unknown {
  return error instanceof ApiError && error.status === 401 ? new Error(NO_COOKIE) : error;
}

/** Signs in with a user account. @throws ApiError 401 if the address or the password is wrong */
export async function logIn(email: string, password: string): Promise<void> {
  const { access_token } = await DeviceCloudClient.login(HOME, { email, password });
  await signIn(access_token);
}

/** Opens a space with the cookie. @param spaceId default: the first space that the credential opens */
export async function open(spaceId?: string): Promise<void> {
  const http = bare();
  // The cast is safe because types.ts describes the service's answers.
  const spaces = await readAll(
    async (page) => (await http.request('GET', '/v2/spaces', { ...page })) as readonly Space[],
  );
  const space = spaces.find(({ id }) => id === spaceId) ?? spaces[0];
  if (space === undefined) throw new Error('The credential opens no space.');
  ofTab.set(SPACE, space.id);
  signInNotice.value = '';
  const options = { baseUrl: HOME, apiKey: '', spaceId: space.id };
  session.value = { space, spaces, client: new DeviceCloudClient(options, http) };
}

/** Ends the session of this browser. */
export async function signOut(notice = ''): Promise<void> {
  signInNotice.value = notice;
  ofTab.set(SPACE, undefined);
  // Set before the request, so that requests that fail because the session ends show no message.
  session.value = undefined;
  await bare()
    .request('DELETE', COOKIE)
    .catch(() => undefined);
}

/** A message for the user. A rejected credential ends the session. */
export function explain(error: unknown): string {
  if (error instanceof ApiError && error.status === 401 && session.value) {
    void signOut('The service no longer accepts the credential. Sign in again.');
  }
  return sentence(error);
}

function sentence(error: unknown): string {
  if (error instanceof ApiError) {
    const { body } = error;
    if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
    return `The service answered with status ${error.status}.`;
  }
  if (error instanceof Error && error.name === 'ConnectionError') return 'The service does not answer.';
  return error instanceof Error ? error.message : String(error);
}

/** Requests without a key: the browser adds the cookie. */
function bare(): JsonHttp {
  return new JsonHttp({ baseUrl: HOME });
}

/** The one-time token in the fragment of the address (`#token=…`), which is removed from the address and its history. */
function takeToken(): string | undefined {
  const [, token] = /^#token=([\x21-\x7e]+)$/.exec(location.hash) ?? [];
  if (token === undefined) return undefined;
  history.replaceState(null, '', `${location.pathname}${location.search}#/overview`);
  return token;
}
