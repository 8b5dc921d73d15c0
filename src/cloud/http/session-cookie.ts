/**
 * The cookie in which a browser keeps the credential of the web console. Scripts of a page cannot read it (HttpOnly), and the
 * browser does not send it with requests from other sites (SameSite=Strict). Its name contains the port, because browsers share
 * the cookies of a host between all of its ports.
 *
 * Browsers also count other ports of the same host as the same site. So a request with the cookie must also come from a page of
 * this service ({@link needSameOrigin}).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiFault } from './errors.js';

/** Begins the name of a cookie that no other host can set, not even one below the same domain. Needs HTTPS and all paths. */
const OF_HOST = '__Host-';

/** The credential in the cookie of a request; undefined without a cookie or without a valid value. */
export function cookieSecret(headers: IncomingHttpHeaders): string | undefined {
  if (headers.cookie === undefined) return undefined;
  const name = nameFor(headers.host);
  const pairs = headers.cookie.split(/;\s*/);
  const readPair = (wanted: string) => pairs.find((pair) => pair.startsWith(`${wanted}=`))?.slice(wanted.length + 1);
  const value = readPair(OF_HOST + name) ?? readPair(name) ?? '';
  return /^[\w.~-]{1,512}$/.test(value) ? value : undefined;
}

interface CookieOptions {
  /** Lifetime in seconds; 0 deletes the cookie. Default: until the browser is closed. */
  readonly maxAge?: number | undefined;
  /** Whether the browser reached the service over HTTPS, perhaps through a proxy. */
  readonly secure: boolean;
  /** Path below which the browser reaches the service, without a slash at its end; default: all paths. */
  readonly prefix?: string | undefined;
}

/** The header `Set-Cookie` that keeps a credential. */
export function sessionCookie(
  headers: IncomingHttpHeaders,
  secret: string,
  { maxAge, secure, prefix = '' }: CookieOptions,
): string {
  const name = (secure && prefix === '' ? OF_HOST : '') + nameFor(headers.host);
  const parts = [`${name}=${secret}`, `Path=${prefix}/`, 'HttpOnly', 'SameSite=Strict'];
  if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
  if (secure) parts.push('Secure');
  return parts.join('; ');
}

/** A request of a browser. */
interface Visit {
  readonly method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Host and port under which the browser reached the service, as a trusted proxy says. Default: the header `Host`. */
  readonly host?: string | undefined;
}

/**
 * Checks that a request comes from a page of this service. A browser says so in `Sec-Fetch-Site`; this is independent of the
 * changes of a proxy. Older browsers, and all browsers on pages without HTTPS, send only `Origin`, and only with requests that
 * change something. So GET and HEAD are accepted if both headers are missing.
 * @param publicOrigin origin under which a proxy makes the service public
 * @throws ApiFault 403 `foreign-origin`
 */
export function needSameOrigin(visit: Visit, publicOrigin?: string): void {
  const { method, headers } = visit;
  const { origin } = headers;
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  if (site !== undefined) throw foreign('');
  if (origin === undefined) {
    if (method === 'GET' || method === 'HEAD') return;
    throw foreign('; the request has neither Sec-Fetch-Site nor Origin');
  }
  const { host = headers.host } = visit;
  if (origin !== publicOrigin && hostOf(origin) !== host?.toLowerCase()) throw foreign(`; ${difference(visit)}`);
}

function foreign(details: string): ApiFault {
  const message = `the session of the console is only accepted from its own page${details}`;
  return new ApiFault(403, message, 'foreign-origin');
}

/** How the origin of the page differs from the host of the request, and what a proxy may lack. */
function difference({ headers, host = headers.host }: Visit): string {
  const { origin = '' } = headers;
  const found = `the page is at "${origin.slice(0, 100)}", the request is for "${host?.slice(0, 100) ?? ''}"`;
  const given = headers['x-forwarded-host'];
  if (hostOf(origin) === undefined) return found;
  const remedy =
    given !== undefined && given !== host
      ? 'X-Forwarded-Host is ignored because "serve --trust-proxy" does not name this proxy'
      : 'the proxy must send the host and port of the page in X-Forwarded-Host, and be named by "serve --trust-proxy"';
  return `${found}; ${remedy}; or start the service with --public-url`;
}

function nameFor(host = ''): string {
  return `ghostfleet-${/:(\d{1,5})$/.exec(host)?.[1] ?? 'console'}`;
}

/** Host and port of an origin; undefined for `null` and other texts that are not an origin. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
