/** Requests for one space, typed: what calls are made of. */
import { ApiError } from './errors.js';
import type { JsonHttp, Query } from './http.js';
import type { Message } from './types.js';

export class Requests {
  /** Path of the space, under which nearly everything is. */
  readonly space: string;
  readonly #http: JsonHttp;

  constructor(http: JsonHttp, spaceId: string) {
    this.space = `/v2/spaces/${encodeURIComponent(spaceId)}`;
    this.#http = http;
  }

  /** Path of one item of a family, such as `devices`. */
  item(family: string, id: string): string {
    return `${this.space}/${family}/${encodeURIComponent(id)}`;
  }

  // In these four the answer's type is taken on trust: types.ts is what the service promises.
  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.#http.request('GET', path, query)) as T;
  }

  async post<T>(path: string, body?: unknown): Promise<T> {
    return (await this.#http.request('POST', path, {}, body)) as T;
  }

  async put<T>(path: string, body: unknown): Promise<T> {
    return (await this.#http.request('PUT', path, {}, body)) as T;
  }

  async delete(path: string): Promise<void> {
    await this.#http.request('DELETE', path);
  }

  /** A request that is answered with a message. */
  async postMessage(path: string, body?: unknown): Promise<Message> {
    const answer = await this.post<unknown>(path, body);
    if (!isMessage(answer)) throw new ApiError(200, 'the answer is no message', 'POST', path);
    return withBody(answer);
  }
}

/**
 * Yields the items of all pages. The end is an empty page, not a short one: a service may give less than was asked for
 * (cloud API gaps, 2.5).
 */
export async function* everyPage<T extends { readonly id: string }>(
  fetch: (cursor: { readonly offset?: string }) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  let page = await fetch({});
  for (;;) {
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    page = await fetch({ offset: last.id });
  }
}

/** Whether an answer is what types.ts promises, as far as anybody depends on it who tells messages apart. */
export function isMessage(answer: unknown): answer is Message {
  return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string';
}

/** Some services send the body as JSON text (cloud API gaps, 3.5): here it is always the value. */
export function withBody(message: Message): Message {
  const { body } = message;
  if (typeof body !== 'string' || !/^\s*[[{]/.test(body)) return message;
  try {
    return { ...message, body: JSON.parse(body) };
  } catch {
    return message;
  }
}
