/**
 * `Members`: the admin that the operator of a service sets, changed passwords, and concurrent changes on two nodes, which are
 * services that share a store.
 */
import { describe, expect, it } from 'vitest';
import { Logins, type Proof } from '../../../src/cloud/accounts/logins.js';
import { Members } from '../../../src/cloud/accounts/members.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { CHEAP } from '../../support/passwords.js';
import { OTHER_SPACE, SPACE, space } from '../store/rows.js';

const EVA = 'eva@example.org';

async function proofOf(members: Members, email: string, password: string): Promise<Proof> {
  const proof = await members.login(email, password);
  if (proof === undefined) throw new Error('the password is right');
  return proof;
}

/** Accepts an invitation. */
async function accept(members: Members, acceptance: Parameters<Members['proveInvited']>[0]) {
  const proof = await members.proveInvited(acceptance);
  return proof && members.enter(proof);
}

async function nodes() {
  const store = new MemoryStore();
  await store.commit([{ kind: 'space.put', row: space() }]);
  const clock = new VirtualClock();
  const node = (name: string) => {
    const random = seededRandom(name);
    return new Members({ store, clock, ids: createIds(clock, random), random, passwordCost: CHEAP });
  };
  const random = seededRandom('logins');
  const logins = new Logins({ store, clock, ids: createIds(clock, random), random });
  return { store, clock, members: node('a'), other: node('b'), logins };
}

describe('the admin of the operator', () => {
  it('becomes the owner of the space; setting the same admin again writes nothing', async () => {
    const { members, store } = await nodes();
    await members.ensureAdmin(SPACE, EVA, 'first-password');
    const id = (await members.login('EVA@example.org', 'first-password'))?.userId;
    expect(await members.list(SPACE, { limit: 10 })).toMatchObject([
      { id, email: EVA, role: 'admin', state: 'active' },
    ]);
    expect(await members.ownerOf(SPACE)).toBe(id);
    expect(await members.spacesOf(id ?? '', { limit: 10 })).toEqual([SPACE]);
    const before = await store.record('user', null, id ?? '');
    await members.ensureAdmin(SPACE, EVA, 'first-password');
    expect(await store.record('user', null, id ?? '')).toEqual(before);
    expect(JSON.stringify(before)).not.toContain('first-password');
  });

  it('is said to have a new password only if it replaces another one', async () => {
    const { members } = await nodes();
    const set = (password: string) => members.ensureAdmin(SPACE, EVA, password);
    const said = [await set('first-password'), await set('first-password'), await set('second-password')];
    expect(said).toEqual([false, false, true]);
  });

  it('can be an existing user, who gets the given password and the role admin', async () => {
    const { members } = await nodes();
    await members.ensureAdmin(SPACE, 'adam@example.org', 'adams-password');
    const invited = await members.invite(SPACE, { email: EVA, role: 'user', name: 'Eva' });
    if (invited === 'known') throw new Error('the account exists already');
    await accept(members, { token: invited.token, email: EVA, password: 'first-password' });
    await members.ensureAdmin(SPACE, EVA, 'second-password');
    expect(await members.login(EVA, 'first-password')).toBeUndefined();
    expect(await members.login(EVA, 'second-password')).toMatchObject({ userId: invited.member.id });
    expect(await members.find(SPACE, invited.member.id)).toMatchObject({ role: 'admin', name: 'Eva' });
    expect(await members.ownerOf(SPACE)).not.toBe(invited.member.id);
  });
});

describe('an active admin of a space without an owner', () => {
  it('becomes the owner if the operator sets this admin with the same password', async () => {
    const { members, store } = await nodes();
    const invited = await members.invite(SPACE, { email: EVA, role: 'admin', name: 'Eva' });
    if (invited === 'known') throw new Error('the account exists already');
    await accept(members, { token: invited.token, email: EVA, password: 'first-password' });
    expect(await members.ownerOf(SPACE)).toBeNull();
    const before = await members.find(SPACE, invited.member.id);
    await members.ensureAdmin(SPACE, EVA, 'first-password');
    expect(await members.ownerOf(SPACE)).toBe(invited.member.id);
    expect(await members.find(SPACE, invited.member.id)).toEqual(before);
    store.commit = () => Promise.reject(new Error('a commit'));
    await members.ensureAdmin(SPACE, EVA, 'first-password');
  });
});

