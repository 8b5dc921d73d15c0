/** A space's events as server-sent events. Readers get what the lists would show; permissions are checked for each page. */

import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { EventHeaders, EventQuery } from '../../contract/events.js';
import { SpaceParams } from '../../contract/values.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { RealClock } from '../../kernel/real-clock.js';
import { seconds } from '../../kernel/time.js';
import type { Feed, Page } from '../events/feed.js';
import { OpenStreams, STREAMS } from '../events/open-streams.js';
import { type Position, positionText } from '../events/position.js';
import { ApiFault } from '../http/errors.js';
import { EventStream, type Sent, type SharedEvent } from '../http/event-stream.js';
import { operation } from '../http/operation.js';
import type { EventRow, Id } from '../store/store.js';
import { tenantOf } from '../store/tenants.js';
import { type Access, visibleTag } from './access.js';
import { presentAccess, presentedSecret } from './auth.js';
import { eventBytes, isWanted } from './event-views.js';
import type { ApiContext, ApiOptions, Family } from './family.js';
import { kindsOf } from './messages.js';
import { callerOf } from './rate-limit.js';

/** Time without anything sent after which a stream sends its position, so that proxies and clients keep it open. */
const HEARTBEAT = seconds(15);
/** Pause after a page that is not full, in milliseconds, so that events in quick succession are sent together. */
const GATHERING = 20;
/** How many events of its space a reader looks at in a turn, and after how many bytes the turn ends. */
const IN_TURN = { events: 16, bytes: 65_536 } as const;
const TOO_MANY: Readonly<Record<keyof typeof STREAMS, string>> = {
  credential: `at most ${STREAMS.credential} streams of events per API key or account; close one`,
  space: `at most ${STREAMS.space} streams of events per space; close one`,
  all: `at most ${STREAMS.all} streams of events in all; retry later`,
};

const Stream = {
  description: 'Events as they happen, until the client or the service ends the stream.',
  content: { 'text/event-stream': { schema: Type.String() } },
};

