/** A browser, as far as a service behind a proxy can tell: cookies with paths, `Origin`, `Sec-Fetch-Site`, a trusted authority. */
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export class Visitor {
  readonly #port: number;
  readonly #ca: string | undefined;
  readonly #isModern: boolean;
  readonly #cookies = new Map<string, { readonly pair: string; readonly path: string }>();

  /**
   * @param port where the proxy listens, on 127.0.0.1, whatever the host of the URLs
   * @param isModern whether it sends `Sec-Fetch-Site`
   */
  constructor({ port, ca, isModern }: { port: number; ca?: string | undefined; isModern: boolean }) {
    this.#port = port;
    this.#ca = ca;
    this.#isModern = isModern;
  }

  /** The attributes of the cookies that it has. */
  cookies: string[] = [];

  /** Follows redirects of a GET. */
  async send(method: string, url: URL, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const isSecure = url.protocol === 'https:';
    const cookie = [...this.#cookies.values()]
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ pair }) => pair);
    const given = {
      host: url.host,
      ...(method !== 'GET' && { origin: url.origin }),
      ...(this.#isModern && { 'sec-fetch-site': 'same-origin' }),
      ...(cookie.length > 0 && { cookie: cookie.join('; ') }),
      ...(body && { 'content-type': 'application/json' }),
      ...headers,
    };
    const options = { host: '127.0.0.1', port: this.#port, path: url.pathname + url.search, method, headers: given };
    const answer = await new Promise<Answer>((resolve, reject) => {
      const sent = isSecure
        ? httpsRequest({ ...options, ca: this.#ca, servername: url.hostname, agent: false })
        : httpRequest({ ...options, agent: false });
      sent.on('error', reject).on('response', (response) => {
        const { statusCode: status = 0, headers } = response;
        text(response).then((read) => resolve({ status, headers, text: read }), reject);
      });
      sent.end(body && JSON.stringify(body));
    });
    for (const set of answer.headers['set-cookie'] ?? []) this.#keep(set);
    const { location } = answer.headers;
    return location !== undefined && method === 'GET' ? this.send('GET', new URL(location, url)) : answer;
  }

  #keep(set: string): void {
    const [pair = '', ...attributes] = set.split('; ');
    const path = attributes.find((each) => each.startsWith('Path='))?.slice(5) ?? '/';
    this.#cookies.set(pair.split('=')[0] ?? '', { pair, path });
    this.cookies.push(attributes.join('; '));
  }
}
