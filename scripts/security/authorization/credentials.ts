/** Every kind of credential that a caller of the API can have, valid and not. */
import type { Id } from '../../../src/cloud/store/store.js';
import { days, hours } from '../../../src/kernel/time.js';
import { type Cloud, type Headers, PASSWORD } from './cloud.js';
import { furnish, ownLogin, type Things } from './things.js';

/** What a valid credential may do, in the words of the contract. */
export interface Right {
  /** `write` and `read` of keys; `owner`, `admin` and `user` of logins; `none`: a login without access to any space. */
  readonly level: 'write' | 'read' | 'owner' | 'admin' | 'user' | 'none';
  /** Access type of the tag to which the key is limited; undefined if the key has no limit. */
  readonly tags?: 'write' | 'read';
  /** A login that is limited to one space. */
  readonly bound?: true;
  /** Whether the credential is in a cookie that a page of another origin has sent. */
  readonly foreignPage?: true;
}

export interface Credential {
  readonly name: string;
  /** null if the credential is not valid. */
  readonly right: Right | null;
  /** Serial number of the device, if the credential is its claim token. */
  readonly device?: string;
  /** Things that the credential may see. */
  readonly things: Things;
  headers(): Headers;
  /** Logs in again, after a request that ends logins. Returns the id of the login. */
  renew?(): Promise<Id>;
}

/** Credentials for the space `own`. */
export async function credentialsOf(cloud: Cloud, things: Things): Promise<readonly Credential[]> {
  const outdated = await endedCredentials(cloud, things);
  return [
    ...outdated,
    { name: 'no credential', right: null, things, headers: () => ({}) },
    { name: 'unknown key', right: null, things, headers: () => ({ 'x-api-key': 'f'.repeat(36) }) },
    { name: 'unknown token', right: null, things, headers: () => ({ authorization: `Bearer ${'f'.repeat(36)}` }) },
    { name: 'broken header', right: null, things, headers: () => ({ authorization: 'Basic YTpi' }) },
    { name: 'key of 8,000 characters', right: null, things, headers: () => ({ 'x-api-key': 'k'.repeat(8000) }) },
    ...deviceCredentials(things),
    ...(await keys(cloud, things)),
    ...(await logins(cloud, things)),
  ];
}

/** The claim token as a device sends it, and in the places of a key and of the token of a login. */
function deviceCredentials(things: Things): readonly Credential[] {
  const { claimToken, serial } = things;
  return [
    {
      name: 'claim token',
      right: null,
      device: serial,
      things,
      headers: () => ({ authorization: `Claim ${claimToken}` }),
    },
    { name: 'claim token as a key', right: null, things, headers: () => ({ 'x-api-key': claimToken }) },
    { name: 'claim token as a token', right: null, things, headers: () => ({ authorization: `Bearer ${claimToken}` }) },
  ];
}

const asKey = (key = '') => ({ 'x-api-key': key });
const asToken = (token = '') => ({ authorization: `Bearer ${token}` });

/** Creates a key. @param by credential of the request */
async function newKey({ need, own }: Cloud, body: object, by: Headers = own.key) {
  const made = await need('POST', `/v2/spaces/${own.id}/keys`, by, { name: 'key', ...body });
  return { id: made.id ?? '', headers: asKey(made.key), secret: made.key ?? '' };
}

async function keys(cloud: Cloud, things: Things): Promise<readonly Credential[]> {
  const path = `/v2/spaces/${cloud.own.id}/tags`;
  const readTag = await cloud.need('POST', path, cloud.own.key, {
    name: 'read',
    color: '#000000',
    access_type: 'read',
  });
  const readable = await furnish(cloud, cloud.own, [readTag.id ?? '']);
  const limit = (id = '') => ({ tags: [{ id }] });
  const write = await newKey(cloud, {});
  const kind = (name: string, right: Right, { headers }: { headers: Headers }, seen = things): Credential => {
    return { name, right, things: seen, headers: () => headers };
  };
  // The name of the cookie contains the port of the requests.
  const inCookie = (site: string) => ({ headers: { cookie: `ghostfleet-80=${write.secret}`, 'sec-fetch-site': site } });
  const inAuthorization = { headers: { authorization: `ApiKey ${write.secret}` } };
  return [
    kind('key that writes', { level: 'write' }, write),
    kind('key in Authorization', { level: 'write' }, inAuthorization),
    kind('key in the cookie of the console', { level: 'write' }, inCookie('same-origin')),
    kind('cookie from another site', { level: 'write', foreignPage: true }, inCookie('cross-site')),
    kind('cookie from another port', { level: 'write', foreignPage: true }, inCookie('same-site')),
    kind('key that reads', { level: 'read' }, await newKey(cloud, { access_type: 'read' })),
    kind('key minted by a key', { level: 'write' }, await newKey(cloud, {}, write.headers)),
    kind('reading key minted by a key', { level: 'read' }, await newKey(cloud, { access_type: 'read' }, write.headers)),
    kind('key of a tag', { level: 'write', tags: 'write' }, await newKey(cloud, limit(things.tags))),
    kind('key of a read-only tag', { level: 'write', tags: 'read' }, await newKey(cloud, limit(readTag.id)), readable),
    kind(
      'reading key of a tag',
      { level: 'read', tags: 'write' },
      await newKey(cloud, { access_type: 'read', ...limit(things.tags) }),
    ),
    kind(
      'key of a tag, minted by a key',
      { level: 'write', tags: 'write' },
      await newKey(cloud, limit(things.tags), write.headers),
    ),
  ];
}