export const events: Family = (routes, context, options) => {
  const { feed, store, turns, unsent } = context;
  const open = new OpenStreams();
  const patience = new RealClock();
  routes.addHook('preClose', async () => feed.close());

  routes.get(
    '/spaces/:space_id/events',
    {
      ...operation({
        tag: 'Events',
        id: 'streamEvents',
        summary: 'Follow events as they happen',
        description:
          'Server-sent events. `Last-Event-ID` resumes after an earlier event. `type` and `direction` filter the events ' +
          '`message` and `downlink`.',
        params: SpaceParams,
        querystring: EventQuery,
        headers: EventHeaders,
        // The cast is needed because the type of a description accepts only schemas of JSON, and this response is a stream.
        response: { 200: Stream as never },
        errors: {
          429: 'Too many requests, or too many streams of this API key or account, of this space or of all (`too-many-streams`).',
        },
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const tenant = await tenantOf(store, request.spaceId);
      const entered = open.enter({
        ...{ space: request.spaceId, tenant },
        // An account can make any number of tokens.
        credential: request.access.userId ?? callerOf(request),
      });
      if (typeof entered === 'string') throw new ApiFault(429, TOO_MANY[entered], 'too-many-streams');
      const { displaced, leave } = entered;
      try {
        const release = await feed.hold();
        try {
          const start = await startOf(feed, request.headers['last-event-id'], request.spaceId);
          const stream = new EventStream(reply, patience);
          const makeRoom = () => stream.end(ending('limit', 'the service has too many streams: connect again later'));
          if (displaced.aborted) makeRoom();
          displaced.addEventListener('abort', makeRoom);
          const hold = (event: Buffer) => unsent.hold(tenant, event, () => stream.cut());
          const shared = { nextTurn: () => turns.next(tenant), hold };
          await new Reader(stream, request, { context, options, ...shared }).follow(start);
        } finally {
          release();
        }
      } finally {
        leave();
      }
    },
  );
};

interface Start {
  readonly position: Position;
  /** Whether the reader has named a position. */
  readonly isGiven: boolean;
}

/** Where a stream begins. */
async function startOf(feed: Feed, lastId: string | undefined, spaceId: Id): Promise<Start> {
  if (lastId === undefined || lastId === '') return { position: await feed.newest(), isGiven: false };
  return { position: feed.behind(lastId, spaceId), isGiven: true };
}

interface ReaderOptions {
  readonly context: ApiContext;
  readonly options: ApiOptions;
  readonly nextTurn: () => Promise<void>;
  /** Counts bytes that the client has not received, until the returned function is called. */
  readonly hold: (event: Buffer) => () => void;
}

/** One client that follows the events. */
class Reader {
  readonly #stream: EventStream;
  readonly #context: ApiContext;
  readonly #options: ApiOptions;
  readonly #nextTurn: ReaderOptions['nextTurn'];
  readonly #hold: ReaderOptions['hold'];
  readonly #secret: string;
  readonly #spaceId: Id;
  readonly #query: Static<typeof EventQuery>;
  #position: Position = { edition: '', seq: 0 };
  /** The rest of a page that has more than a turn permits. */
  #rest: Page | undefined;

  constructor(
    stream: EventStream,
    { headers, spaceId, query }: Pick<FastifyRequest, 'headers' | 'spaceId'> & { query: Static<typeof EventQuery> },
    { context, options, nextTurn, hold }: ReaderOptions,
  ) {
    this.#stream = stream;
    this.#context = context;
    this.#options = options;
    this.#nextTurn = nextTurn;
    this.#hold = hold;
    this.#secret = presentedSecret(headers) ?? '';
    this.#spaceId = spaceId;
    this.#query = query;
  }

  async follow({ position, isGiven }: Start): Promise<void> {
    const { feed, log } = this.#context;
    this.#position = position;
    try {
      // If the client gave a position, `hello` has no id: the position may no longer be valid, and then `reset` follows.
      await this.#send({
        event: 'hello',
        data: { resumed: isGiven && !feed.isGone(position), heartbeat_seconds: HEARTBEAT / 1000 },
        id: isGiven ? undefined : this.#id,
      });
      while (!this.#stream.isOver && !feed.isClosed) await this.#turn();
      this.#stream.end(ending('shutdown', 'the service is shutting down: connect again'));
    } catch (error) {
      this.#stream.end(endingFor(error, log));
    }
  }

  /** Sends the next events, or waits for new ones. After some time without anything to send, sends the position. */
  async #turn(): Promise<void> {
    const { feed } = this.#context;
    const news = feed.news(this.#spaceId);
    try {
      const sent = await this.#sendSome();
      if (sent === 'some') await this.#stream.wait(GATHERING);
      if (sent === 'none') {
        await this.#stream.wait(Math.max(0, HEARTBEAT - this.#stream.silence), news.arrived);
        // Events of other spaces do not wake this reader; it skips them now, so that its position stays valid.
        this.#position = feed.skip(this.#position, news);
      }
      // The filter may hide all events for long.
      if (this.#stream.silence < HEARTBEAT) return;
      await this.#send({ id: this.#id });
      await feed.keep();
    } finally {
      news.cancel();
    }
  }

  async #sendSome(): Promise<'none' | 'some' | 'full'> {
    const { feed } = this.#context;
    await this.#nextTurn();
    const access = await presentAccess(this.#secret, this.#spaceId, this.#context);
    const page = feed.isGone(this.#position)
      ? 'gone'
      : (this.#rest ?? (await feed.after(this.#position, this.#spaceId)));
    this.#rest = undefined;
    if (page === 'gone') {
      this.#position = await feed.newest();
      await this.#send({ event: 'reset', id: this.#id, data: RESET });
      return 'some';
    }
    let [events, bytes] = [0, 0];
    for (const row of page.rows) {
      if (events === IN_TURN.events || bytes >= IN_TURN.bytes) {
        this.#rest = { ...page, rows: page.rows.slice(page.rows.indexOf(row)) };
        return 'full';
      }
      this.#position = { ...this.#position, seq: row.seq };
      if (this.#query.event && !this.#query.event.includes(row.kind)) continue;
      events++;
      bytes += await this.#sendRow(row, access);
      if (this.#stream.isOver) return 'full';
    }
    this.#position = page.end;
    if (page.isFull) return 'full';
    return page.rows.length === 0 ? 'none' : 'some';
  }

  /** Sends an event if the reader wants it and may see it. Returns the number of bytes. */
  async #sendRow(row: EventRow, access: Access): Promise<number> {
    const { feed, store, clock } = this.#context;
    const { tag_id: tagId, device_id: deviceId } = this.#query;
    const filter = { ...kindsOf(this.#query), deviceId, tagId: tagId && visibleTag(access, tagId) };
    const entry = await feed.entry(row);
    if (!isWanted(entry, filter)) return 0;
    const caller = { spaceId: this.#spaceId, access };
    const bytes = await eventBytes(entry, { store, clock, caller, options: this.#options });
    if (!bytes) return 0;
    const release = this.#hold(bytes);
    await this.#send({ id: this.#id, bytes });
    release();
    return bytes.length;
  }

  get #id(): string {
    return positionText(this.#position, this.#spaceId);
  }

  #send(sent: Sent | SharedEvent): Promise<void> {
    return this.#stream.send(sent, SLOW);
  }
}

const RESET = {
  reason: 'position',
  message: 'events after this position are no longer stored: read the lists again; the stream continues from now',
};

const SLOW: Sent = {
  event: 'slow',
  data: { message: 'the client reads too slowly: connect again with the id of the last event' },
};

function ending(reason: 'shutdown' | 'credential' | 'limit' | 'store', message: string): Sent {
  return { event: 'end', data: { reason, message } };
}

/** The event that ends a stream when a failure occurs after the answer has begun. */
function endingFor(error: unknown, log: Log): Sent {
  if (error instanceof ApiFault) return ending('credential', error.message);
  log.warn({ error: messageOf(error) }, 'a stream of events was ended');
  return ending('store', 'the store does not respond: connect again later');
}
