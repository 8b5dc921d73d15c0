/** Hashes of passwords. */
import { scryptSync } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { hashPassword, verifyPassword } from '../../../src/cloud/accounts/passwords.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { CHEAP } from '../../support/passwords.js';

const random = seededRandom('passwords');

it('a password is hashed by default with scrypt at the cost N=16,384, r=8, p=5', async () => {
  const hashed = await hashPassword('correct horse', random);
  expect(hashed).toMatch(/^scrypt:16384:8:5:[\w+/]{22}==:[\w+/]{43}=$/);
  expect(await verifyPassword('correct horse', hashed)).toBe(true);
});

it('a stored password is checked with the cost that it was stored with', async () => {
  const hashed = await hashPassword('correct horse', random, CHEAP);
  expect(hashed).toMatch(/^scrypt:2:1:1:/);
  expect(await verifyPassword('correct horse', hashed)).toBe(true);
  expect(await verifyPassword('battery staple', hashed)).toBe(false);
});

it('a password gets a different hash each time it is hashed', async () => {
  const hashes = [
    await hashPassword('correct horse', random, CHEAP),
    await hashPassword('correct horse', random, CHEAP),
  ];
  expect(hashes[0]).not.toBe(hashes[1]);
});

it('no password is right for an account that does not exist', async () => {
  expect(await verifyPassword('', null, CHEAP)).toBe(false);
});

const COMPOSED = 'ma\u00f1ana \u00e9\uac01';
const MIXED = 'man\u0303ana \u00e9\uac01';

it.each([
  ['composed', COMPOSED],
  ['decomposed', COMPOSED.normalize('NFD')],
  ['in a mixture of both', MIXED],
])('a password that is set %s is right in each form of Unicode', async (_, password) => {
  const hashed = await hashPassword(password, random, CHEAP);
  for (const form of [COMPOSED, COMPOSED.normalize('NFD'), MIXED]) {
    expect(await verifyPassword(form, hashed)).toBe(true);
  }
  expect(await verifyPassword('manana e\uac01', hashed)).toBe(false);
});

it.each([
  ['composed', COMPOSED],
  ['decomposed', COMPOSED.normalize('NFD')],
  ['in a mixture of both', MIXED],
])('a password that an earlier version hashed %s stays right', async (_, password) => {
  const salt = Buffer.alloc(16, 7);
  const { N, r, p } = CHEAP;
  const hash = scryptSync(password, salt, 32, CHEAP).toString('base64');
  const hashed = ['scrypt', N, r, p, salt.toString('base64'), hash].join(':');
  expect(await verifyPassword(password, hashed)).toBe(true);
  expect(await verifyPassword(COMPOSED, hashed)).toBe(password !== MIXED);
});

it('a password with characters that only look alike is wrong', async () => {
  const hashed = await hashPassword('\ufb01n \u2460', random, CHEAP);
  expect(await verifyPassword('fin 1', hashed, CHEAP)).toBe(false);
});

it('hashes leave one processor for the other work of the service: one more than the others have waits', async () => {
  const others = Math.max(1, availableParallelism() - 1);
  const ended: string[] = [];
  const check = async (name: string, cost: { N: number; r: number; p: number }) => {
    await verifyPassword('correct horse', null, cost);
    ended.push(name);
  };
  const slow = Array.from({ length: others }, () => check('slow', { N: 4096, r: 8, p: 1 }));
  await Promise.all([...slow, check('cheap', CHEAP)]);
  expect(ended[0]).toBe('slow');
});

it('a stored hash with impossible parameters takes no place from the hashes after it', async () => {
  for (let n = 0; n < availableParallelism(); n++)
    await expect(verifyPassword('correct horse', 'scrypt:3:1:1:AAAA:AAAA')).rejects.toThrow();
  expect(await verifyPassword('correct horse', null, CHEAP)).toBe(false);
});
