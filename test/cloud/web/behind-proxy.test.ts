/** The service behind a reverse proxy that changes host, port, scheme or path. `npm run border` runs real proxies. */
import { describe, expect, it } from 'vitest';
import type { ApiOptions } from '../../../src/cloud/api/index.js';
import { type PublicUrl, readPublicUrl } from '../../../src/cloud/http/public-url.js';
import { addWebConsole } from '../../../src/cloud/web/index.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { KEY, service } from '../api/service.js';

function at(url: string): PublicUrl {
  const read = readPublicUrl(url);
  if (!read) throw new Error(url);
  return read;
}

async function behindProxy(options: Partial<ApiOptions> = {}) {
  const { app, store, clock, ids, spaceId } = await service({ hosts: ['127.0.0.1', 'iot.example'], ...options });
  const { publicUrl = null } = options;
  addWebConsole(app, '/missing', { store, clock, ids, random: seededRandom('proxy'), lifetime: null, publicUrl });
  const ask = (method: 'GET' | 'POST' | 'DELETE', url: string, headers: Record<string, string>, payload?: object) =>
    app.inject({ method, url, headers, ...(payload && { payload }) });
  const signIn = (headers: Record<string, string>, path = '/console/session') =>
    ask('POST', path, headers, { credential: KEY });
  return { ask, signIn, spaceId };
}

const PAGE = 'https://iot.example:8443';
const TRUSTED = { trustProxy: ['127.0.0.1'] };

describe('the sign-in of the console', () => {
  it.each([
    [
      'a proxy passes on the host without the port, and the browser confirms the origin',
      { host: 'iot.example', origin: PAGE, 'sec-fetch-site': 'same-origin' },
      {},
    ],
    [
      'a proxy changes the host, and the browser confirms the origin',
      { host: '127.0.0.1:8080', origin: PAGE, 'sec-fetch-site': 'same-origin' },
      {},
    ],
    [
      'a trusted proxy sends the host in X-Forwarded-Host',
      { host: '127.0.0.1:8080', origin: PAGE, 'x-forwarded-host': 'iot.example:8443' },
      TRUSTED,
    ],
    [
      'a trusted proxy sends an upstream name as host',
      { host: 'backend', origin: PAGE, 'x-forwarded-host': 'iot.example:8443', 'x-forwarded-proto': 'https' },
      TRUSTED,
    ],
    ['the page has the public URL', { host: '127.0.0.1:8080', origin: PAGE }, { publicUrl: at(PAGE) }],
    ['the page is the service itself', { host: 'iot.example:8080', origin: 'http://iot.example:8080' }, {}],
  ])('is accepted if %s', async (_, headers, options) => {
    const { signIn, ask, spaceId } = await behindProxy(options);
    const answer = await signIn(headers);
    expect(answer.statusCode).toBe(201);
    expect(/; Secure/.test(String(answer.headers['set-cookie']))).toBe(headers.origin.startsWith('https:'));
    const cookie = String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
    expect(cookie.startsWith('__Host-')).toBe(headers.origin.startsWith('https:'));
    const made = await ask(
      'POST',
      `/v2/spaces/${spaceId}/tags`,
      { ...headers, cookie },
      { name: 'tag', color: '#000000' },
    );
    expect(made.statusCode).toBe(201);
    expect((await ask('DELETE', '/console/session', { ...headers, cookie })).statusCode).toBe(204);
  });

  it.each([
    [
      'the proxy changed the port',
      { host: 'iot.example', origin: PAGE },
      {},
      'the page is at "https://iot.example:8443", the request is for "iot.example"; the proxy must send the host and ' +
        'port of the page in X-Forwarded-Host, and be named by "serve --trust-proxy"; or start the service with --public-url',
    ],
    [
      'the proxy is not trusted',
      { host: '127.0.0.1:8080', origin: PAGE, 'x-forwarded-host': 'iot.example:8443' },
      {},
      'X-Forwarded-Host is ignored because "serve --trust-proxy" does not name this proxy',
    ],
    [
      'X-Forwarded-Host lacks the port',
      { host: 'iot.example', origin: PAGE, 'x-forwarded-host': 'iot.example' },
      TRUSTED,
      'the proxy must send the host and port of the page in X-Forwarded-Host',
    ],
    ['the proxy removed Origin', { host: 'iot.example' }, {}, 'the request has neither Sec-Fetch-Site nor Origin'],
    ['another site asks', { host: 'iot.example', origin: PAGE, 'sec-fetch-site': 'same-site' }, {}, 'its own page'],
    ['the public URL is another', { host: 'iot.example', origin: PAGE }, { publicUrl: at('https://x.example') }, PAGE],
  ])('is refused, and the message names what is missing, if %s', async (_, headers, options, words) => {
    const { signIn } = await behindProxy(options);
    const answer = await signIn(headers);
    expect([answer.statusCode, answer.json().code]).toEqual([403, 'foreign-origin']);
    expect(answer.json().message).toContain(words);
  });

  it('is refused under a host name that the proxy made up, with the header that it must pass on', async () => {
    const { signIn } = await behindProxy();
    const { message, code } = (await signIn({ host: 'backend', origin: PAGE })).json();
    expect(code).toBe('foreign-host');
    expect(message).toContain('not as "backend": a proxy must pass on the header Host of its caller');
  });
});

