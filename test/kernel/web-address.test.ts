/** Addresses are shown without the secrets in them. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import {
  apiBase,
  plainBase,
  secretsInBasic,
  shownAddress,
  shownCommand,
  shownText,
} from '../../src/kernel/web-address.js';

describe('an address in a message', () => {
  it.each([
    ['http://127.0.0.1:8080', 'http://127.0.0.1:8080'],
    ['https://bob:S3cret@host/iot/', 'https://***@host/iot/'],
    ['https://S3cret@host', 'https://***@host'],
    ['https://:S3cret@host', 'https://***@host'],
    ['https://bob:S3%40cret@[::1]:8080', 'https://***@[::1]:8080'],
    ['https://bob:S3/cr@et@host', 'https://***@host'],
    ['http://bob:S3?cr#et@host:1/x', 'http://***@host:1/x'],
    ['http://bob:12#34@host:1/x', 'http://***@host:1/x'],
    ['http://bob:12?34@host', 'http://***@host'],
    ['http://bob:12/3@4@host', 'http://***@host'],
    ['http://bob:#34@host', 'http://***@host'],
    ['https://host:8443/in#state', 'https://host:8443/in#***'],
    ['https://host/@scope/x', 'https://host/@scope/x'],
    ['https://host/in?token=S3cret&sig=S3cret', 'https://host/in?token=***&sig=***'],
    ['https://host/in?S3cret', 'https://host/in?***'],
    ['https://host/in#access_token=S3cret', 'https://host/in#access_token=***'],
    ['postgres://bob:S3cret@db/x?password=S3cret', 'postgres://***@db/x?password=***'],
    ['cloud.example/?token=S3cret', 'cloud.example/?token=***'],
    ['cloud.example/?token=S3 cret', 'cloud.example/?token=***'],
    ['bob:S3cret@host', '***@host'],
    ['bob:S3//cret@host', '***@host'],
    ['//bob:S3cret@host', '//***@host'],
    ['http:/bob:12#34@host', '***@host'],
    ['http://bob:12\\34@host', 'http://***@host'],
    ['http://host/to/http://bob:S3cret@other', 'http://host/to/http://***@other'],
    ['embedded', 'embedded'],
  ])('%s is shown as %s', (address, shown) => expect(shownAddress(address)).toBe(shown));

  // All of these are addresses for a browser, and for this program.
  it.each([
    "http://bob:S3'cret@host:1/x",
    'http://bob:S3"cret@host:1/x',
    'http://bob:S3<cret@host:1/x',
    'http://bob:S3 cret@host:1/x',
    'http://bob:S3\tcret@host:1/x',
    ' http://bob:S3cret@host:1/x ',
    'http:/bob:S3cret@host:1/x',
    'http:bob:S3cret@host:1/x',
    'http:\\\\bob:S3cret@host:1/x',
    'http:///bob:S3cret@host:1/x',
  ])('%j is shown without its password, also in a command', (address) => {
    expect(apiBase(address)?.origin).toBe('http://host:1');
    expect(shownAddress(address)).toBe('http://***@host:1/x');
    expect(shownCommand(['run', address])).toBe("run 'http://***@host:1/x'");
    expect(shownCommand([`hook=${address}`])).toBe("'hook=http://***@host:1/x'");
  });

  it.each([
    ['url=https://bob:S3cret@host and "http://eve:S3cret@other/"', 'url=https://***@host and "http://***@other/"'],
    ["see http://bob:S3'cret@host", 'see http://***@host'],
    ['https://bob:S3cret@host/ http://eve:S3cret@other/', 'https://***@host/%20http://***@other/'],
    ['http://host/ http://eve:S3cret@other/', 'http://host/ http://***@other/'],
    ['bob@example.com wrote a@b.yaml', 'bob@example.com wrote a@b.yaml'],
  ])('is shown without its password in the text %s', (text, shown) => expect(shownText(text)).toBe(shown));
});

it('a command line is shown with quotation marks for the shell, and without passwords', () => {
  const words = ['ghostfleet', 'run', "it's.yaml", '--target', 'https://bob:S3cret@host', '--var', 'n=1'];
  expect(shownCommand(words)).toBe(`ghostfleet run 'it'\\''s.yaml' --target 'https://***@host' --var n=1`);
});

it('a command line has control characters in a form that a shell reads as the same words', () => {
  const words = ['printf', '%s|', 'line=two\nli\tn\\es', "it's\r\u0085.yaml", '\u202e1 ü'];
  const line = shownCommand(words);
  expect(line).toBe(String.raw`printf '%s|' $'line=two\nli\011n\\es' $'it\'s\015\302\205.yaml' $'\342\200\2561 ü'`);
  expect(execFileSync('bash', ['-c', line], { encoding: 'utf8' })).toBe(`${words.slice(2).join('|')}|`);
});

describe('the address of an API', () => {
  it('may have a user name and a password, a prefix, and the version as "serve" prints it', () => {
    const headers = { authorization: `Basic ${Buffer.from('bob:pä@ß').toString('base64')}` };
    expect(apiBase('https://bob:p%C3%A4%40%C3%9F@host:1/iot/v2/')).toEqual({
      origin: 'https://host:1',
      prefix: '/iot',
      headers,
    });
    expect(apiBase('http://host/v2')).toEqual({ origin: 'http://host', prefix: '', headers: {} });
    expect(apiBase('http://host/v2x/')).toEqual({ origin: 'http://host', prefix: '/v2x', headers: {} });
  });

  it.each([
    ['https://bob:S3cret@HOST:443/iot/v2/?token=S3cret', 'https://host/iot'],
    ['http://host:8080', 'http://host:8080'],
    ['bad://bob:S3cret@host', 'bad://***@host'],
  ])('%s without secrets is %s', (address, plain) => expect(plainBase(address)).toBe(plain));

  it.each([
    ['bob:S3cret', 'S3cret'],
    ['bob:S3:cret', 'S3:cret'],
    ['T0ken:', 'T0ken'],
    ['T0ken', 'T0ken'],
  ])('has a secret in its header for %s: %s', (given, secret) => {
    const pair = Buffer.from(given).toString('base64');
    expect(secretsInBasic(`Basic ${pair}`)).toEqual([pair, secret]);
  });

  it.each([
    'host:80',
    'ftp://host',
    'http://bob:%zz@host',
    'http://',
    'http://bob:12#34@host',
    'http://bob:1/2@host:80/iot',
  ])('is not %s', (text) => {
    expect(apiBase(text)).toBeUndefined();
  });
});
