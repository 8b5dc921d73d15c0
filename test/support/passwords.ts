/** The cost of passwords in tests: the least that scrypt accepts. The default takes 0.2 s for each password and each check. */
import type { PasswordCost } from '../../src/cloud/accounts/passwords.js';

export const CHEAP: PasswordCost = { N: 2, r: 1, p: 1 };
