/** Addresses of PostgreSQL databases. */
import { describe, expect, it } from 'vitest';
import { parsePostgresUrl } from '../../../src/cloud/store/postgres/url.js';

describe('the address of a PostgreSQL database', () => {
  it.each([
    'postgres://u:hush@a:5432,b:5432/db',
    'postgres://u:hush@a.example,b.example/db?sslmode=disable',
    'postgresql://a,b/db',
    'postgres://u:hush@a,b',
  ])('names one host: %s', (url) => {
    expect(() => parsePostgresUrl(url)).toThrow('the address of the PostgreSQL database has several hosts');
  });

  it('may have commas elsewhere', () => {
    const url = 'postgres://u%2Cv:a,b@host/d,e?options=-c%20a=1,2';
    expect(parsePostgresUrl(url).hostname).toBe('host');
  });

  it.each([
    ['target_session_attrs=read-write', 'target_session_attrs'],
    ['sslmode=disable&pgbouncer=true&schema=public', 'pgbouncer, schema'],
    ['foo', 'foo'],
    ['user=u&password=abc&Hush7', '(hidden)'],
    ['password=a&b-c=d&schema=x', '(hidden), schema'],
  ])('has no parameters that would be ignored: ?%s', (query, names) => {
    expect(() => parsePostgresUrl(`postgres://u:hush@h/d?${query}`)).toThrow(
      `the address of the PostgreSQL database has parameters without effect: ${names}`,
    );
  });
});
