/**
 * Passwords are kept as scrypt hashes: slow to make on purpose, and with a salt each, so that a stolen database is of little
 * use. (API keys need neither, see keys.ts.) Of the settings for scrypt that OWASP holds to be equally strong, this one takes
 * 16 MiB and about a fifth of a second: those with more memory would let a few logins at once take too much of it.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { type Random, randomBytes } from '../../kernel/random.js';

const COST = { N: 16_384, r: 8, p: 5 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** What a password has to be: long enough that nobody tries them all, short enough that hashing it is no burden. */
export const PASSWORD = { min: 8, max: 256 } as const;

/** `scrypt:N:r:p:salt:hash`, the last two in base64. */
export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = Buffer.from(randomBytes(random, SALT_BYTES));
  const hash = await derive(password, salt, HASH_BYTES, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join(':');
}

/**
 * Is it the password that was hashed? Without a hash (there is no such account) the same work is done for nothing: how long
 * the refusal takes must not tell who has an account.
 */
export async function verifyPassword(password: string, hashed: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (hashed ?? NOBODY).split(':');
  const wanted = Buffer.from(hash, 'base64');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, 'base64'), wanted.length, cost);
  return timingSafeEqual(given, wanted) && hashed !== null;
}

const NOBODY = ['scrypt', COST.N, COST.r, COST.p, 'AAAAAAAAAAAAAAAAAAAAAA==', 'A'.repeat(43)].join(':');

function derive(password: string, salt: Buffer, length: number, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
