/** The cost of passwords in tests: the lowest that scrypt accepts. With the default cost, each hash or check takes 0.2 s. */
import type { PasswordCost } from '../../src/cloud/accounts/passwords.js';

export const CHEAP: PasswordCost = { N: 2, r: 1, p: 1 };
