/** Databases that users name wrongly: an address is not taken for a file, because messages contain the names of files. */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkDatabase } from '../../src/cli/check-database.js';
import { openStore } from '../../src/cloud/open-store.js';
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
  'host=127.0.0.1 port=5432 user=u password=hush dbname=x',
  'dbname=x password = hush',
  'Server=h;User Id=u;Password=hush',
  'PGPASSWORD=hush psql',
  'h:5432:db:u:hush',
  '//u:hush@h/db',
  'h/db?password=hush',
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

describe('a name that SQLite would not take for that of a file', () => {
  const NAMES: readonly (readonly [string, string])[] = [
    [':memory:', 'write "memory" to keep no data, or "./:memory:"'],
    [':x', 'write "memory" to keep no data, or "./:x"'],
    ['file:a.db?mode=memory', 'write the path alone, such as "ghostfleet.db", or "memory" to keep no data'],
    ['FILE:/nowhere/a.db', 'write the path alone, such as "ghostfleet.db", or "memory" to keep no data'],
    ['sqlite:a.db', 'write the path alone, such as "ghostfleet.db", or "memory" to keep no data'],
    ['Memory', 'write "memory", or "./Memory"'],
    ['-', 'write "./-"'],
    ['', 'expected the path of a file, such as "ghostfleet.db"'],
    ['/nowhere/a.db ', 'write "/nowhere/a.db"'],
    [`/nowhere/${'ü'.repeat(118)}`, 'choose a name of at most 222 bytes'],
    [`/nowhere/${'x'.repeat(253)}`, 'choose a name of at most 222 bytes'],
    ...['wal', 'shm', 'journal', 'key', 'owner', 'tail'].map(
      (end) => [`/nowhere/a.db-${end}`, 'write "/nowhere/a.db"'] as const,
    ),
  ];

  it.each(COMMANDS)('is rejected by %s with what to write, and leaves no file', async (_, naming) => {
    const before = readdirSync('.');
    for (const [name, hint] of NAMES) {
      const { exit, err } = await ghostfleet(naming(name));
      expect([exit, err]).toEqual([2, expect.stringContaining(`"${name}" is not the path of a database file: `)]);
      expect(err).toContain(`\n${hint}\n`);
    }
    expect(readdirSync('.')).toEqual(before);
  });

  it('is not "memory", the name of the store that keeps no data', () => {
    expect(checkDatabase('memory')).toBe('memory');
  });

  it('is rejected as the target of a backup, and by the library', async () => {
    const { exit, err } = await ghostfleet(['backup', '/nowhere/a.db', ':memory:']);
    expect([exit, err]).toEqual([2, expect.stringContaining('":memory:" is not the path of a database file')]);
    await expect(openStore('file::memory:')).rejects.toThrow('"file::memory:" is not the path of a database file');
    await expect(openStore('host=h password=hush')).rejects.toThrow('the database (hidden) is not the path of a file');
  });
});
