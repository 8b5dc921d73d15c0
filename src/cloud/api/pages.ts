/**
 * Answers with pages of lists. A page may have megabytes, and made in one turn of the event loop it would delay all other
 * requests. So a page is read in a turn of its tenant, and its items are converted to JSON in pieces, each in a turn. Of a large
 * page, a further piece is made when the client has taken the one before.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Id, Page } from '../store/store.js';
import type { Caller } from './access.js';
import { Share, type Sharing } from './share.js';
import { MOST_COUNTED, setTotal } from './totals.js';

/** Number of items in a piece. */
export const IN_PIECE = 10;
/** Pages up to this number of characters are sent as a whole. */
const LARGEST_WHOLE = 1024 * 1024;
/** Number of items that one query reads to count them. */
const BATCH = 500;

/** Items of a page as JSON, without the brackets of the list. */
export interface Piece {
  readonly count: number;
  readonly text: string;
}

type Views<Item> = (items: readonly Item[]) => readonly object[] | Promise<readonly object[]>;

interface List<Item> {
  /** Reads any page of the list. */
  readonly read: (page: Page) => Promise<readonly Item[]>;
  /** Views of some items, in their order. */
  readonly views: Views<Item>;
}

interface Asking extends Caller {
  /** Default: the first page, of 100 items. */
  readonly query: { readonly limit?: number; readonly offset?: Id };
}

/** Answers with a page, with the number of all items of the list in its header. */
export async function sendPage<Item extends { readonly id: Id }>(
  context: Sharing,
  request: Asking,
  reply: FastifyReply,
  { read, views }: List<Item>,
): Promise<FastifyReply> {
  const { limit = 100, offset: after } = request.query;
  const share = new Share(context, request, reply);
  await share.turn();
  const items = await read({ limit, after });
  const isAll = after === undefined && items.length < limit;
  setTotal(reply, isAll ? items.length : await countOf(read, share), MOST_COUNTED);
  return sendViews(share, reply, items, views);
}

/** Answers with the views of the items of a page. Its headers must be set. */
export function sendViews<Item>(
  share: Share,
  reply: FastifyReply,
  items: readonly Item[],
  views: Views<Item>,
): Promise<FastifyReply> {
  return sendPieces(share, reply, piecesOf(share, items, views), () => {});
}

/**
 * Answers with the pieces of a page.
 * @param describe called with the number of items that were converted when the answer begins, and whether there are no more
 */
export async function sendPieces(
  share: Share,
  reply: FastifyReply,
  made: AsyncGenerator<Piece>,
  describe: (count: number, isWhole: boolean) => void,
): Promise<FastifyReply> {
  const pieces = counted(share, made);
  const begun: Piece[] = [];
  const isWhole = await take(pieces, begun);
  describe(
    begun.reduce((sum, { count }) => sum + count, 0),
    isWhole,
  );
  const texts = begun.map(({ text }) => text);
  reply.type('application/json; charset=utf-8');
  if (!isWhole) return reply.send(Readable.from(textsOf(share, texts, pieces)));
  // The answer as a whole counts from now on (share.ts).
  share.release();
  return reply.send(`[${texts.join(',')}]`);
}

export function pieceOf(views: readonly object[]): Piece {
  return { count: views.length, text: JSON.stringify(views).slice(1, -1) };
}

async function* piecesOf<Item>(share: Share, items: readonly Item[], views: Views<Item>): AsyncGenerator<Piece> {
  for (let at = 0; at < items.length; at += IN_PIECE) {
    if (at > 0) await share.turn();
    const some = await views(items.slice(at, at + IN_PIECE));
    if (some.length > 0) yield pieceOf(some);
  }
}

/** The pieces, which count from now on. */
async function* counted(share: Share, pieces: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  for await (const piece of pieces) {
    await share.hold(Buffer.byteLength(piece.text));
    yield piece;
  }
}

/** Takes pieces until they are too large to be sent as a whole. True if there are no more. */
async function take(pieces: AsyncGenerator<Piece>, taken: Piece[]): Promise<boolean> {
  let size = 0;
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return true;
    taken.push(value);
    size += value.text.length;
    if (size > LARGEST_WHOLE) return false;
  }
}

/** The text of a list: each further piece is made when the client has taken the one before. */
async function* textsOf(share: Share, begun: readonly string[], pieces: AsyncGenerator<Piece>): AsyncGenerator<string> {
  yield `[${begun.join(',')}`;
  for await (const { text } of pieces) {
    yield `,${text}`;
    // The stream asks for the piece after this one when the client has taken the one before.
    share.release(1);
  }
  yield ']';
}

async function countOf(read: List<{ readonly id: Id }>['read'], share: Share): Promise<number> {
  let count = 0;
  let after: Id | undefined;
  while (count < MOST_COUNTED) {
    await share.turn();
    const items = await read({ limit: BATCH, after });
    count += items.length;
    if (items.length < BATCH) break;
    after = items.at(-1)?.id;
  }
  return count;
}
