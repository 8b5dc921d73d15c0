/** The life of a login: its end, its limits, and the change of a password. */
import { describe, expect, it } from 'vitest';
import { hours, minutes } from '../../../src/kernel/time.js';
import { PASSWORD, person, withToken } from './people.js';
import { type Call, service } from './service.js';

const EMAIL = 'eva@example.org';
const OTHER = 'another correct battery';

async function withEva() {
  const made = await service({ legacyPaths: true, trustProxy: ['127.0.0.1'] });
  const eva = await person(made, EMAIL);
  const login = (password: string, from = '203.0.113.7') =>
    made.call('POST', '/v2/auth/login', { email: EMAIL, password }, { 'x-forwarded-for': from });
  return { ...made, eva, login };
}

async function opens(call: Call): Promise<boolean> {
  return (await call('GET', '')).status === 200;
}

describe('a login', () => {
  it('ends when its user logs out', async () => {
    const { call, eva, login } = await withEva();
    const second = withToken(call, await login(PASSWORD));
    expect((await eva.call('POST', '/v2/auth/logout')).status).toBe(204);
    expect([await opens(eva.call), await opens(second)]).toEqual([false, true]);
    expect((await call('POST', '/v2/auth/logout')).status).toBe(403);
  });

  it('is listed with its source, and can be ended by another login of the account', async () => {
    const { call, eva, login } = await withEva();
    const second = withToken(call, await login(PASSWORD));
    const list = (await second('GET', '/v2/auth/logins')).json;
    expect(list).toMatchObject([{ current: false }, { current: true, from: '203.0.113.7', space_id: null }]);
    expect((await second('DELETE', `/v2/auth/logins/${list[0].id}`)).status).toBe(204);
    expect((await second('DELETE', `/v2/auth/logins/${list[0].id}`)).status).toBe(404);
    expect([await opens(eva.call), await opens(second)]).toEqual([false, true]);
  });

  it('is not extended by a token for a space; the token ends with the login', async () => {
    const { call, clock, eva, spaceId } = await withEva();
    await clock.runUntil(hours(23));
    const bound = await eva.call('POST', '/v2/auth/space', { space_id: spaceId });
    expect(bound.json.expires_in).toBe(3600);
    const ofSpace = withToken(call, bound);
    expect(await opens(ofSpace)).toBe(true);
    await eva.call('POST', '/v2/auth/logout');
    expect(await opens(ofSpace)).toBe(false);
  });
});

describe('a token for a space', () => {
  async function tokens() {
    const { call, eva, spaceId } = await withEva();
    const bind = (by: Call) => by('POST', '/v2/auth/space', { space_id: spaceId });
    const bound = await bind(eva.call);
    const again = await bind(withToken(call, bound));
    return { first: eva.call, bound: withToken(call, bound), answers: [bound.json, again.json] };
  }

  it('is returned again for a request with this token', async () => {
    const { first, answers } = await tokens();
    expect(answers[1]).toEqual(answers[0]);
    expect((await first('GET', '/v2/auth/logins')).json).toHaveLength(2);
  });

  it('ends alone, if its login is ended', async () => {
    const { first, bound } = await tokens();
    const [, { id }] = (await first('GET', '/v2/auth/logins')).json;
    // Ids are accepted in upper case, too.
    expect((await first('DELETE', `/v2/auth/logins/${id.toUpperCase()}`)).status).toBe(204);
    expect([await opens(first), await opens(bound)]).toEqual([true, false]);
  });

  it('ends the login with which it was made, if it logs out', async () => {
    const { first, bound } = await tokens();
    expect((await bound('POST', '/v2/auth/logout')).status).toBe(204);
    expect([await opens(first), await opens(bound)]).toEqual([false, false]);
  });
});

describe('the change of a password', () => {
  it('needs the current password, ends all logins, and returns a new token', async () => {
    const { call, eva, login } = await withEva();
    const change = (password: string) => eva.call('POST', '/v2/auth/password', { password, new_password: OTHER });
    const wrong = await change('not the password');
    expect([wrong.status, wrong.json.code]).toEqual([403, 'wrong-password']);
    const fresh = await change(PASSWORD);
    expect([await opens(eva.call), await opens(withToken(call, fresh))]).toEqual([false, true]);
    expect([(await login(PASSWORD)).status, (await login(OTHER)).status]).toEqual([401, 200]);
    expect((await call('POST', '/v2/auth/password', { password: OTHER, new_password: PASSWORD })).status).toBe(403);
  });
});

describe('wrong passwords', () => {
  it('block further logins to the account from the same IP address for a minute after five attempts', async () => {
    const { clock, login } = await withEva();
    for (let n = 0; n < 5; n++) expect((await login('wrong')).status).toBe(401);
    const limited = await login(PASSWORD);
    expect([limited.status, limited.json.code, limited.headers['retry-after']]).toEqual([429, 'login-limit', '60']);
    expect((await login(PASSWORD, '198.51.100.1')).status).toBe(200);
    await clock.runUntil(minutes(1));
    expect((await login(PASSWORD)).status).toBe(200);
  });

  it('count together for logins, invitations and changes of the password', async () => {
    const { eva, call, login } = await withEva();
    const invitation = (await call('POST', 'users/invite', { email: 'bob@example.org' })).json.invite_token;
    const from = { 'x-forwarded-for': '198.51.100.1' };
    const accept = (password: string) =>
      call('POST', '/v2/auth/accept', { token: invitation, email: 'eva@example.org', password }, from);
    const change = (password: string) => eva.call('POST', '/v2/auth/password', { password, new_password: OTHER }, from);
    const wrong = [await login('wrong', '198.51.100.1'), await accept('wrong password'), await change('wrong')];
    expect(wrong.map(({ status }) => status)).toEqual([401, 401, 403]);
    await Promise.all([accept('wrong password'), accept('wrong password')]);
    const blocked = [await login(PASSWORD, '198.51.100.1'), await accept(PASSWORD), await change(PASSWORD)];
    expect(blocked.map(({ json }) => json.code)).toEqual(['login-limit', 'login-limit', 'login-limit']);
  });

  it('from many IP addresses do not block logins from an address that the user has used before', async () => {
    const { clock, login } = await withEva();
    expect((await login(PASSWORD, '203.0.113.7')).status).toBe(200);
    await clock.runUntil(minutes(20));
    for (let n = 0; n < 50; n++) await login('wrong', `198.51.100.${n}`);
    expect((await login(PASSWORD, '198.51.100.99')).status).toBe(429);
    expect((await login(PASSWORD, '203.0.113.7')).status).toBe(200);
  });

  it('for many accounts also block further logins from the same IP address', async () => {
    const { call, login } = await withEva();
    for (let n = 0; n < 50; n++) {
      const body = { email: `user-${n}@example.org`, password: 'wrong' };
      await call('POST', '/v2/auth/login', body, { 'x-forwarded-for': '198.51.100.1' });
    }
    expect((await login(PASSWORD, '198.51.100.1')).status).toBe(429);
  });
});
