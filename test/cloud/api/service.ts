/** A service for tests: the API over a store in memory, a clock that only the test advances, and a queue without delivery. */
import type { FastifyInstance } from 'fastify';
import { expect } from 'vitest';
import { ensureSpaceAndKey } from '../../../src/cloud/accounts/bootstrap.js';
import type { CloudContext } from '../../../src/cloud/api/context.js';
import { type ApiOptions, createApi } from '../../../src/cloud/api/index.js';
import { Connectors } from '../../../src/cloud/connectors/connectors.js';
import type { Lookup } from '../../../src/cloud/connectors/lookups.js';
import { requestBody } from '../../../src/cloud/delivery/down-messages.js';
import { type ChunkQueue, FirmwareQueue } from '../../../src/cloud/delivery/firmware-queue.js';
import { Feed } from '../../../src/cloud/events/feed.js';
import { Updates } from '../../../src/cloud/firmware/updates.js';
import type { Downlinks } from '../../../src/cloud/interfaces/downlinks.js';
import { DownlinkRefused } from '../../../src/cloud/interfaces/downlinks.js';
import { createIds } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { Id, MessageRow, Store } from '../../../src/cloud/store/store.js';
import type { Log } from '../../../src/kernel/log.js';
import { seededRandom } from '../../../src/kernel/random.js';
import type { UnixMillis } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { type Document, inlined, type Judge, judge } from '../../support/openapi.js';
import { CHEAP } from '../../support/passwords.js';

export const START: UnixMillis = 1_767_225_600_000;
export const KEY = 'a-key-for-tests';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape is what they test
  readonly json: any;
}

export type Call = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;

/** Creates the service. A `path` of `call` that does not begin with a slash is relative to the space of the service. */
export async function service(
  options: Partial<ApiOptions> = {},
  change: (context: CloudContext) => CloudContext = (c) => c,
) {
  const store = new MemoryStore();
  const clock = new VirtualClock({ start: START });
  const random = seededRandom('api test');
  const ids = createIds(clock, random.fork('ids'));
  const logged: { level: string; fields: object; message: string }[] = [];
  const log = logInto(logged);
  const forgotten: number[] = [];
  const downlinks = queueOnly(store, clock, ids.uuid, forgotten);
  const { spaceId } = await ensureSpaceAndKey(store, { spaceName: 'lab', apiKey: KEY, ids, clock, random });
  const firmware = updatesOnly({ store, clock, ids, log }, downlinks);
  const connectors = Object.assign(
    new Connectors({ ...{ store, clock, ids, log, random, allowPrivate: false }, lookup: toPublicAddress }),
    {
      // Checking would start a thread for each test, which is expensive. Other tests (`sandbox.test.ts`) do check scripts.
      check: async (_: Id, source: string) =>
        source.includes('broken') ? 'SyntaxError (line 1, column 5)' : undefined,
    },
  );
  const feed = new Feed({ store, clock, ids });
  const context = change({
    store,
    clock,
    ids,
    random,
    downlinks,
    firmware,
    connectors,
    log,
    feed,
    passwordCost: CHEAP,
  });
  const app = createApi(context, options);

  const callOf =
    (called: FastifyInstance): Call =>
    async (method, path, body, headers = {}) => {
      const url = path.startsWith('/') ? path : `/v2/spaces/${spaceId}/${path}`;
      const json = body === undefined ? {} : { 'content-type': 'application/json' };
      const payload = body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) };
      const answer = await called.inject({
        // The cast is needed because the type of inject lists fewer methods than tests try.
        method: method as 'GET',
        url,
        headers: { 'x-api-key': KEY, ...json, ...headers },
        ...payload,
      });
      const { statusCode: status, body: text } = answer;
      const type = String(answer.headers['content-type']);
      const isPlain = status === 404 && options.plainNotFound === true;
      const isOfPage = url.startsWith('/v2/documentation');
      // In every test, the answers must match the OpenAPI document.
      if (status < 500 && !isPlain && !isOfPage)
        expect(judgeOf(app, options)(method, url, status, type, text)).toBeUndefined();
      return { status, headers: answer.headers, text, json: parse(text) };
    };
  const call = callOf(app);
  /** Calls another service on the same database. */
  const another = () => callOf(createApi(context, options));
  const device = async (given: object = {}): Promise<{ id: Id; serial_number: string }> => {
    const named = { name: 'freezer-1', serial_number: '2159017985', ...given };
    const token = String(named.serial_number).padStart(32, '0');
    return (await call('POST', 'devices', { token, ...named })).json;
  };
  return { app, store, clock, ids, spaceId, call, another, device, logged, forgotten, context };
}

/** Resolves every name to a public address, without a resolver. */
const toPublicAddress: Lookup = (_, { all }, done) =>
  all ? done(null, [{ address: '1.1.1.1', family: 4 }]) : done(null, '1.1.1.1', 4);

/** A judge for each value of `legacyPaths`: services with the same value of this option have the same OpenAPI document. */
const judges = new Map<boolean, Judge>();

function judgeOf(app: FastifyInstance, { legacyPaths = false }: Partial<ApiOptions>): Judge {
  const known = judges.get(legacyPaths);
  if (known) return known;
  // The cast is needed because the type of fastify-swagger covers every version of OpenAPI.
  const made = judge(inlined(app.swagger() as unknown as Document));
  judges.set(legacyPaths, made);
  return made;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function logInto(list: { level: string; fields: object; message: string }[]): Log {
  const at = (level: string) => (fields: object, message: string) => {
    list.push({ level, fields, message });
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** Firmware updates that no device fetches. */
function updatesOnly(options: ConstructorParameters<typeof Updates>[0], downlinks: Downlinks): FirmwareQueue {
  const queue: ChunkQueue = {
    sessionOf: () => undefined,
    insert: () => {},
    settle: async () => {},
    cancel: (row) => downlinks.cancel(row),
  };
  return new FirmwareQueue({ ...options, trace: { emit: () => {} }, updates: new Updates(options), queue });
}

/** Downlinks that are queued and cancelled, but never delivered. A body with the field `bad` is rejected. */
function queueOnly(store: Store, clock: VirtualClock, uuid: () => Id, forgotten: number[]): Downlinks {
  return {
    async queue(device, request, along = () => []) {
      if ('body' in request && 'bad' in request.body) throw new DownlinkRefused('the encoder has no field "bad"');
      const at = clock.wall;
      const row: MessageRow = {
        id: uuid(),
        spaceId: device.spaceId,
        deviceId: device.id,
        createdAt: at,
        type: request.type,
        direction: 'down',
        body: requestBody(request),
        codecHash: null,
        raw: 'raw' in request ? request.raw : null,
        fingerprint: null,
        downState: 'pending',
        downStateAt: at,
        downScheduledAt: at,
        downAttempt: 0,
        downAnsweredAt: null,
      };
      const queued = { messageId: row.id, at, what: 'queued', detail: null };
      await store.commit([...along(row), { kind: 'message.insert', row }, { kind: 'timeline.add', row: queued }]);
      return row;
    },
    endOverdue: async () => false,
    async cancel(message) {
      if (message.downState !== 'pending') return 'not-pending';
      await store.commit([{ kind: 'message.state', id: message.id, state: 'cancelled', at: clock.wall }]);
      return 'cancelled';
    },
    async forget(serial) {
      forgotten.push(serial);
    },
    async noteDeleted({ serial }) {
      forgotten.push(serial);
    },
  };
}
