/**
 * The cookie in which a browser keeps the credential of the web console. Scripts of a page cannot read it (HttpOnly), and
 * the browser does not send it with requests from other sites (SameSite=Strict). Its name contains the port, because browsers
 * share the cookies of a host between all of its ports.
 *
 * Browsers also count other ports of the same host as the same site. So a request with the cookie must also come from a page of
 * this service ({@link needSameOrigin}).
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ApiFault } from './errors.js';

/** The credential in the cookie of a request; undefined without a cookie or without a valid value. */
export function cookieSecret(headers: IncomingHttpHeaders): string | undefined {
  if (headers.cookie === undefined) return undefined;
  const prefix = `${nameFor(headers.host)}=`;
  const pair = headers.cookie.split(/;\s*/).find((each) => each.startsWith(prefix));
  const value = pair?.slice(prefix.length) ?? '';
  return /^[\w.~-]{1,512}$/.test(value) ? value : undefined;
}

interface CookieOptions {
  /** Lifetime in seconds; 0 deletes the cookie. Default: until the browser is closed. */
  readonly maxAge?: number;
  /** Whether the browser reached the service over HTTPS, perhaps through a proxy. */
  readonly secure: boolean;
}

/** The header `Set-Cookie` that keeps a credential. */
export function sessionCookie(headers: IncomingHttpHeaders, secret: string, { maxAge, secure }: CookieOptions): string {
  const parts = [`${nameFor(headers.host)}=${secret}`, 'Path=/', 'HttpOnly', 'SameSite=Strict'];
  if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
  if (secure) parts.push('Secure');
  return parts.join('; ');
}

/**
 * Checks that a request comes from a page of this service. A browser says so in `Sec-Fetch-Site`. An older browser sends only
 * `Origin`, and only with requests that change something. So GET and HEAD are accepted if both headers are missing.
 * @throws ApiFault 403 `foreign-origin`
 */
export function needSameOrigin(method: string | undefined, headers: IncomingHttpHeaders): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isOwnSite = site === undefined || site === 'same-origin';
  const isReading = method === 'GET' || method === 'HEAD';
  const isOwnOrigin =
    origin === undefined ? isReading || site === 'same-origin' : hostOf(origin) === host?.toLowerCase();
  if (isOwnSite && isOwnOrigin) return;
  throw new ApiFault(403, 'the session of the console is only accepted from its own page', 'foreign-origin');
}

function nameFor(host = ''): string {
  return `ghostfleet-${/:(\d{1,5})$/.exec(host)?.[1] ?? 'console'}`;
}

/** Host and port of an origin; undefined for `null` and other texts that are not an origin. */
function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}