describe('a public URL with a path', () => {
  const publicUrl = at('https://iot.example/apps/iot/');

  it.each(['', '/apps/iot'])('serves everything if the proxy passes on the path %j', async (prefix) => {
    const { ask, spaceId } = await behindProxy({ publicUrl });
    const headers = { host: 'iot.example', 'x-api-key': KEY };
    const statusOf = async (path: string) => (await ask('GET', prefix + path, headers)).statusCode;
    expect(await statusOf('/')).toBe(200);
    expect(await statusOf(`/v2/spaces/${spaceId}/devices?limit=1`)).toBe(200);
    expect(await statusOf('/v2/documentation/')).toBe(200);
  });

  it('takes the cookie that only its host can set, and not one that a host below the same domain sets', async () => {
    const { signIn, ask, spaceId } = await behindProxy(TRUSTED);
    const headers = { host: 'iot.example', origin: 'https://iot.example', 'x-forwarded-proto': 'https' };
    const answer = await signIn(headers);
    const own = String(answer.headers['set-cookie']).split(';', 1)[0] ?? '';
    const foreign = 'ghostfleet-console=a-credential-of-another-host';
    const list = await ask('GET', `/v2/spaces/${spaceId}/tags`, { ...headers, cookie: `${foreign}; ${own}` });
    expect(list.statusCode).toBe(200);
  });

  it('restricts the cookie to the path', async () => {
    const { signIn } = await behindProxy({ publicUrl });
    const answer = await signIn({ host: 'iot.example', origin: 'https://iot.example' }, '/apps/iot/console/session');
    expect(answer.headers['set-cookie']).toMatch(/^ghostfleet-console=[^;]+; Path=\/apps\/iot\/; HttpOnly; .*Secure$/);
  });

  it('is the first server of the OpenAPI document', async () => {
    const { ask } = await behindProxy({ publicUrl });
    const { servers } = (await ask('GET', '/apps/iot/v2/documentation/json', { host: 'iot.example' })).json();
    expect(servers.map(({ url }: { url: string }) => url)).toEqual(['https://iot.example/apps/iot', '/']);
  });

  it('redirects to addresses below the path', async () => {
    const { ask } = await behindProxy({ publicUrl });
    const targetOf = async (path: string) => {
      const { location } = (await ask('GET', path, { host: 'iot.example' })).headers;
      return new URL(String(location), `https://iot.example${path}`).pathname;
    };
    expect(await targetOf('/apps/iot')).toBe('/apps/iot/');
    expect(await targetOf('/apps/iot/v2/documentation')).toBe('/apps/iot/v2/documentation/');
    expect(await targetOf('/apps/iot/v2/documentation/index.html')).toBe('/apps/iot/v2/documentation/');
  });

  it.each([
    'iot.example',
    'ftp://iot.example',
    'https://user:secret@iot.example',
    'https://iot.example/?a=b',
    'https://iot.example/#a',
    'https://iot.example/v2',
    'https://iot.example/console/a',
    'https://iot.example/a b',
  ])('cannot be %s', (url) => {
    expect(readPublicUrl(url)).toBeUndefined();
  });
});
