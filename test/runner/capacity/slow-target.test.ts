/** A search against a target whose answers begin and do not end. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { EXIT } from '../../../src/kernel/errors.js';
import { capacity } from '../../../src/library/capacity.js';

const ID = '01a225df-869e-705e-80d4-0218dbfc6479';
const SCENARIO = {
  ...{ name: 'small', duration: '1s', settle: '1s', fleet: [{ name: 'cellar', profile: 'clime', count: 1 }] },
  expect: ['device.ready == fleet.devices'],
};

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Asks for the capacity of a target; it leaves the requests unfinished for which `hangs` is true. */
async function ask(
  hangs: (request: IncomingMessage) => boolean,
  {
    answers = (_, answer) => answer(),
    ...options
  }: {
    recovery?: number;
    end?: AbortController;
    /** Answers a request, at once or later. */
    answers?: (request: IncomingMessage, answer: () => void) => void;
  },
) {
  const answerNow = (request: IncomingMessage, response: ServerResponse) => {
    response.writeHead(request.method === 'POST' ? 201 : 200, { 'content-type': 'application/json' });
    if (hangs(request)) {
      response.write('[');
      options.end?.abort();
      return;
    }
    const isList = request.method === 'GET' && !request.url?.endsWith(ID);
    const thing = { id: ID, name: 'cellar-0001', serial_number: '2159017985', tags: [], labels: {} };
    response.end(JSON.stringify(isList ? (request.url === '/v2/spaces' ? [{ id: ID }] : []) : thing));
  };
  server = createServer((request, response) => {
    request.resume();
    answers(request, () => answerNow(request, response));
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const keyOf = String;
  const pace = { atOnce: 4, perSecond: null };
  return capacity(SCENARIO, {
    ...{ vary: 'fleet.devices', from: 1, to: 4, recovery: options.recovery ?? 60_000 },
    ...{ cloud: { api, apiKey: 'key', spaceId: null, keyOf, gateway: null, pace } },
    ...(options.end && { signal: options.end.signal }),
  });
}

const isProbe = ({ method, url }: IncomingMessage) => method === 'GET' && url?.includes('/devices?limit=1') === true;

/** Probes after the first five, which are those of the search. */
function ofTheRun() {
  let probes = 0;
  return (request: IncomingMessage) => isProbe(request) && ++probes > 5;
}

/** Probes after the clean-up of a run. */
function ofTheRecovery() {
  let isOver = false;
  return (request: IncomingMessage) => {
    isOver ||= request.method === 'DELETE';
    return isOver && isProbe(request);
  };
}

it.each<readonly [string, (request: IncomingMessage) => boolean, number]>([
  ['the list of spaces', ({ url }) => url === '/v2/spaces', 0],
  ['the first probe', isProbe, 0],
  ['the opening of a run', ofTheRun(), 0],
  ['the recovery after a run', ofTheRecovery(), 1],
])('an interrupt ends the search at once with what is known while %s has no end', async (_, hangs, known) => {
  const { exitCode, levels } = await ask(hangs, { end: new AbortController() });
  expect([exitCode, levels.flatMap(({ runs }) => runs).length]).toEqual([EXIT.interrupted, known]);
});

it('a target that begins its answers and does not end them has not recovered when its time is over', async () => {
  const { levels } = await ask(ofTheRecovery(), { recovery: 10 });
  expect(levels.flatMap(({ runs }) => runs).map(({ recovery }) => recovery)).toEqual([null]);
});

it('a target has recovered if this process has no turn in which it could see the answers', async () => {
  const isOfRecovery = ofTheRecovery();
  const end = new AbortController();
  let probes = 0;
  const answers = (request: IncomingMessage, answer: () => void) => {
    if (isOfRecovery(request)) {
      // Two fast answers are enough: the next probe is that of the next run.
      if (++probes > 2) end.abort();
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 700);
    }
    answer();
  };
  const { levels } = await ask(() => false, { recovery: 2000, answers, end });
  const [run] = levels.flatMap(({ runs }) => runs);
  expect(run?.recovery).not.toBeNull();
});
