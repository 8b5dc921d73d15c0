/** The API of a service with device ingress and operator routes, in memory and without sockets, and requests to it. */
import type { FastifyInstance } from 'fastify';
import { ensureSpaceAndKey } from '../../../src/cloud/accounts/bootstrap.js';
import { Members } from '../../../src/cloud/accounts/members.js';
import type { CloudContext } from '../../../src/cloud/api/context.js';
import { createApi } from '../../../src/cloud/api/index.js';
import { CloudCore } from '../../../src/cloud/delivery/core.js';
import { Feed } from '../../../src/cloud/events/feed.js';
import { HttpGateway } from '../../../src/cloud/gateway/http.js';
import { Metrics } from '../../../src/cloud/operator/metrics.js';
import { addOperatorRoutes } from '../../../src/cloud/operator/routes.js';
import { createIds, type Ids } from '../../../src/cloud/store/ids.js';
import { MemoryStore } from '../../../src/cloud/store/memory/memory-store.js';
import type { Id, Store } from '../../../src/cloud/store/store.js';
import type { Log } from '../../../src/kernel/log.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { CHEAP } from '../../../test/support/passwords.js';

export const PASSWORD = 'correct horse battery staple';
const QUIET: Log = { info: () => {}, warn: () => {}, error: () => {} };

export type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** A space: its id, the header with a key without limits, and the email address of its owner. */
export interface Home {
  readonly id: Id;
  readonly key: Headers;
  readonly owner: string;
}

export interface Cloud {
  readonly app: FastifyInstance;
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly ids: Ids;
  readonly own: Home;
  readonly foreign: Home;
  ask(method: string, path: string, headers: Headers, body?: unknown): Promise<Answer>;
  /** The body of an answer that must be a success. */
  need(method: string, path: string, headers: Headers, body?: unknown): Promise<Readonly<Record<string, string>>>;
}

export async function openCloud(): Promise<Cloud> {
  const clock = new VirtualClock({ start: 1_767_225_600_000 });
  const random = seededRandom('authorization');
  const ids = createIds(clock, random.fork('ids'));
  const store = new MemoryStore();
  const trace = { emit: () => {} };
  const core = new CloudCore({ store, clock, ids, trace, log: QUIET });
  const context: CloudContext = {
    ...{ store, clock, ids, random, log: QUIET, passwordCost: CHEAP, audited: true },
    ...{ downlinks: core, firmware: core.firmware },
    // The service has no sandbox for connectors here: the sandbox has its own checks, and would need a thread.
    connectors: {
      check: async () => undefined,
      preview: async () => ({ kind: 'unwanted' }),
    },
    feed: new Feed({ store, clock, ids }),
  };
  const ingress = new HttpGateway({ core, clock, trace });
  const app = createApi(context, { legacyPaths: true }, [ingress.routes]);
  addOperatorRoutes(app, {
    store,
    clock,
    log: QUIET,
    metrics: new Metrics(clock),
    isPrepared: () => true,
    id: ids.uuid(),
  });

  const home = async (spaceName: string): Promise<Home> => {
    const apiKey = `the-key-of-${spaceName}`;
    const { spaceId } = await ensureSpaceAndKey(store, { spaceName, apiKey, ids, clock, random: random.fork(apiKey) });
    const owner = `owner@${spaceName}.example`;
    await new Members(context).ensureAdmin(spaceId, owner, PASSWORD);
    return { id: spaceId, key: { 'x-api-key': apiKey }, owner };
  };
  let asked = 0;
  const ask: Cloud['ask'] = async (method, url, headers, body) => {
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
    // The cast is needed because inject's type lists fewer methods than a document may have.
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { ...headers, ...json },
      // Wrong passwords from one network have a limit, which is not what is tried here.
      ...(url.startsWith('/v2/auth/') && { remoteAddress: `198.51.${asked >> 8}.${asked++ & 255}` }),
      ...payload,
      payloadAsStream: true,
    });
    const type = String(answer.headers['content-type']);
    let text = '';
    for await (const piece of answer.stream()) {
      text += piece;
      // A stream of events does not end by itself.
      if (type.startsWith('text/event-stream')) break;
    }
    // The ids of events are positions, which change with every change in the service.
    return { status: answer.statusCode, type, text: text.replace(/^id: [0-9a-f]{32}$/m, '') };
  };
  return {
    ...{ app, clock, store, ids, ask },
    own: await home('own'),
    foreign: await home('foreign'),
    async need(method, path, headers, body) {
      const { status, text } = await ask(method, path, headers, body);
      if (status >= 300) throw new Error(`${method} ${path} failed with ${status}: ${text}`);
      return text === '' ? {} : JSON.parse(text);
    },
  };
}
