/** Rights of files, in words. */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findDenied, rightsCommand } from '../../src/kernel/denied.js';

describe('a file that this process may not use', () => {
  const other = { path: 'a.db-wal', why: '', isOwn: false };
  const own = { path: 'a b.db', why: '', isOwn: true };

  it('can be given to its user, or only needs another mode', () => {
    expect(rightsCommand([own, other])).toBe(`sudo chown ${process.getuid?.()} a.db-wal`);
    expect(rightsCommand([own])).toBe("chmod 600 'a b.db'");
  });

  it('has no command if it is a directory, because that may be one of the system', () => {
    expect(rightsCommand([{ path: '/etc', why: '', isOwn: undefined }])).toBe(undefined);
  });

  it('is not one that does not exist', () => {
    expect(findDenied(join(tmpdir(), 'ghostfleet-nothing', 'here'), 'write')).toBe(undefined);
  });
});
