/**
 * Passwords are stored as scrypt hashes. The hashes are slow to compute on purpose, and each has its own salt, so that it is
 * expensive to find the passwords in a stolen database by trial. (API keys need neither, see keys.ts.) OWASP lists several
 * settings for scrypt as equally strong. The setting here takes 16 MiB and about 0.2 s. With a setting that takes more memory,
 * a few concurrent logins could fill the memory of the service.
 *
 * Keyboards and systems write the same letter in different ways: "ñ" as one character, or as "n" and a tilde. So passwords are
 * hashed in the composed form (Unicode NFC).
 */
import { scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { type Random, randomBytes } from '../../kernel/random.js';
import { Semaphore } from '../../kernel/semaphore.js';

/** The parameters of scrypt (RFC 7914): memory and time grow with N and r, time with p. */
export interface PasswordCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

const computeScrypt = promisify<string, Buffer, number, PasswordCost, Buffer>(scrypt);

const DEFAULT_COST: PasswordCost = { N: 16_384, r: 8, p: 5 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** Hashes a password, as `scrypt:N:r:p:salt:hash` with salt and hash in base64. */
export async function hashPassword(password: string, random: Random, cost = DEFAULT_COST): Promise<string> {
  const salt = Buffer.from(randomBytes(random, SALT_BYTES));
  const hash = await derive(password.normalize('NFC'), salt, HASH_BYTES, cost);
  return formatted(cost, salt.toString('base64'), hash.toString('base64'));
}

/**
 * Whether `password` is the password that was hashed. For an account that does not exist, `hashed` is null: the result is
 * false, after the same work as for an existing account. So the response time does not reveal which accounts exist.
 * @param cost the cost of the check if `hashed` is null; a stored hash contains its own cost
 */
export async function verifyPassword(password: string, hashed: string | null, cost = DEFAULT_COST): Promise<boolean> {
  const [, N, r, p, salt = '', hash = ''] = (hashed ?? formatted(cost, NO_SALT, NO_HASH)).split(':');
  const wanted = Buffer.from(hash, 'base64');
  const own = { N: Number(N), r: Number(r), p: Number(p) };
  for (const form of formsOf(password)) {
    const given = await derive(form, Buffer.from(salt, 'base64'), wanted.length, own);
    if (timingSafeEqual(given, wanted) && hashed !== null) return true;
  }
  return false;
}

/** The password as it is hashed, and other forms in which an earlier version may have hashed it. */
function formsOf(password: string): ReadonlySet<string> {
  return new Set([password.normalize('NFC'), password, password.normalize('NFD')]);
}

const NO_SALT = 'AAAAAAAAAAAAAAAAAAAAAA==';
const NO_HASH = 'A'.repeat(43);

function formatted({ N, r, p }: PasswordCost, salt: string, hash: string): string {
  return ['scrypt', N, r, p, salt, hash].join(':');
}

/** Hashes are computed on other threads. One processor is left for the thread that answers all requests. */
const processors = new Semaphore(Math.max(1, availableParallelism() - 1));

async function derive(password: string, salt: Buffer, length: number, cost: PasswordCost): Promise<Buffer> {
  await new Promise<void>((resolve) => processors.acquire(resolve));
  try {
    return await computeScrypt(password, salt, length, cost);
  } finally {
    processors.release();
  }
}
