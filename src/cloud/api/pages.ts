/**
 * Answers with pages of lists. A page may have megabytes, and made in one turn of the event loop it would delay all other
 * requests. So a page is read bit by bit, and its items are converted to JSON in pieces, each in a turn of the tenant. Of a large
 * page, a further piece is read and made when the client has taken the one before.
 */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { Id } from '../store/store.js';
import type { Caller } from './access.js';
import { Share, type Sharing } from './share.js';
import { MOST_COUNTED, setTotal } from './totals.js';

/** Number of items that are read first, when their size is not known. */
const FIRST = 10;
/** Most items in a piece. */
const IN_PIECE = 50;
/** Characters of JSON that are read at a time, about; a single item may be larger. */
const AT_A_TIME = 256 * 1024;
/** Pages up to this number of characters are sent as a whole. */
const LARGEST_WHOLE = 1024 * 1024;
/** Number of items that one query reads to count them. */
const BATCH = 500;

/** Items of a page as JSON, without the brackets of the list; empty if none of them is shown. */
interface Piece<Place> {
  readonly count: number;
  readonly last: Place | undefined;
  readonly text: string;
}

type Views<Item> = (items: readonly Item[]) => readonly object[] | Promise<readonly object[]>;

interface List<Item, Place = Id> {
  /** Reads any page of the list. */
  readonly read: (page: { readonly limit: number; readonly after: Place | undefined }) => Promise<readonly Item[]>;
  /** Views of some items, in their order. */
  readonly views: Views<Item>;
}

/** A page of a list. */
export interface Listing<Item, Place> extends List<Item, Place> {
  readonly limit: number;
  /** Place of the last item before the page; undefined: the first page. */
  readonly after: Place | undefined;
  readonly placeOf: (item: Item) => Place;
  /** Number of items that are read first, when their size is not known. Default: ten. */
  readonly first?: number;
}

/** The beginning of a page, when the answer begins. */
export interface Begun<Place> {
  readonly count: number;
  readonly last: Place | undefined;
  /** Whether this is the whole page. */
  readonly isWhole: boolean;
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
  const listing = { limit, after, read, views, placeOf: ({ id }: Item) => id };
  return sendListing(share, reply, listing, async ({ count, isWhole }) => {
    const isAll = after === undefined && isWhole && count < limit;
    setTotal(reply, isAll ? count : await countOf(read, share), MOST_COUNTED);
  });
}

/**
 * Answers with a page.
 * @param describe sets the headers
 */
export async function sendListing<Item, Place>(
  share: Share,
  reply: FastifyReply,
  listing: Listing<Item, Place>,
  describe: (begun: Begun<Place>) => Promise<void> | void,
): Promise<FastifyReply> {
  const pieces = piecesOf(share, listing);
  const begun: Piece<Place>[] = [];
  const isWhole = await take(pieces, begun);
  const count = begun.reduce((sum, piece) => sum + piece.count, 0);
  await describe({ count, last: begun.at(-1)?.last, isWhole });
  const texts = begun.flatMap(({ text }) => (text === '' ? [] : [text]));
  reply.type('application/json; charset=utf-8');
  if (!isWhole) return reply.send(Readable.from(textsOf(share, texts, pieces)));
  // The answer as a whole counts from now on (share.ts).
  share.release();
  return reply.send(`[${texts.join(',')}]`);
}

/** The place of the last item of a page whose beginning is known. The rest is read, and not kept. */
export async function lastOf<Item, Place>(
  share: Share,
  { limit, read, placeOf }: Listing<Item, Place>,
  { count, last: known, isWhole }: Begun<Place>,
): Promise<Place | undefined> {
  let last = known;
  for (let left = isWhole ? 0 : limit - count; left > 0; left -= FIRST) {
    await share.turn();
    const items = await read({ limit: Math.min(left, FIRST), after: last });
    last = placeAfter(items, placeOf) ?? last;
    if (items.length < FIRST) break;
  }
  return last;
}

/** The pieces of a page. Each counts from now on. While the client takes one, nothing else is kept. */
async function* piecesOf<Item, Place>(
  share: Share,
  { limit, after: from, read, views, placeOf, first = FIRST }: Listing<Item, Place>,
): AsyncGenerator<Piece<Place>> {
  let after = from;
  let size = first;
  for (let left = limit; left > 0; ) {
    await share.turn();
    const asked = Math.min(left, size);
    const items = [...(await read({ limit: asked, after }))];
    const found = items.length;
    after = placeAfter(items, placeOf);
    let length = 0;
    while (items.length > 0) {
      if (items.length < found) await share.turn();
      const piece = await pieceOf(items.splice(0, IN_PIECE), views, placeOf);
      length += piece.text.length;
      await share.hold(Buffer.byteLength(piece.text));
      yield piece;
    }
    if (found < asked) return;
    left -= asked;
    // The next items may be larger.
    size = Math.max(1, Math.floor((AT_A_TIME * found) / Math.max(1, length)));
  }
}

async function pieceOf<Item, Place>(
  items: readonly Item[],
  views: Views<Item>,
  placeOf: (item: Item) => Place,
): Promise<Piece<Place>> {
  const text = JSON.stringify(await views(items)).slice(1, -1);
  return { count: items.length, last: placeAfter(items, placeOf), text };
}

function placeAfter<Item, Place>(items: readonly Item[], placeOf: (item: Item) => Place): Place | undefined {
  const last = items.at(-1);
  return last === undefined ? undefined : placeOf(last);
}

/** Takes pieces until they are too large to be sent as a whole. True if there are no more. */
async function take<Place>(pieces: AsyncGenerator<Piece<Place>>, taken: Piece<Place>[]): Promise<boolean> {
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
async function* textsOf<Place>(
  share: Share,
  begun: string[],
  pieces: AsyncGenerator<Piece<Place>>,
): AsyncGenerator<string> {
  // They are not kept while the client takes them.
  yield `[${begun.splice(0).join(',')}`;
  for await (const { text } of pieces) {
    if (text !== '') yield `,${text}`;
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
