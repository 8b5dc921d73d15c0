/** Typed requests for one space, from which the methods of the clients are built. */
import { itemsIn, messageIn, type Resource, resourceIn } from './answers.js';
import { ApiError } from './errors.js';
import { followEvents, type OpenStream } from './event-stream.js';
import { type JsonHttp, pathPart, type Query } from './http.js';
import type { EventQuery, Message, SpaceEvent } from './types.js';

export class Requests {
  /** Path of the space, such as `/v2/spaces/{id}`. */
  readonly space: string;
  readonly #http: JsonHttp;

  constructor(http: JsonHttp, spaceId: string) {
    this.space = `/v2/spaces/${pathPart(spaceId)}`;
    this.#http = http;
  }

  /** Path of one item. @param family resource name in the path, such as `devices` */
  item(family: string, id: string): string {
    return `${this.space}/${family}/${pathPart(id)}`;
  }

  /** Path below the space. @param path such as `/keys/{id}`; an empty path is rejected like an empty id */
  below(path: string): string {
    return `${this.space}/${path.replace(/^\//, '')}`;
  }

  // The types of the further fields are not checked: types.ts describes the answers of the service.

  /** Reads a resource. @throws ApiError if the answer is not an object with an id */
  async get<T extends Resource>(path: string): Promise<T> {
    return resourceIn(await this.#http.request('GET', path), 'GET', path);
  }

  /** A page of a list, with the offset of the next page, if the service says it. */
  async page<T extends Resource>(
    path: string,
    query: Query,
  ): Promise<{ readonly items: readonly T[]; readonly next: string | undefined }> {
    const { value, next } = await this.#http.page(path, query);
    return { items: itemsIn(value, path), next };
  }

  /** The items of a list. @throws ApiError if the answer is not a list of objects */
  async list<T extends Resource>(path: string, query: Query): Promise<readonly T[]> {
    return itemsIn(await this.#http.request('GET', path, query), path);
  }

  /** Creates or changes a resource. @throws ApiError if the answer is not an object with an id */
  async post<T extends Resource>(path: string, body?: unknown): Promise<T> {
    return resourceIn(await this.#http.request('POST', path, {}, body), 'POST', path);
  }

  async put<T extends Resource>(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<T> {
    return resourceIn(await this.#http.request('PUT', path, {}, body, headers), 'PUT', path);
  }

  /** A request whose answer is not a resource, so that the caller has to check it. */
  ask(method: 'GET' | 'POST', path: string, { query, body }: { query?: Query; body?: unknown } = {}): Promise<unknown> {
    return this.#http.request(method, path, query, body);
  }

  async delete(path: string): Promise<void> {
    await this.#http.request('DELETE', path);
  }

  /** The events of the space; each connection resumes after the last event. */
  events(query: EventQuery): AsyncGenerator<SpaceEvent> {
    const open: OpenStream = (parameters, lastId, signal) => {
      const headers = { accept: 'text/event-stream', ...(lastId !== undefined && { 'last-event-id': lastId }) };
      return this.#http.stream(`${this.space}/events`, parameters, headers, signal);
    };
    return followEvents(open, query);
  }

  /** A POST request whose answer is a message. @throws ApiError if the answer is not a message */
  async postMessage(path: string, body?: unknown): Promise<Message> {
    return messageIn(await this.ask('POST', path, { body }), 'POST', path);
  }
}

/** Yields the items of all pages of a list. */
export async function* everyPage<T extends { readonly id: string }>(
  path: string,
  fetch: FetchPage<T>,
  nextOf?: (page: readonly T[]) => string | undefined,
): AsyncGenerator<T> {
  for await (const page of pagesOf(path, fetch, nextOf)) yield* page;
}

/** Reads the page with this `offset`; without it, the first page. */
type FetchPage<T> = (cursor: { readonly offset?: string }) => Promise<readonly T[]>;

/**
 * Yields the pages of a list. The iteration ends at an empty page. A short page does not end it, because a service may return
 * fewer items than the limit (cloud C-9).
 * @param nextOf the `offset` of the page after this one; default: the id of its last item
 * @throws ApiError if two pages have the same one, so that the list would never end
 */
export async function* pagesOf<T extends { readonly id: string }>(
  path: string,
  fetch: FetchPage<T>,
  nextOf: (page: readonly T[]) => string | undefined = (page) => page.at(-1)?.id,
): AsyncGenerator<readonly T[]> {
  const ends = new Set<string>();
  for (let page = await fetch({}); ; ) {
    const [last, offset] = [page.at(-1), nextOf(page)];
    if (!last || offset === undefined) return;
    if (ends.has(offset))
      throw new ApiError(
        200,
        `the list ignores "offset": two of its pages end with the item "${last.id}"`,
        'GET',
        path,
      );
    ends.add(offset);
    yield page;
    page = await fetch({ offset });
  }
}
