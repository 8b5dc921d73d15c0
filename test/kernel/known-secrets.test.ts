/** Secrets that a foreign text repeats. */
import { describe, expect, it } from 'vitest';
import { hideSecrets } from '../../src/kernel/known-secrets.js';

const SECRET = 'hün"ter <2>/&+_\'\\';
const hide = (text: string, ...secrets: readonly string[]) => hideSecrets(text, secrets, '***');

describe('a secret is hidden', () => {
  const inUrl = (text: string) => new URLSearchParams({ k: text }).toString().slice(2);
  const inHtml = (text: string) =>
    text.replace(
      /[&"<>']/g,
      (sign) => ({ '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;', "'": '&#39;' })[sign] ?? '',
    );
  const inUnits = (text: string) =>
    [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);

  it.each<readonly [form: string, write: (text: string) => string]>([
    ['as it is', (text) => text],
    ['in capital letters', (text) => text.toUpperCase()],
    ['as a part of an address', encodeURIComponent],
    ['with small percent escapes', (text) => encodeURIComponent(text).toLowerCase()],
    ['with percent escapes of percent escapes', (text) => encodeURIComponent(encodeURIComponent(text))],
    ['as a part of a form', inUrl],
    ['with escapes of JSON', inJson],
    ['with escapes of JSON in JSON', (text) => inJson(inJson(text))],
    ['with a slash that JSON may escape', (text) => inJson(text).replaceAll('/', '\\/')],
    ['with the numbers of its letters', inUnits],
    ['with escapes of HTML', inHtml],
    ['with decimal numbers of HTML', (text) => [...text].map((sign) => `&#${sign.codePointAt(0)};`).join('')],
    [
      'with hexadecimal numbers of HTML',
      (text) => [...text].map((sign) => `&#x${sign.codePointAt(0)?.toString(16)};`).join(''),
    ],
    ['with escapes of HTML in JSON', (text) => inJson(inHtml(text))],
    ['in hex', (text) => Buffer.from(text).toString('hex')],
    ['in hex with capital letters', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ])('%s', (_, write) => {
    expect(hide(`it is ${write(SECRET)}, ok`, SECRET)).toBe('it is ***, ok');
  });

  it.each(['', 'u:', 'ada:'])('in base64 behind %j, but for digits that it shares with others', (before) => {
    for (const secret of ['hunter2', 'hunter2h', 'hunter2hu']) {
      for (const alphabet of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${secret}`).toString(alphabet);
        const shown = hide(`it is ${text}`, secret);
        expect(shown.replace(/^it is [\w+/-]{0,7}\*\*\*[\w+/-]?={0,2}$/, 'hidden')).toBe('hidden');
      }
    }
  });

  it('beside others, in one mask', () => {
    expect(hide('a hunter2sesame b sesame', 'hunter2', 'sesame', 'nter2se')).toBe('a *** b ***');
  });

  it('if only a part of it is there, because it is long or has several lines', () => {
    const long = Array.from({ length: 100 }, (_, i) => String(100 + i)).join('');
    expect(hide(`${long.slice(100, 290)} x`, long)).toMatch(/^\d{28}\*\*\*\d{34} x$/);
    expect(hide('a BBBB\r\nc', 'AAAA\n  BBBB\n')).toBe('a ***\r\nc');
  });
});

it('the beginning of a secret is hidden at the end of a text, and where a text is cut off', () => {
  expect(hide('it is hunter', 'hunter2hunter2')).toBe('it is ***');
  expect(hide('"my hunte…" is not hunte', 'hunter2hunter2')).toBe('"my ***…" is not ***');
  expect(hide('a hunt for hunters', 'hunter2hunter2')).toBe('a hunt for hunters');
  expect(hide('abababababab… abababc', 'ababababc')).toBe('abab***… abababc');
});

it('other escapes stay as they are', () => {
  expect(hide('%41 \\n &lt; \\u0041 hunter2 %zz %E4 &#x999999;', 'hunter2')).toBe(
    '%41 \\n &lt; \\u0041 *** %zz %E4 &#x999999;',
  );
});

it('a secret with fewer than four characters is hidden only where it is the whole text', () => {
  expect([hide('on', 'on'), hide('only', 'on'), hide('', '')]).toEqual(['***', 'only', '']);
});