describe('a changed password', () => {
  it('ends the logins of its account and no others; setting the same password again ends no login', async () => {
    const { members, logins } = await nodes();
    const tokenOf = async (email: string) => {
      await members.ensureAdmin(SPACE, email, 'first-password');
      return (await logins.issue({ ...(await proofOf(members, email, 'first-password')), spaceId: null })).token;
    };
    const [eva, adam] = [await tokenOf(EVA), await tokenOf('adam@example.org')];
    await members.ensureAdmin(SPACE, EVA, 'first-password');
    expect(await logins.find(eva)).toBeDefined();
    await members.ensureAdmin(SPACE, EVA, 'second-password');
    expect(await logins.find(eva)).toBeUndefined();
    expect(await logins.find(adam)).toBeDefined();
  });
});

describe('a password that changes while it is checked', () => {
  it('makes every token of the old password invalid: issued before or after the change, for the account or for a space', async () => {
    const { members, other, logins } = await nodes();
    await members.ensureAdmin(SPACE, EVA, 'first-password');
    const checked = await proofOf(members, EVA, 'first-password');
    const { token } = await logins.issue({ ...checked, spaceId: null });
    const login = await logins.find(token);
    if (login === undefined) throw new Error('the token is good');
    await other.ensureAdmin(SPACE, EVA, 'second-password');
    const late = await Promise.all([null, SPACE].map((spaceId) => logins.issue({ ...checked, spaceId })));
    const ofSpace = await logins.issueFor(SPACE, token, login);
    for (const made of [token, ...[...late, ofSpace].map((issued) => issued.token)])
      expect(await logins.find(made)).toBeUndefined();
    const fresh = await logins.issue({ ...(await proofOf(members, EVA, 'second-password')), spaceId: null });
    expect(await logins.find(fresh.token)).toBeDefined();
  });
});

describe('concurrent changes on two nodes', () => {
  it('leave at least one admin', async () => {
    const { members, other } = await nodes();
    const admins = [];
    for (const email of [EVA, 'adam@example.org']) {
      const invited = await members.invite(SPACE, { email, role: 'admin', name: null });
      if (invited === 'known') throw new Error('the account exists already');
      await accept(members, { token: invited.token, email, password: 'a-password' });
      admins.push(invited.member);
    }
    const [eva, adam] = admins;
    if (!eva || !adam) throw new Error('there are two');
    const outcomes = await Promise.all([members.remove(eva), other.change(adam, { role: 'user' })]);
    expect(outcomes.filter((outcome) => outcome === 'last-admin')).toHaveLength(1);
    const left = await members.list(SPACE, { limit: 10 });
    expect(left.filter(({ role, state }) => role === 'admin' && state === 'active')).toHaveLength(1);
  });

  it('create one invitation if they invite the same existing account', async () => {
    const { members, other, store } = await nodes();
    await store.commit([{ kind: 'space.put', row: space({ id: OTHER_SPACE }) }]);
    await members.invite(OTHER_SPACE, { email: EVA, role: 'user', name: null });
    const invited = await Promise.all(
      [members, other, members].map((node) => node.invite(SPACE, { email: EVA, role: 'user', name: null })),
    );
    expect(invited.filter((outcome) => outcome === 'known')).toHaveLength(2);
  });

  it('set the first password of an account once: the other is checked against it', async () => {
    const { members, other, store } = await nodes();
    await store.commit([{ kind: 'space.put', row: space({ id: OTHER_SPACE }) }]);
    const eva = { email: EVA, role: 'user', name: null } as const;
    const [one, two] = [await members.invite(SPACE, eva), await other.invite(OTHER_SPACE, eva)];
    if (one === 'known' || two === 'known') throw new Error('the address is new in both spaces');
    const given = [
      { token: one.token, email: EVA, password: 'first-password' },
      { token: two.token, email: EVA, password: 'second-password' },
    ] as const;
    const [first, second] = [await members.proveInvited(given[0]), await other.proveInvited(given[1])];
    if (!first || !second) throw new Error('both are invited');
    expect([await members.enter(first), await other.enter(second)]).toEqual(['entered', 'changed']);
    expect(await other.proveInvited(given[1])).toBeUndefined();
    expect(await accept(other, { ...given[1], password: 'first-password' })).toBe('entered');
  });

  it('are all stored if they invite different addresses', async () => {
    const { members, other } = await nodes();
    const emails = Array.from({ length: 60 }, (_, n) => `user-${n}@example.org`);
    await Promise.all(
      emails.map((email, n) => [members, other][n % 2]?.invite(SPACE, { email, role: 'user', name: null })),
    );
    expect((await members.list(SPACE, { limit: 100 })).map(({ email }) => email).sort()).toEqual(emails.sort());
  });

  it('create one invitation if they invite the same new address', async () => {
    const { members, other } = await nodes();
    const eva = { email: EVA, role: 'user', name: null } as const;
    const outcomes = await Promise.all([members.invite(SPACE, eva), other.invite(SPACE, eva)]);
    expect(outcomes.filter((outcome) => outcome === 'known')).toHaveLength(1);
  });
});
