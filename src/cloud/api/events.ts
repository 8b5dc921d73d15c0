/** A space's events as server-sent events. Readers get what the lists would show; permissions are checked for each page. */

import type { FastifyRequest } from 'fastify';
import Type, { type Static } from 'typebox';
import { EventHeaders, EventQuery } from '../../contract/events.js';
import { SpaceParams } from '../../contract/values.js';
import { messageOf } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import { RealClock } from '../../kernel/real-clock.js';
import { seconds } from '../../kernel/time.js';
import type { Feed } from '../events/feed.js';
import { OpenStreams, STREAMS } from '../events/open-streams.js';
import { type Position, positionText } from '../events/position.js';
import { ApiFault } from '../http/errors.js';
import { EventStream, type Sent } from '../http/event-stream.js';
import { operation } from '../http/operation.js';
import type { Id } from '../store/store.js';
import { visibleTag } from './access.js';
import { presentAccess, presentedSecret } from './auth.js';
import { type EventFilter, eventView } from './event-views.js';
import type { ApiContext, ApiOptions, Family } from './family.js';
import { kindsOf } from './messages.js';
import { callerOf } from './rate-limit.js';

/** Interval of the comments that keep a silent stream open. */
const HEARTBEAT = seconds(15);
/** Pause after a page that is not full, in milliseconds, so that events in quick succession are sent together. */
const GATHERING = 20;
const TOO_MANY: Readonly<Record<keyof typeof STREAMS, string>> = {
  credential: `at most ${STREAMS.credential} streams of events per credential; close one`,
  space: `at most ${STREAMS.space} streams of events per space; close one`,
  all: `at most ${STREAMS.all} streams of events in all; retry later`,
};

const Stream = {
  description: 'Events as they happen, until the client or the service ends the stream.',
  content: { 'text/event-stream': { schema: Type.String() } },
};

export const events: Family = (routes, context, options) => {
  const { feed, members } = context;
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
          429: 'Too many requests, or too many streams of this credential, of this space or of all (`too-many-streams`).',
        },
      }),
      exposeHeadRoute: false,
    },
    async (request, reply) => {
      const tenant = (await members.ownerOf(request.spaceId)) ?? request.spaceId;
      const entered = open.enter({ space: request.spaceId, tenant, credential: callerOf(request) });
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
          await new Reader(stream, request, context, options).follow(start);
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

/** One client that follows the events. */
class Reader {
  readonly #stream: EventStream;
  readonly #context: ApiContext;
  readonly #options: ApiOptions;
  readonly #secret: string;
  readonly #spaceId: Id;
  readonly #query: Static<typeof EventQuery>;
  #position: Position = { edition: '', seq: 0 };

  constructor(
    stream: EventStream,
    { headers, spaceId, query }: Pick<FastifyRequest, 'headers' | 'spaceId'> & { query: Static<typeof EventQuery> },
    context: ApiContext,
    options: ApiOptions,
  ) {
    this.#stream = stream;
    this.#context = context;
    this.#options = options;
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

  /** Sends the next page, or waits for new events. */
  async #turn(): Promise<void> {
    const { feed } = this.#context;
    const news = feed.news(this.#spaceId);
    try {
      const sent = await this.#sendPage();
      if (sent === 'full') return;
      if (sent === 'some') {
        await this.#stream.wait(GATHERING);
        return;
      }
      if ((await this.#stream.wait(HEARTBEAT, news.arrived)) !== 'time') return;
      // Events of other spaces do not wake this reader; it skips them now, so that its position stays valid.
      this.#position = feed.skip(this.#position, news);
      await this.#send({ id: this.#id });
      await feed.keep();
    } finally {
      news.cancel();
    }
  }

  async #sendPage(): Promise<'none' | 'some' | 'full'> {
    const { feed, store, clock } = this.#context;
    const access = await presentAccess(this.#secret, this.#spaceId, this.#context);
    const page = await feed.after(this.#position, this.#spaceId);
    if (page === 'gone') {
      this.#position = await feed.newest();
      await this.#send({ event: 'reset', id: this.#id, data: RESET });
      return 'some';
    }
    const { tag_id: tagId, device_id: deviceId, event: kinds } = this.#query;
    const filter: EventFilter = {
      ...kindsOf(this.#query),
      kinds,
      deviceId,
      tagId: tagId && visibleTag(access, tagId),
    };
    const caller = { spaceId: this.#spaceId, access };
    for (const entry of page.entries) {
      const view = await eventView(entry, { store, clock, caller, filter, options: this.#options });
      this.#position = { ...this.#position, seq: entry.row.seq };
      if (view) await this.#send({ ...view, id: this.#id });
      if (this.#stream.isOver) return 'full';
    }
    this.#position = page.end;
    if (page.isFull) return 'full';
    return page.entries.length === 0 ? 'none' : 'some';
  }

  get #id(): string {
    return positionText(this.#position, this.#spaceId);
  }

  #send(sent: Sent): Promise<void> {
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
