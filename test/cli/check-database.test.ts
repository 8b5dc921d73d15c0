/** Databases that users name wrongly: an address is not taken for a file, because messages contain the names of files. */
import { describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const COMMANDS: readonly (readonly [string, (db: string) => readonly string[]])[] = [
  ['serve', (db) => ['serve', '--port', '0', '--db', db]],
  ['doctor', (db) => ['doctor', db]],
  ['backup', (db) => ['backup', db, '/nowhere/copy.db']],
  ['secrets', (db) => ['secrets', 'rotate', db]],
];
const MISTYPED = [
  ' postgres://user:hush@host/x',
  'postgress://user:hush@host/x',
  'postgres//user:hush@host/x',
  'user:hush@host/x',
  'pg://user:hu/sh@host/x',
];

describe('a mistyped address of a database', () => {
  it.each(COMMANDS)('is rejected by %s without its password', async (_, naming) => {
    for (const address of MISTYPED) {
      const { exit, out, err } = await ghostfleet(naming(address));
      expect([exit, err]).toEqual([2, expect.stringContaining('the database (hidden) is not the path of a file')]);
      expect(out + err).not.toMatch(/hush|hu\/sh/);
    }
  });

  it('does not prevent paths that begin with a dot or a slash', async () => {
    const { exit, err } = await ghostfleet(['doctor', './a:b@c.db']);
    expect([exit, err]).toEqual([2, expect.stringContaining('"./a:b@c.db"')]);
  });
});
