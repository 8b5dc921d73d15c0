/** Hashes of passwords. */
import { expect, it } from 'vitest';
import { hashPassword, verifyPassword } from '../../../src/cloud/accounts/passwords.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { CHEAP } from '../../support/passwords.js';

const random = seededRandom('passwords');

it('a password has a cost of 16,384:8:5 by default', async () => {
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

it('the same password has another hash each time', async () => {
  const hashes = [
    await hashPassword('correct horse', random, CHEAP),
    await hashPassword('correct horse', random, CHEAP),
  ];
  expect(hashes[0]).not.toBe(hashes[1]);
});

it('no password is right for an account that does not exist', async () => {
  expect(await verifyPassword('', null, CHEAP)).toBe(false);
});
