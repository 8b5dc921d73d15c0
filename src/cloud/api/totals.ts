/** Pages of lists with `x-total`; where counting reads too many items, `x-total-at-least` has a lower bound. */
import type { FastifyReply } from 'fastify';
import type { Id, Page } from '../store/store.js';

/** Maximum number of items that are counted. */
export const MOST_COUNTED = 10_000;
/** Number of items that one query reads to count them. */
const BATCH = 500;

interface Asked {
  readonly limit?: number;
  /** Cursor of the page. Default: the first page. */
  readonly offset?: Id;
}

/**
 * Reads a page, and sets the header with the number of items.
 * @param read reads any page of the list
 */
export async function pageOf<Item extends { readonly id: Id }>(
  reply: FastifyReply,
  { limit = 100, offset: after }: Asked,
  read: (page: Page) => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  const items = await read({ limit, after });
  const isAll = after === undefined && items.length < limit;
  setTotal(reply, isAll ? items.length : await countOf(read), MOST_COUNTED);
  return items;
}

/** Sets the header for a list of which at most `most` items were counted. If `count` reaches `most`, there may be more. */
export function setTotal(reply: FastifyReply, count: number, most: number): void {
  reply.header(count < most ? 'x-total' : 'x-total-at-least', count);
}

async function countOf(read: (page: Page) => Promise<readonly { readonly id: Id }[]>): Promise<number> {
  let count = 0;
  let after: Id | undefined;
  while (count < MOST_COUNTED) {
    const items = await read({ limit: BATCH, after });
    count += items.length;
    if (items.length < BATCH) break;
    after = items.at(-1)?.id;
  }
  return count;
}