/** Invites a user and accepts the invitation. @returns the id of the account */
async function newUser({ need, own }: Cloud, email: string, role: string, { id: space, key } = own): Promise<Id> {
  const { id = '', invite_token: token } = await need('POST', `/v2/spaces/${space}/users/invite`, key, {
    email,
    role,
  });
  await need('POST', '/v2/auth/accept', {}, { token, email, password: PASSWORD });
  return id;
}

async function login({ need }: Cloud, email: string): Promise<string> {
  return (await need('POST', '/v2/auth/login', {}, { email, password: PASSWORD })).access_token ?? '';
}

async function bind({ need, own }: Cloud, token: string): Promise<string> {
  return (await need('POST', '/v2/auth/space', asToken(token), { space_id: own.id })).access_token ?? '';
}

async function logins(cloud: Cloud, things: Things): Promise<readonly Credential[]> {
  // Each login has its own account: a change of the password ends all logins of an account.
  for (const role of ['admin', 'user'] as const) {
    await newUser(cloud, `${role}@own.example`, role);
    await newUser(cloud, `bound-${role}@own.example`, role);
    // The user is a member of the foreign space, too: only the limit of the login keeps the user out of it.
    await newUser(cloud, `bound-${role}@own.example`, role, cloud.foreign);
  }
  const removed = await newUser(cloud, 'removed@own.example', 'admin');
  const kind = async (name: string, email: string, right: Right): Promise<Credential> => {
    let token = '';
    const renew = async () => {
      token = await login(cloud, email);
      if (right.bound) token = await bind(cloud, token);
      return ownLogin(cloud, token);
    };
    await renew();
    return { name, right, things, headers: () => asToken(token), renew };
  };
  const all = [
    await kind('login of the owner', cloud.own.owner, { level: 'owner' }),
    await kind('login of an admin', 'admin@own.example', { level: 'admin' }),
    await kind('login of a user', 'user@own.example', { level: 'user' }),
    await kind('login of an admin for one space', 'bound-admin@own.example', { level: 'admin', bound: true }),
    await kind('login of a user for one space', 'bound-user@own.example', { level: 'user', bound: true }),
    await kind('login of a removed user', 'removed@own.example', { level: 'none' }),
  ];
  await cloud.need('DELETE', `/v2/spaces/${cloud.own.id}/users/${removed}`, cloud.own.key);
  return all;
}

/** Credentials that were valid once. */
async function endedCredentials(cloud: Cloud, things: Things): Promise<readonly Credential[]> {
  const { need, own, clock } = cloud;
  const path = `/v2/spaces/${own.id}/keys`;
  const end = new Date(clock.wall + hours(1)).toISOString();
  const temporary = await newKey(cloud, { expires_at: end });
  const heir = await newKey(cloud, {}, temporary.headers);
  await newUser(cloud, 'former@own.example', 'admin');
  const late = await login(cloud, 'former@own.example');
  const lateBound = await bind(cloud, late);
  await clock.runUntil(days(2));

  const [deleted, parent, rotated] = [await newKey(cloud, {}), await newKey(cloud, {}), await newKey(cloud, {})];
  const child = await newKey(cloud, {}, parent.headers);
  await need('DELETE', `${path}/${deleted.id}`, own.key);
  await need('DELETE', `${path}/${parent.id}?children=true`, own.key);
  await need('POST', `${path}/${rotated.id}/rotate`, own.key);
  const out = await login(cloud, 'former@own.example');
  const outBound = await bind(cloud, out);
  await need('POST', '/v2/auth/logout', asToken(out));
  const [changed, ended] = [await login(cloud, 'former@own.example'), await login(cloud, 'former@own.example')];
  const changedBound = await bind(cloud, changed);
  await need('DELETE', `/v2/auth/logins/${await ownLogin(cloud, ended)}`, asToken(changed));
  await need('POST', '/v2/auth/password', asToken(changed), { password: PASSWORD, new_password: `${PASSWORD}!` });

  const all: readonly (readonly [string, Headers])[] = [
    ['expired key', temporary.headers],
    ['key minted by an expired key', heir.headers],
    ['deleted key', deleted.headers],
    ['key deleted with its parent', child.headers],
    ['secret before a rotation', rotated.headers],
    ['login after 24 hours', asToken(late)],
    ['login for one space after 24 hours', asToken(lateBound)],
    ['login after logout', asToken(out)],
    ['login for one space after logout', asToken(outBound)],
    ['login ended by another', asToken(ended)],
    ['login after a change of the password', asToken(changed)],
    ['login for one space after a change of the password', asToken(changedBound)],
  ];
  return all.map(([name, headers]) => ({ name, right: null, things, headers: () => headers }));
}
