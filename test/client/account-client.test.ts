/** The methods for accounts and the audit log, against the real API on a loopback port. */
import { afterEach, describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { closeAll, closeLater, connected, failure } from './services.js';

afterEach(closeAll);

const EMAIL = 'eva@example.org';
const PASSWORD = 'correct horse battery staple';

async function eva() {
  const made = await connected();
  const { baseUrl, client, spaceId } = made;
  const { invite_token: token } = await client.inviteUser({ email: EMAIL, role: 'admin' });
  await DeviceCloudClient.accept(baseUrl, { token, email: EMAIL, password: PASSWORD });
  const loggedIn = async (password = PASSWORD) => {
    const { access_token: apiKey } = await DeviceCloudClient.login(baseUrl, { email: EMAIL, password });
    const own = new DeviceCloudClient({ baseUrl, apiKey, spaceId });
    closeLater(() => own.close());
    return own;
  };
  return { ...made, loggedIn };
}

describe('the client of a login', () => {
  it('lists the logins of the account and ends one of them', async () => {
    const { loggedIn } = await eva();
    const [first, second] = [await loggedIn(), await loggedIn()];
    const listed = await first.logins();
    const current = listed.filter((login) => login.current);
    expect([listed.length, current.length, current[0]?.from]).toEqual([3, 1, '127.0.0.1']);
    const [other] = (await second.logins()).filter((login) => login.current);
    expect(await first.endLogin(other?.id ?? '')).toBeUndefined();
    expect(await failure(second.spaces())).toMatchObject({ status: 401 });
  });

  it('logs out, which ends its login', async () => {
    const { loggedIn } = await eva();
    const own = await loggedIn();
    expect(await own.logout()).toBeUndefined();
    expect(await failure(own.space())).toMatchObject({ status: 401 });
  });

  it('changes the password, which ends its own login as well', async () => {
    const { loggedIn, baseUrl, spaceId } = await eva();
    const own = await loggedIn();
    const wrong = own.changePassword({ password: 'not the password', new_password: 'another password' });
    expect(await failure(wrong)).toMatchObject({ status: 403, body: { code: 'wrong-password' } });
    const token = await own.changePassword({ password: PASSWORD, new_password: 'another password' });
    expect(await failure(own.space())).toMatchObject({ status: 401 });
    const renewed = new DeviceCloudClient({ baseUrl, apiKey: token.access_token, spaceId });
    closeLater(() => renewed.close());
    expect((await renewed.space()).id).toBe(spaceId);
    expect((await (await loggedIn('another password')).space()).id).toBe(spaceId);
  });
});

it('the methods for an account are rejected for an API key', async () => {
  const { client } = await connected();
  for (const call of [client.logout(), client.logins(), client.endLogin('00000000-0000-4000-8000-000000000000')]) {
    expect(await failure(call)).toMatchObject({ status: 403 });
  }
});

it('the client reads one page of the audit log or all of it, unless its key has only read access', async () => {
  const { client, baseUrl, spaceId } = await connected({}, { audited: true });
  const { id } = await client.createTag({ name: 'cold', color: '#00ffaa' });
  const reader = await client.createKey({ name: 'reader', access_type: 'read' });
  const [, entry] = await client.audit({ limit: 2 });
  expect(entry).toMatchObject({ action: 'createTag', target_id: id, actor_type: 'key', from: '127.0.0.1' });
  const actions: string[] = [];
  for await (const { action } of client.wholeAudit()) actions.push(action);
  expect(actions).toEqual(['createKey', 'createTag']);
  const reading = new DeviceCloudClient({ baseUrl, apiKey: reader.key, spaceId });
  closeLater(() => reading.close());
  expect(await failure(reading.audit())).toMatchObject({ status: 403 });
});
