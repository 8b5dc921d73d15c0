/**
 * Passwords are stored as scrypt hashes. They are slow to compute on purpose, and each has its own salt, so that passwords
 * cannot be recovered from a stolen database. (API keys need neither, see keys.ts.) OWASP lists several settings for scrypt as
 * equally strong. This one takes 16 MiB and about 0.2 s; settings with more memory would let a few concurrent logins use too
 * much of it.
 */
import { type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { type Random, randomBytes } from '../../kernel/random.js';

const COST = { N: 16_384, r: 8, p: 5 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Limits of a password's length in characters: the minimum makes guessing impractical, the maximum keeps hashing cheap. */
export const PASSWORD = { min: 8, max: 256 } as const;

/** Hashes a password, as `scrypt:N:r:p:salt:hash` with salt and hash in base64. */
export async function hashPassword(password: string, random: Random): Promise<string> {
  const salt = Buffer.from(randomBytes(random, SALT_BYTES));
  const hash = await derive(password, salt, HASH_BYTES, COST);
  return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64'), hash.toString('base64')].join(':');
}

/**
 * Whether `password` is the password that was hashed. Without a hash (the account does not exist) the result is false after
 * the same work, so that the response time does not reveal which accounts exist.
 */
export async function verifyPassword(password: string, hashed: string | null): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (hashed ?? NO_ACCOUNT).split(':');
  const wanted = Buffer.from(hash, 'base64');
  const cost = { N: Number(N), r: Number(r), p: Number(p) };
  const given = await derive(password, Buffer.from(salt, 'base64'), wanted.length, cost);
  return timingSafeEqual(given, wanted) && hashed !== null;
}

const NO_ACCOUNT = ['scrypt', COST.N, COST.r, COST.p, 'AAAAAAAAAAAAAAAAAAAAAA==', 'A'.repeat(43)].join(':');

function derive(password: string, salt: Buffer, length: number, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, cost, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
