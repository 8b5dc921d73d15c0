/** What must hold for a service behind a proxy, seen from a browser. */

import { readPublicUrl } from '../../src/cloud/http/public-url.js';
import { startService } from '../../src/cloud/service.js';
import { entropy } from '../../src/kernel/entropy.js';
import { SILENT } from '../../src/kernel/log.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { freePort } from './programs.js';
import { HOST, type ProxyCase, startProxy, urlOf } from './proxies.js';
import { type Answer, Visitor } from './visitor.js';

const KEY = 'a-key-behind-a-proxy';

/**
 * Starts a service and the proxy, and visits them. Returns what does not hold, one sentence each.
 * @param folder with the certificate `ca`
 * @param webConsole folder with the built console
 */
export async function problemsBehind(
  proxy: ProxyCase,
  { folder, ca, webConsole }: { readonly folder: string; readonly ca: string; readonly webConsole: string },
): Promise<readonly string[]> {
  const port = await freePort();
  const url = urlOf(proxy, port);
  const service = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: KEY, operated: true },
    ...{ clock: new RealClock(), random: entropy, trace: { emit: () => {} }, log: SILENT, webConsole },
    apiOptions: {
      hosts: ['127.0.0.1', 'localhost', HOST],
      trustProxy: proxy.trusts ? ['127.0.0.1'] : [],
      publicUrl: (proxy.hasPublicUrl && readPublicUrl(url)) || null,
    },
  });
  try {
    const running = await startProxy(proxy, port, Number(new URL(service.api).port), folder);
    try {
      const { spaceId } = service;
      const visits = [true, false].map((isModern) => visit({ proxy, url, spaceId, isModern, port, ca }));
      return (await Promise.all(visits)).flat();
    } finally {
      await running.stop();
    }
  } finally {
    await service.close();
  }
}

interface Visit {
  readonly proxy: ProxyCase;
  readonly url: string;
  readonly spaceId: string;
  readonly isModern: boolean;
  readonly port: number;
  readonly ca: string;
}

async function visit({ proxy, url, spaceId, isModern, port, ca }: Visit): Promise<readonly string[]> {
  const problems: string[] = [];
  const name = `a browser ${isModern ? 'with' : 'without'} Sec-Fetch-Site`;
  const expect = (holds: boolean, what: string, { status, text }: Answer) => {
    if (!holds) problems.push(`${name}: ${what} (${status} ${text.slice(0, 200)})`);
  };
  const visitor = new Visitor({ port, ca, isModern });
  const at = (path: string) => new URL(url + path);
  const signIn = await visitor.send('POST', at('/console/session'), { credential: KEY });
  if (!isModern && proxy.refusesOld !== undefined) {
    const isExplained = signIn.status === 403 && signIn.text.includes(proxy.refusesOld);
    expect(isExplained, `the refusal must name ${proxy.refusesOld}`, signIn);
    return problems;
  }
  expect(signIn.status === 201, 'the sign-in must succeed', signIn);
  const cookie = visitor.cookies[0] ?? '';
  expect(/; Secure/.test(cookie) === proxy.isSecure, `the cookie must be Secure over HTTPS only: ${cookie}`, signIn);
  const path = proxy.hasPublicUrl ? `Path=${proxy.path}/;` : 'Path=/;';
  expect(cookie.includes(path), `the cookie must have ${path} ${cookie}`, signIn);
  const tag = await visitor.send('POST', at(`/v2/spaces/${spaceId}/tags`), { name: `t-${isModern}`, color: '#000000' });
  expect(tag.status === 201, 'a change with the cookie must succeed', tag);
  const list = await visitor.send('GET', at(`/v2/spaces/${spaceId}/devices`));
  expect(list.status === 200, 'a list with the cookie must be answered', list);
  for (const page of ['/', ...(proxy.path === '' ? [] : ['']), '/v2/documentation', '/v2/documentation/index.html']) {
    const answer = await visitor.send('GET', at(page));
    expect(answer.status === 200, `the page "${page}" must be found`, answer);
    const base = at(page === '' ? '/' : page.startsWith('/v2') ? '/v2/documentation/' : page);
    for (const [, file = ''] of answer.text.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const loaded = await visitor.send('GET', new URL(file, base));
      expect(loaded.status === 200, `the file "${file}" of the page "${page}" must be found`, loaded);
    }
  }
  for (const path of proxy.what.endsWith('as documented')
    ? ['/metrics', '/metrics/', '/%6detrics', '/./metrics']
    : []) {
    const answer = await visitor.send('GET', at(path));
    expect(answer.status === 404, `"${path}" must be hidden`, answer);
  }
  const document = await visitor.send('GET', at('/v2/documentation/json'));
  const [server] = JSON.parse(document.text).servers;
  expect(server.url === (proxy.hasPublicUrl ? url : '/'), `the server of the document is "${server.url}"`, document);
  const end = await visitor.send('DELETE', at('/console/session'));
  expect(end.status === 204, 'the sign-out must succeed', end);
  const after = await visitor.send('GET', at('/v2/spaces'));
  expect(after.status === 401, 'the cookie must be gone after the sign-out', after);
  return problems;
}
