/** Reads a HAR file: an archive of HTTP requests, version 1.2. */
import type { Problems } from '../../input/document.js';
import { readJson } from '../../input/json.js';
import { InputError, quote } from '../../input/problems.js';
import { parseTime } from '../../kernel/calendar.js';
import { isObject } from '../../kernel/json-text.js';
import type { UnixMillis } from '../../kernel/time.js';
import { apiBase, plainBase, shownAddress } from '../../kernel/web-address.js';
import { type Entry, findUnfit, replayedPath } from './recorded-request.js';
import { HEADER_VALUE, isMethod } from './request.js';

/** Headers that are sent again. All others may have credentials, or belong to the client or the connection of the recording. */
const KEPT = ['accept', 'content-type', 'if-match', 'if-none-match'];
/** A file with more problems is probably the wrong file. */
const MOST_PROBLEMS = 20;

/** @param base address of the recorded API */
export function readHar(text: string, file: string, base: string | undefined, problems: Problems): readonly Entry[] {
  const top = { file, line: 1, column: 1 };
  const entries = entriesOf(text, file, problems);
  if (entries === undefined) return [];
  const api = base === undefined ? undefined : apiBase(base);
  if (api === undefined) {
    const wanted = `"base" needs the address of the recorded API; the file has ${listAddresses(entries)}`;
    problems.add(
      top,
      base === undefined ? wanted : `${quote(shownAddress(base))} is not the address of an API: ${wanted}`,
    );
    return [];
  }
  const before = problems.list.length;
  return entries.flatMap((entry, index) => {
    if (problems.list.length - before >= MOST_PROBLEMS) return [];
    const read = readEntry(entry, `${api.origin}${api.prefix}`);
    if (typeof read !== 'string') return [read];
    problems.add(top, `log.entries[${index}] ${read}`);
    return [];
  });
}

function entriesOf(text: string, file: string, problems: Problems): readonly unknown[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    try {
      readJson(text, file);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      for (const problem of error.problems) problems.add(problem, problem.message);
    }
    return undefined;
  }
  const log = isObject(value) ? value.log : undefined;
  if (isObject(log) && Array.isArray(log.entries)) return log.entries;
  problems.add({ file, line: 1, column: 1 }, 'this is not a HAR file: it has no list "log.entries"');
  return undefined;
}

/** `https://cloud.example (12 requests)` */
function listAddresses(entries: readonly unknown[]): string {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    const url = urlOf(entry);
    if (url === undefined) continue;
    const { origin } = new URL(url);
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  }
  const found = [...counts].sort(([, one], [, other]) => other - one).slice(0, 5);
  return found.length === 0 ? 'none' : found.map(([origin, count]) => `${plainBase(origin)} (${count})`).join(', ');
}

function urlOf(entry: unknown): string | undefined {
  const request = isObject(entry) ? entry.request : undefined;
  const url = isObject(request) ? request.url : undefined;
  return typeof url === 'string' && URL.canParse(url) ? url : undefined;
}

/** @returns what is wrong with the entry, or the entry */
function readEntry(entry: unknown, base: string): Entry | string {
  const url = urlOf(entry);
  if (!isObject(entry) || !isObject(entry.request) || url === undefined) return 'has no "request" with a "url"';
  const at = typeof entry.startedDateTime === 'string' ? timeOf(entry.startedDateTime) : undefined;
  if (at === undefined) return `has no "startedDateTime" such as "2026-03-01T06:00:00.250Z"`;
  const { method: written, headers, postData } = entry.request;
  if (typeof written !== 'string') return 'has no "request.method"';
  const method = written.toUpperCase();
  const path = pathBelow(url, base);
  if (path === undefined) return { skipped: 'another address' };
  if (isCached(entry)) return { skipped: 'answered by a cache' };
  if (isObject(entry.response) && entry.response.status === 0) return { skipped: 'no answer' };
  if (!isMethod(method)) return { skipped: NOT_SENT.has(method) ? method : 'another method' };
  const body = isObject(postData) ? readBody(postData) : undefined;
  if (body === null) return { skipped: 'a body that is not text' };
  const unfit = findUnfit(path, body);
  if (unfit !== undefined) return { skipped: unfit };
  const status = isObject(entry.response) && typeof entry.response.status === 'number' ? entry.response.status : 0;
  return {
    at,
    request: {
      method,
      path: replayedPath(path),
      status,
      ...(body !== undefined && method !== 'GET' && { body }),
      headers: { ...(body !== undefined && typeOf(postData)), ...keptHeaders(headers) },
    },
  };
}

/** Methods that browsers send and no load has. */
const NOT_SENT: ReadonlySet<string> = new Set(['HEAD', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Some tools write an offset without a colon. */
function timeOf(text: string): UnixMillis | undefined {
  return parseTime(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'), true);
}

/** Whether a browser sent no request: Chrome writes a field of its own, Firefox no timings. */
function isCached({ _fromCache, _fromDiskCache, timings }: Readonly<Record<string, unknown>>): boolean {
  return Boolean(_fromCache || _fromDiskCache) || (isObject(timings) && Object.keys(timings).length === 0);
}

/** The type of a body that a recording has beside it, but not among the headers. */
function typeOf(postData: unknown): Readonly<Record<string, string>> {
  const type = isObject(postData) ? postData.mimeType : undefined;
  return typeof type === 'string' && HEADER_VALUE.test(type) && type !== '' ? { 'content-type': type } : {};
}

/**
 * The body of a request; undefined for an empty one; null if the recording does not have it as text. Some browsers and proxies
 * write the fields of a form (`params`) instead of the text, or besides an empty one.
 */
function readBody({ text, params, mimeType, encoding }: Readonly<Record<string, unknown>>): string | null | undefined {
  if (encoding === 'base64') return null;
  const fields: readonly unknown[] = Array.isArray(params) ? params : [];
  if (typeof text === 'string' && text !== '') return text;
  if (fields.length === 0) return text === '' ? undefined : null;
  if (typeof mimeType !== 'string' || !mimeType.startsWith('application/x-www-form-urlencoded')) return null;
  const form = new URLSearchParams();
  for (const field of fields) {
    if (!isObject(field) || typeof field.name !== 'string') return null;
    form.append(field.name, typeof field.value === 'string' ? field.value : '');
  }
  return form.toString();
}

/** Path and query after the base address; undefined for another address. */
function pathBelow(url: string, base: string): string | undefined {
  const { origin, pathname, search } = new URL(url);
  const whole = `${origin}${pathname}`;
  return whole.startsWith(`${base}/`) ? whole.slice(base.length) + search : undefined;
}

function keptHeaders(headers: unknown): Readonly<Record<string, string>> {
  const list: readonly unknown[] = Array.isArray(headers) ? headers : [];
  return Object.fromEntries(
    list.flatMap((header) => {
      if (!isObject(header) || typeof header.name !== 'string' || typeof header.value !== 'string') return [];
      const name = header.name.toLowerCase();
      return KEPT.includes(name) && HEADER_VALUE.test(header.value) ? [[name, header.value]] : [];
    }),
  );
}
