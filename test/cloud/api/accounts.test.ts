/** Invitations, logins, users and their roles, and the creation, change and deletion of spaces. */
import { describe, expect, it, vi } from 'vitest';
import { ensureSpaceAndKey } from '../../../src/cloud/accounts/bootstrap.js';
import { Members } from '../../../src/cloud/accounts/members.js';
import { deleteRemains } from '../../../src/cloud/accounts/spaces.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { LoopTurns } from '../../../src/cloud/store/loop-turns.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { days, hours } from '../../../src/kernel/time.js';
import { CHEAP } from '../../support/passwords.js';
import { idAt } from '../store/rows.js';
import { PASSWORD, person, withToken } from './people.js';
import { START, service } from './service.js';

describe('an invitation', () => {
  it('can be accepted once, with a password of at least 8 characters; its token is neither in the list of users nor in the log', async () => {
    const { call, logged } = await service();
    const invited = await call('POST', 'users/invite', { email: 'Eva@Example.org', name: 'Eva' });
    expect(invited.status).toBe(201);
    const { invite_token: token, invite_expires_at: until, ...user } = invited.json;
    expect(user).toMatchObject({ email: 'Eva@Example.org', name: 'Eva', role: 'user', state: 'invited' });
    expect(until).toBe('2026-01-08T00:00:00.000Z');
    expect((await call('GET', `users/${user.id}`)).json).toEqual(user);

    const accepted = await call('POST', '/v2/auth/accept', { token, email: 'eva@example.org', password: PASSWORD });
    expect(accepted.json).toEqual({ access_token: expect.any(String), token_type: 'Bearer', expires_in: 86_400 });
    expect(
      (await call('POST', '/v2/auth/accept', { token, email: 'eva@example.org', password: PASSWORD })).status,
    ).toBe(401);
    const listed = await call('GET', 'users');
    expect(listed.json).toEqual([{ ...user, state: 'active' }]);
    expect(listed.text + JSON.stringify(logged)).not.toContain(token);
    const short = await call('POST', '/v2/auth/accept', { token, email: 'eva@example.org', password: 'secret7' });
    expect([short.status, short.json.message]).toEqual([400, 'body/password is not a password of 8 to 256 characters']);
  });

  it('is valid for the invited address only: a token alone opens nothing', async () => {
    const { call } = await service();
    const { invite_token: token } = (await call('POST', 'users/invite', { email: 'eva@example.org' })).json;
    const accept = (email: string) => call('POST', '/v2/auth/accept', { token, email, password: PASSWORD });
    expect((await accept('mallory@example.org')).status).toBe(401);
    expect((await accept('Eva@example.org')).status).toBe(200);
  });

  it.each([
    ...[
      '<a@b>',
      'a@b..c',
      'a@.b',
      'a@b.',
      'a@-b',
      'a@b-.c',
      'a b@c',
      '"a"@b',
      'a@b@c',
      'a,b@c',
      'a@[1.2.3.4]',
      'a@b_c',
    ],
    ...[`${'a'.repeat(65)}@b`, `a@${'b'.repeat(64)}`, `a@${'b.'.repeat(126)}c`],
  ])('is not made for %s, which is not an address', async (email) => {
    const { call } = await service();
    const { status, json } = await call('POST', 'users/invite', { email });
    expect([status, json.message]).toEqual([400, expect.stringContaining('is not an email address in ASCII')]);
  });

  it.each(["o'neil+x/y@example-1.org", 'a@localhost', '.a..b.@b.c', `${'a'.repeat(64)}@${'b'.repeat(63)}.c`])(
    'is made for %s, as browsers accept it',
    async (email) => expect((await (await service()).call('POST', 'users/invite', { email })).status).toBe(201),
  );

  it('stays that of its address: a user can be sent as it was read, but another address is rejected, and not ignored', async () => {
    const { call } = await service();
    const { json: user } = await call('POST', 'users/invite', { email: 'Eva@example.org' });
    const sent = { ...user, email: 'eva@example.org', name: 'Eva' };
    expect((await call('PUT', `users/${user.id}`, sent)).json.name).toBe('Eva');
    const other = await call('PUT', `users/${user.id}`, { email: 'adam@example.org' });
    expect([other.status, other.json.code, other.json.message]).toEqual([
      400,
      'email-fixed',
      'body/email is not "Eva@example.org": the address of a user cannot be changed: invite the new one',
    ]);
  });

  it('expires after a week', async () => {
    const { call, clock } = await service();
    const { invite_token: token } = (await call('POST', 'users/invite', { email: 'eva@example.org' })).json;
    await clock.runUntil(days(7));
    expect(
      (await call('POST', '/v2/auth/accept', { token, email: 'eva@example.org', password: PASSWORD })).status,
    ).toBe(401);
  });

  it('for an address that is already invited is rejected with 409, and for an invalid address with 400', async () => {
    const { call } = await service();
    await call('POST', 'users/invite', { email: 'eva@example.org' });
    const { status, json } = await call('POST', 'users/invite', { email: 'EVA@example.org' });
    expect([status, json.message]).toEqual([
      409,
      '"EVA@example.org" is already a user of this space, or has a valid invitation; to replace this, remove the user first',
    ]);
    expect((await call('POST', 'users/invite', { email: 'eva' })).status).toBe(400);
  });

  it('that has expired is replaced by the next one for the same address', async () => {
    const { call, clock } = await service();
    const invite = async (body: object) => (await call('POST', 'users/invite', body)).json;
    const first = await invite({ email: 'eva@example.org', role: 'user' });
    await clock.runUntil(days(7) - 1);
    expect((await invite({ email: 'eva@example.org' })).code).toBe('user-known');
    await clock.runUntil(days(7));
    const second = await invite({ email: 'Eva@example.org', role: 'admin' });
    expect((await call('GET', 'users')).json).toMatchObject([{ id: first.id, role: 'admin', state: 'invited' }]);
    const accept = (token: string) =>
      call('POST', '/v2/auth/accept', { token, email: 'eva@example.org', password: PASSWORD });
    expect((await accept(first.invite_token)).status).toBe(401);
    expect((await accept(second.invite_token)).status).toBe(200);
    await clock.runUntil(days(15));
    expect((await invite({ email: 'eva@example.org' })).code).toBe('user-known');
  });

  it('of a removed user stays invalid after a new invitation of the same address', async () => {
    const { call } = await service();
    const invite = async () => (await call('POST', 'users/invite', { email: 'eva@example.org' })).json;
    const first = await invite();
    await call('DELETE', `users/${first.id}`);
    const second = await invite();
    const accept = (token: string) =>
      call('POST', '/v2/auth/accept', { token, email: 'eva@example.org', password: PASSWORD });
    expect((await accept(first.invite_token)).status).toBe(401);
    expect((await accept(second.invite_token)).status).toBe(200);
  });

  it('sets the password of an account once, even if two invitations are accepted at the same moment', async () => {
    const made = await service();
    const mallory = await person(made, 'mallory@example.org');
    const trap = (await mallory.call('POST', '/v2/spaces', { name: 'trap' })).json;
    const email = { email: 'eva@example.org' };
    const theirs = (await mallory.call('POST', `/v2/spaces/${trap.id}/users/invite`, email)).json.invite_token;
    const ours = (await made.call('POST', 'users/invite', email)).json.invite_token;
    const answers = await Promise.all([
      made.call('POST', '/v2/auth/accept', { token: theirs, ...email, password: 'mallory-knows' }),
      made.call('POST', '/v2/auth/accept', { token: ours, ...email, password: PASSWORD }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  });

  it('gives no access to a stranger who has already created an account with the invited address', async () => {
    const made = await service();
    const mallory = await person(made, 'mallory@example.org');
    const other = (await mallory.call('POST', '/v2/spaces', { name: 'trap' })).json;
    const trap = await mallory.call('POST', `/v2/spaces/${other.id}/users/invite`, { email: 'eva@example.org' });
    const { invite_token: token } = (await made.call('POST', 'users/invite', { email: 'eva@example.org' })).json;
    const fake = await made.call('POST', '/v2/auth/accept', {
      token: trap.json.invite_token,
      email: 'eva@example.org',
      password: 'mallory-knows',
    });
    expect((await withToken(made.call, fake)('GET', '')).status).toBe(404);
    // The invitation requires the password of the account, which the stranger has set. So the owner of the address cannot
    // accept it, and the stranger gets no access.
    expect(
      (await made.call('POST', '/v2/auth/accept', { token, email: 'eva@example.org', password: PASSWORD })).status,
    ).toBe(401);
    expect((await made.call('GET', 'users')).json).toMatchObject([{ id: mallory.id }, { state: 'invited' }]);
  });
});

describe('a login', () => {
  it('opens the spaces of the account for 24 hours', async () => {
    const made = await service();
    await person(made, 'eva@example.org');
    const answer = await made.call('POST', '/v2/auth/login', { email: 'EVA@example.org', password: PASSWORD });
    expect(answer.status).toBe(200);
    const eva = withToken(made.call, answer);
    expect((await eva('GET', '/v2/spaces')).json).toMatchObject([{ id: made.spaceId, user_role: 'admin' }]);
    expect((await eva('GET', 'devices')).status).toBe(200);
    await made.clock.runUntil(hours(24));
    expect((await eva('GET', 'devices')).status).toBe(401);
  });

  it('is possible with an address that only an earlier version accepted', async () => {
    const made = await service();
    const { store, clock } = made;
    const random = seededRandom('members');
    const members = new Members({ store, clock, random, ids: createIds(clock, random), passwordCost: CHEAP });
    await members.ensureAdmin(made.spaceId, '<a@b>', PASSWORD);
    expect((await made.call('POST', '/v2/auth/login', { email: '<A@b>', password: PASSWORD })).status).toBe(200);
  });

  it('requires an address and a password', async () => {
    const { call } = await service();
    const asked = (body: object) => call('POST', '/v2/auth/login', body);
    expect((await asked({})).json.message).toBe('body needs "email"; body needs "password"');
    const { status, json } = await asked({ email: 'eva', password: '' });
    expect([status, json.message]).toEqual([
      400,
      'body/email "eva" is not an email address in ASCII; body/password is not a password',
    ]);
    for (const email of ['ev\u0430@example.org', 'zoe\u0308@example.org', 'eva@ex\u00e4mple.org'])
      expect((await asked({ email, password: PASSWORD })).status).toBe(400);
  });

  it('fails in the same way for a wrong password and an unknown address', async () => {
    const made = await service();
    await person(made, 'eva@example.org');
    const wrong = await made.call('POST', '/v2/auth/login', { email: 'eva@example.org', password: 'wrong-password' });
    const unknown = await made.call('POST', '/v2/auth/login', { email: 'adam@example.org', password: PASSWORD });
    expect([wrong.status, wrong.text]).toEqual([401, unknown.text]);
    expect(wrong.headers['www-authenticate']).toBe('Bearer');
    await made.call('POST', 'users/invite', { email: 'bob@example.org' });
    const invited = await made.call('POST', '/v2/auth/login', { email: 'bob@example.org', password: '' });
    expect(invited.status).toBe(400);
  });
});

describe('password checks', () => {
  /** With two fifths of the default cost, a check takes longer than the arrival of the twelve requests. */
  const slow = () =>
    service({ trustProxy: ['127.0.0.1'] }, (context) => ({ ...context, passwordCost: { N: 16_384, r: 8, p: 2 } }));
  const from = (network: number) => ({ 'x-forwarded-for': `198.51.100.${network}` });
  /** Each attempt is for another account, because wrong passwords for one account have a limit of their own. */
  const attempt = ({ call }: Pick<Awaited<ReturnType<typeof slow>>, 'call'>, n: number, network: number) =>
    call('POST', '/v2/auth/login', { email: `absent-${n}@example.org`, password: PASSWORD }, from(network));

  it('of two networks that take all eight places do not keep out the users of a third', async () => {
    const made = await slow();
    await person(made, 'eva@example.org');
    const flood = Array.from({ length: 40 }, (_, n) => attempt(made, n, n % 2));
    const login = { email: 'eva@example.org', password: PASSWORD };
    expect((await made.call('POST', '/v2/auth/login', login, from(2))).status).toBe(200);
    const answers = await Promise.all(flood);
    const refused = answers.filter(({ status }) => status === 503);
    expect(refused).toHaveLength(32);
    expect(refused[0]).toMatchObject({ json: { code: 'busy' }, headers: { 'retry-after': '1' } });
  });

  it('of one network are limited to four at a time, so that users of other networks can log in meanwhile', async () => {
    const made = await slow();
    const eva = await person(made, 'eva@example.org');
    const flood = Array.from({ length: 8 }, (_, n) => attempt(made, n, 1));
    const login = { email: 'eva@example.org', password: PASSWORD };
    expect((await made.call('POST', '/v2/auth/login', login, from(2))).status).toBe(200);
    const statuses = (await Promise.all(flood)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(4);
    expect(statuses.filter((status) => status === 503)).toHaveLength(4);
    expect((await eva.call('GET', '')).status).toBe(200);
  });

  it('do not wait for users who enter a space, however long that takes', async () => {
    const made = await service({ trustProxy: ['127.0.0.1'] });
    await person(made, 'eva@example.org');
    const invited = [];
    for (let n = 0; n < 8; n++) {
      const email = `user-${n}@example.org`;
      invited.push({ email, token: (await made.call('POST', 'users/invite', { email })).json.invite_token });
    }
    const { store } = made;
    const commit = store.commit.bind(store);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    store.commit = async (changes) => {
      const enters = changes.some((change) => change.kind === 'record.put' && change.row.family === 'member-turn');
      if (enters) await held;
      return commit(changes);
    };
    const accept = (one: object, n: number) =>
      made.call('POST', '/v2/auth/accept', { ...one, password: PASSWORD }, from(n % 2));
    const entering = invited.map(accept);
    const login = { email: 'eva@example.org', password: PASSWORD };
    expect((await made.call('POST', '/v2/auth/login', login, from(2))).status).toBe(200);
    release();
    expect((await Promise.all(entering)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it('share these limits with changes of a password', async () => {
    const made = await slow();
    const users = [];
    for (let n = 0; n < 4; n++) users.push(await person(made, `user-${n}@example.org`));
    const body = { password: 'wrong password', new_password: PASSWORD };
    const answers = await Promise.all([
      ...users.map(({ call }) => call('POST', '/v2/auth/password', body, from(1))),
      ...Array.from({ length: 6 }, (_, n) => attempt(made, n, n % 2)),
    ]);
    const refused = answers.filter(({ status }) => status === 503);
    // Three checks from network 0; in network 1, the four changes take all turns.
    expect(refused.map(({ json }) => json.message)).toEqual(
      Array.from({ length: 3 }, () => 'too many concurrent password checks; retry later'),
    );
  });
});

describe('a deleted space', () => {
  it('opens to none of its members, while their memberships and its tags are still stored', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org');
    const adam = await person(made, 'adam@example.org');
    await made.call('POST', 'tags', { name: 'cold', color: '#00ffaa' });
    const { id, invite_token: token } = (await made.call('POST', 'users/invite', { email: 'joe@example.org' })).json;
    expect((await eva.call('DELETE', '')).status).toBe(204);
    expect((await made.store.tags(made.spaceId, { limit: 9 })).length).toBe(1);
    const answers = [await adam.call('GET', 'tags'), await adam.call('DELETE', ''), await made.call('GET', 'tags')];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 401]);
    for (const { call } of [eva, adam]) expect((await call('GET', '/v2/spaces')).json).toEqual([]);
    const acceptance = { token, email: 'joe@example.org', password: PASSWORD };
    expect((await made.call('POST', '/v2/auth/accept', acceptance)).status).toBe(401);
    while (await deleteRemains(made.store, START, 2));
    expect(await made.store.tags(made.spaceId, { limit: 9 })).toEqual([]);
    for (const user of [eva.id, adam.id, id]) {
      expect(await made.store.records(`member-of/${user}`, null, { limit: 9 })).toEqual([]);
    }
    expect(await made.store.records(`member/${made.spaceId}`, made.spaceId, { limit: 9 })).toEqual([]);
    expect(await made.store.dueRecords('deleted-space', START, 9)).toEqual([]);
  });
});

describe('a login that is bound to a space', () => {
  it('lists only that space, until the space is deleted', async () => {
    const made = await service({ legacyPaths: true });
    const eva = await person(made, 'eva@example.org');
    const second = (await eva.call('POST', '/v2/spaces', { name: 'second' })).json;
    const bound = withToken(made.call, await eva.call('POST', '/v2/auth/space', { space_id: second.id }));
    const idsOf = async (query: string) =>
      (await bound('GET', `/v2/spaces${query}`)).json.map((space: { id: string }) => space.id);
    expect(await idsOf('')).toEqual([second.id]);
    expect(await idsOf('?limit=1')).toEqual([second.id]);
    expect(await idsOf(`?offset=${made.spaceId}`)).toEqual([second.id]);
    expect(await idsOf(`?offset=${second.id}`)).toEqual([]);
    await eva.call('DELETE', `/v2/spaces/${second.id}`);
    expect(await idsOf('')).toEqual([]);
  });
});

describe('an API key, or a login that is bound to a space,', () => {
  it('cannot create spaces; the message names the kind of the credential', async () => {
    const made = await service({ legacyPaths: true });
    const eva = await person(made, 'eva@example.org');
    const bound = withToken(made.call, await eva.call('POST', '/v2/auth/space', { space_id: made.spaceId }));
    const answers = [
      await bound('POST', '/v2/spaces', { name: 'x' }),
      await made.call('POST', '/v2/spaces', { name: 'x' }),
    ];
    expect(answers.map(({ status, json }) => [status, json.message])).toEqual([
      [403, 'a login that is bound to a space cannot create spaces: log in again'],
      [403, 'only a login can create spaces: an API key is limited to its own space'],
    ]);
    const again = await made.call('POST', '/v2/auth/space', { space_id: made.spaceId });
    expect(again.json.message).toBe('only a login can be bound to a space: an API key already is');
  });
});

describe('the role user', () => {
  it('may read the space and its resources, but not change them', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org', 'user');
    const { id } = await made.device();
    for (const path of ['', 'devices', `devices/${id}`, 'messages', 'tags', 'users', 'keys', 'variables']) {
      expect([path, (await eva.call('GET', path)).status]).toEqual([path, 200]);
    }
    expect((await eva.call('GET', '')).json.user_role).toBe('user');
    for (const [method, path] of [
      ['POST', 'devices'],
      ['PUT', `devices/${id}`],
      ['DELETE', `devices/${id}`],
      ['POST', `devices/${id}/commands`],
      ['POST', 'keys'],
      ['POST', 'users/invite'],
      ['PUT', ''],
    ] as const) {
      const { status, json } = await eva.call(method, path, {});
      expect([method, path, status, json.message]).toEqual([method, path, 403, 'your role may only read']);
    }
  });
});

describe('users of a space', () => {
  it('always include an admin', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org');
    const bob = await person(made, 'bob@example.org', 'user');
    const last = {
      statusCode: 409,
      error: 'Conflict',
      message: 'this is the last admin of the space',
      code: 'last-admin',
    };
    expect((await made.call('PUT', `users/${eva.id}`, { role: 'user' })).json).toEqual(last);
    expect((await made.call('DELETE', `users/${eva.id}`)).json).toEqual(last);
    expect((await made.call('PUT', `users/${bob.id}`, { role: 'admin', name: 'Bob' })).json).toMatchObject({
      role: 'admin',
      name: 'Bob',
    });
    const both = [eva, bob].map(({ id }) => made.call('PUT', `users/${id}`, { role: 'user' }));
    expect((await Promise.all(both)).map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  it('lose access immediately when they are removed; their account is kept', async () => {
    const made = await service();
    await person(made, 'eva@example.org');
    const bob = await person(made, 'bob@example.org');
    expect((await made.call('DELETE', `users/${bob.id}`)).status).toBe(204);
    expect((await bob.call('GET', 'devices')).status).toBe(404);
    expect((await bob.call('GET', '/v2/spaces')).json).toEqual([]);
    const again = (await made.call('POST', 'users/invite', { email: 'bob@example.org' })).json;
    expect(again.id).toBe(bob.id);
    expect((await bob.call('GET', 'devices')).status).toBe(404);
    const acceptance = { token: again.invite_token, email: again.email, password: PASSWORD };
    expect((await made.call('POST', '/v2/auth/accept', acceptance)).status).toBe(200);
    expect((await bob.call('GET', 'devices')).status).toBe(200);
  });
});

describe('a space', () => {
  it('is created, renamed, transferred and deleted by users with the permission', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org');
    const space = (await eva.call('POST', '/v2/spaces/', { name: 'Second', user_role: 'x', owner_id: null })).json;
    expect(space).toMatchObject({ name: 'Second', type: 'team', owner_id: eva.id, user_role: 'admin' });
    const path = `/v2/spaces/${space.id}`;
    expect((await eva.call('PUT', path, { name: 'renamed' })).json).toEqual({ ...space, name: 'renamed' });
    expect((await eva.call('GET', '/v2/spaces?limit=1')).json).toMatchObject([{ id: made.spaceId }]);
    expect((await eva.call('GET', `/v2/spaces?limit=1&offset=${made.spaceId}`)).json).toMatchObject([{ id: space.id }]);

    const invited = (await eva.call('POST', `${path}/users/invite`, { email: 'bob@example.org', role: 'admin' })).json;
    const tooEarly = await eva.call('PUT', path, { owner_id: invited.id });
    expect(tooEarly.json.message).toBe(`body/owner_id "${invited.id}" is not an admin of this space`);
    const acceptance = { token: invited.invite_token, email: invited.email, password: PASSWORD };
    const bob = withToken(made.call, await made.call('POST', '/v2/auth/accept', acceptance));
    expect((await bob('PUT', path, { owner_id: invited.id })).status).toBe(403);
    expect((await bob('DELETE', `${path}/users/${eva.id}`)).json.message).toContain('transfer the space first');
    expect((await eva.call('PUT', path, { owner_id: invited.id })).json.owner_id).toBe(invited.id);

    expect((await eva.call('DELETE', path)).status).toBe(403);
    expect((await bob('DELETE', path)).status).toBe(204);
    for (const call of [eva.call, bob]) expect((await call('GET', path)).status).toBe(404);
    expect((await bob('GET', '/v2/spaces')).json).toEqual([]);
  });

  it('has one of four types; the default is "team"', async () => {
    const eva = await person(await service(), 'eva@example.org');
    const made = (type?: string) => eva.call('POST', '/v2/spaces', { name: 'lab-2', ...(type && { type }) });
    expect((await made()).json.type).toBe('team');
    for (const type of ['personal', 'team', 'default', 'premium']) expect((await made(type)).json.type).toBe(type);
    expect((await made('deleted')).json.message).toContain('body/type "deleted" is not one of "personal"');
  });

  it('cannot be deleted while it has devices; its deletion makes its keys invalid', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org');
    const { id } = await made.device();
    await made.call('POST', 'tags', { name: 'cold', color: '#00ffaa' });
    const { status, json } = await eva.call('DELETE', '');
    expect([status, json.message]).toEqual([409, 'the space still has devices (1): delete them first']);
    expect((await made.call('DELETE', '')).status).toBe(403);
    await eva.call('DELETE', `devices/${id}`);
    expect((await eva.call('DELETE', '')).status).toBe(204);
    expect((await made.call('GET', '/v2/spaces')).status).toBe(401);
  });

  it('cannot be created with an API key', async () => {
    const { call } = await service();
    expect((await call('POST', '/v2/spaces', { name: 'x' })).status).toBe(403);
  });
});

describe('an account', () => {
  /** Makes the account a member of many more spaces. */
  async function inMany({ store }: Awaited<ReturnType<typeof service>>, userId: string, count: number) {
    const [at, type] = [{ spaceId: null, key: null, createdAt: 0, dueAt: null, body: null }, 'team' as const];
    const ids = Array.from({ length: count }, (_, n) => idAt(START, n));
    await store.commit([
      ...ids.map((id) => ({ kind: 'space.put', row: { id, name: id, type, createdAt: 0 } }) as const),
      ...ids.map((id) => ({ kind: 'record.put', row: { family: `member-of/${userId}`, id, ...at } }) as const),
    ]);
    return ids;
  }

  it('is in 200 spaces at most, also if it creates or accepts several at a time', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org');
    await inMany(made, eva.id, 197);
    const created = await Promise.all(['a', 'b', 'c', 'd'].map((name) => eva.call('POST', '/v2/spaces', { name })));
    expect(created.map(({ status }) => status)).toEqual([201, 201, 409, 409]);
    expect(created[3]?.json).toMatchObject({ code: 'quota' });
    const { spaceId, apiKey = '' } = await ensureSpaceAndKey(made.store, { ...made.context, apiKey: 'another-key' });
    const invited = { email: 'eva@example.org' };
    const path = `/v2/spaces/${spaceId}/users/invite`;
    const { invite_token: token } = (await made.call('POST', path, invited, { 'x-api-key': apiKey })).json;
    const accepted = await made.call('POST', '/v2/auth/accept', { ...invited, token, password: PASSWORD });
    expect(accepted).toMatchObject({ status: 409, json: { code: 'quota' } });
  });

  it('lists at most fifty of its spaces in a turn, and counts the others without reading them', async () => {
    const made = await service();
    const eva = await person(made, 'eva@example.org');
    await inMany(made, eva.id, 150);
    const record = vi.spyOn(made.store, 'record');
    const read = () => record.mock.calls.filter(([family]) => family.startsWith('member/')).length;
    expect((await eva.call('GET', '/v2/spaces?limit=1')).headers['x-total']).toBe('151');
    expect(read()).toBe(1);
    /** How many spaces were read before each turn. */
    const before: number[] = [];
    const next = vi.spyOn(LoopTurns.prototype, 'next').mockImplementation(async () => void before.push(read() - 1));
    await eva.call('GET', '/v2/spaces?limit=500');
    expect(read()).toBe(152);
    expect(before).toEqual([0, 10, 60, 110]);
    next.mockRestore();
  });
});
