/** Users with a login, for tests. */
import type { Answer, Call, service } from './service.js';

export const PASSWORD = 'correct horse battery staple';

export interface Person {
  readonly id: string;
  /** Calls with the person's login. */
  readonly call: Call;
}

/** Invites a new user to the space of the service, and accepts the invitation. */
export async function person(
  { call }: Pick<Awaited<ReturnType<typeof service>>, 'call'>,
  email: string,
  role: 'admin' | 'user' = 'admin',
): Promise<Person> {
  const { id, invite_token: token } = (await call('POST', 'users/invite', { email, role })).json;
  return { id, call: withToken(call, await call('POST', '/v2/auth/accept', { token, email, password: PASSWORD })) };
}

/** `call` with the token from the answer to a login, instead of the API key. */
export function withToken(call: Call, { json }: Answer): Call {
  const authorization = `Bearer ${json.access_token}`;
  return (method, path, body, headers) => call(method, path, body, { 'x-api-key': '', authorization, ...headers });
}

/** `call` with another API key. */
export function withKey(call: Call, key: string): Call {
  return (method, path, body, headers) => call(method, path, body, { 'x-api-key': key, ...headers });
}
