import { describe, expect, it } from 'vitest';
import { idAt, T0 } from '../store/rows.js';
import { PASSWORD, person, withKey } from './people.js';
import { service } from './service.js';

interface Entry {
  readonly action: string;
  readonly actor_id: string;
  readonly target_id: string;
}

async function audited() {
  const made = await service({}, (context) => ({ ...context, audited: true }));
  const log = async (): Promise<Entry[]> => (await made.call('GET', 'audit')).json;
  return { ...made, log };
}

describe('the audit log', () => {
  it('lists who did what, when and from where, newest first', async () => {
    const { call, log } = await audited();
    const { id } = (await call('POST', 'keys', { name: 'script' })).json;
    const [{ id: first }] = (await call('GET', 'keys')).json;
    await call('DELETE', `keys/${id}`);
    const made = { actor_type: 'key', actor_id: first, target_id: id, from: '127.0.0.1' };
    const at = '2026-01-01T00:00:00.000Z';
    expect(await log()).toEqual([
      { id: expect.any(String), at, action: 'deleteKey', ...made },
      { id: expect.any(String), at, action: 'createKey', ...made },
    ]);
    const [newest] = (await call('GET', 'audit?limit=1')).json;
    expect((await call('GET', `audit?offset=${newest.id}`)).json).toMatchObject([{ action: 'createKey' }]);
  });

  it('contains successful and failed logins of members, but no password or token', async () => {
    const made = await audited();
    const eva = await person(made, 'eva@example.org');
    const login = (password: string) => made.call('POST', '/v2/auth/login', { email: 'eva@example.org', password });
    await login('wrong password');
    const { access_token: token } = (await login(PASSWORD)).json;
    await eva.call('POST', '/v2/auth/logout');
    const entries = await made.log();
    expect(entries.map(({ action }) => action)).toEqual([
      ...['logout', 'login', 'loginFailed', 'acceptInvitation', 'inviteUser'],
    ]);
    expect(entries.map(({ actor_id }) => actor_id).slice(0, 4)).toEqual([eva.id, eva.id, null, eva.id]);
    expect(JSON.stringify(entries)).not.toMatch(new RegExp(`${PASSWORD}|wrong password|${token}`));
  });

  it('contains the logins of a member that is in many older spaces', async () => {
    const made = await audited();
    const eva = await person(made, 'eva@example.org');
    const row = { family: `member-of/${eva.id}`, spaceId: null, key: null, createdAt: 0, dueAt: null, body: null };
    for (let n = 0; n < 199; n++) {
      const id = idAt(T0 - 1, n);
      await made.store.commit([
        { kind: 'space.put', row: { id, name: id, type: 'team', createdAt: 0 } },
        { kind: 'record.put', row: { ...row, id } },
      ]);
    }
    await made.call('POST', '/v2/auth/login', { email: 'eva@example.org', password: PASSWORD });
    expect((await made.log())[0]).toMatchObject({ action: 'login', actor_id: eva.id });
  });

  it('contains no failed login of an unknown account, which the log names by its address', async () => {
    const made = await audited();
    await made.call('POST', '/v2/auth/login', { email: 'stranger@example.org', password: 'wrong password' });
    expect(await made.log()).toEqual([]);
    const fields = { security: 'login', from: '127.0.0.1' };
    expect(made.logged).toEqual([{ level: 'warn', fields, message: 'a login failed: unknown account' }]);
  });

  it('contains failed invitations and changes of the password as failed logins', async () => {
    const made = await audited();
    const eva = await person(made, 'eva@example.org');
    await eva.call('POST', '/v2/auth/password', { password: 'wrong', new_password: PASSWORD });
    await made.call('POST', '/v2/auth/accept', { token: 'none', email: 'eva@example.org', password: 'wrong password' });
    expect((await made.log()).map(({ action }) => action).slice(0, 2)).toEqual(['loginFailed', 'loginFailed']);
  });

  it('contains neither reads nor rejected requests nor downlinks', async () => {
    const { call, device, log } = await audited();
    const { id } = await device();
    await call('POST', `devices/${id}/commands`, ['info show']);
    await call('GET', 'devices');
    await call('POST', 'tags', { name: 'x' });
    expect((await log()).map(({ action, target_id }) => [action, target_id])).toEqual([['createDevice', id]]);
  });

  it('can be read only by admins, and cannot be changed by any request', async () => {
    const made = await audited();
    const user = await person(made, 'bob@example.org', 'user');
    expect((await user.call('GET', 'audit')).status).toBe(403);
    const { key } = (await made.call('POST', 'keys', { name: 'reader', access_type: 'read' })).json;
    expect((await withKey(made.call, key)('GET', 'audit')).status).toBe(403);
    const [{ id }] = (await made.call('GET', 'audit')).json;
    for (const method of ['PUT', 'DELETE', 'POST']) expect((await made.call(method, `audit/${id}`)).status).toBe(404);
  });

  it('of a new space contains the creation of the space', async () => {
    const made = await audited();
    const eva = await person(made, 'eva@example.org');
    const { id } = (await eva.call('POST', '/v2/spaces', { name: 'second' })).json;
    const log = (await eva.call('GET', `/v2/spaces/${id}/audit`)).json;
    expect(log).toMatchObject([{ action: 'createSpace', actor_type: 'user', actor_id: eva.id, target_id: id }]);
  });

  it('of the other spaces of an account names the space that the account deleted', async () => {
    const made = await audited();
    const eva = await person(made, 'eva@example.org');
    const { id } = (await eva.call('POST', '/v2/spaces', { name: 'second' })).json;
    await eva.call('DELETE', `/v2/spaces/${id.toUpperCase()}`);
    expect((await made.log())[0]).toMatchObject({ action: 'deleteSpace', actor_id: eva.id, target_id: id });
  });
});
