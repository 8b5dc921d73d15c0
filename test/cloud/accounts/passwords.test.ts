/** Hashes of passwords. */
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
