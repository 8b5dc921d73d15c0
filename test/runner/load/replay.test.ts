/** Replays of recorded requests: HAR files and access logs. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { NO_SOURCES } from '../../../src/scenario/parse/sources.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { TYPES, yamlOf } from '../../scenario/fixtures.js';
import { runLoads } from './virtual-loads.js';

function scenarioOf(load: string, text: string) {
  const yaml = yamlOf({ head: 'name: test\nduration: 10s\n', load: `  - ${load}\n` });
  return parseScenario(yaml, 'test.yaml', TYPES, { ...NO_SOURCES, readFile: (file) => ({ file, text }) });
}

function problemsOf(load: string, text: string): string {
  try {
    scenarioOf(load, text);
    return '';
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

interface Recorded {
  readonly at: string;
  readonly method?: string;
  readonly url: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Readonly<Record<string, unknown>>;
  readonly status?: number;
}

const harOf = (entries: readonly Recorded[]) =>
  JSON.stringify({
    log: {
      version: '1.2',
      entries: entries.map(({ at, method = 'GET', url, headers = [], body, status = 200 }) => ({
        startedDateTime: `2026-03-02T06:00:${at}Z`,
        request: {
          method,
          url,
          headers: headers.map(([name, value]) => ({ name, value })),
          ...(body !== undefined && {
            postData: typeof body === 'string' ? { mimeType: 'application/json', text: body } : body,
          }),
        },
        response: { status },
      })),
    },
  });

const SECRETS = [
  ['Cookie', 'session=abc'],
  ['Authorization', 'Bearer abc'],
  ['X-Api-Key', 'abc'],
  ['X-Session', 'abc'],
  ['Content-Type', 'application/json'],
] as const;

const HAR = harOf([
  { at: '02.500', url: 'https://cloud.example/api/v2/spaces/theirs/devices?limit=1&access_token=abc' },
  { at: '02.000', url: 'https://cloud.example/api/v2/me', headers: SECRETS },
  { at: '02.100', url: 'https://fonts.example/a.woff' },
  { at: '02.200', url: 'https://cloud.example/apiary/x' },
  { at: '03.000', method: 'OPTIONS', url: 'https://cloud.example/api/v2/me' },
  {
    at: '04.250',
    method: 'POST',
    url: 'https://cloud.example/api/v2/spaces/theirs/tags',
    headers: SECRETS,
    body: '{"name":"a"}',
    status: 409,
  },
]);
const REPLAY = '{ replay: { file: a.har, base: "https://cloud.example/api" }, from: 1s, name: morning }';

describe('the replay of a HAR file', () => {
  it('sends its requests to the cloud of the run, with their gaps and without credentials', async () => {
    const { sent, count, unread, contradictions } = await runLoads(planScenario(scenarioOf(REPLAY, HAR)));
    expect(unread).toHaveLength(3);
    expect(sent).toEqual([
      { at: 1000, method: 'GET', path: '/v2/me', body: undefined, headers: { 'content-type': 'application/json' } },
      { at: 1500, method: 'GET', path: '/v2/spaces/s/devices?limit=1', body: undefined, headers: {} },
      {
        at: 3250,
        method: 'POST',
        path: '/v2/spaces/s/tags',
        body: '{"name":"a"}',
        headers: { 'content-type': 'application/json' },
      },
    ]);
    expect(contradictions).toEqual([]);
    expect(count('call.answered')).toBe(3);
  });

  it('sends four headers at most, and none with a character that HTTP does not allow', async () => {
    const url = 'https://cloud.example/api/v2/me';
    const headers = [
      ['Accept', 'text/csv'],
      ['If-Match', '"\u2603"'],
      ['X-Tenant', 'a'],
      [':authority', 'b'],
    ] as const;
    const { sent } = await runLoads(planScenario(scenarioOf(REPLAY, harOf([{ at: '01.000', url, headers }]))));
    expect(sent.map((request) => request.headers)).toEqual([{ accept: 'text/csv' }]);
  });

  it('sends a body with its type, and no request that had no answer or came from a cache', async () => {
    const url = 'https://cloud.example/api/v2/me';
    const form = { mimeType: 'application/x-www-form-urlencoded', text: 'a=1' };
    const har = JSON.parse(
      harOf([
        { at: '01.000', method: 'post', url, body: form },
        { at: '01.000', method: 'POST', url, headers: [['content-type', 'text/plain']], body: form },
        { at: '01.000', method: 'POST', url, body: '' },
        { at: '01.000', url, status: 0 },
        ...[1, 2, 3].map(() => ({ at: '01.000', url })),
      ]),
    );
    const { entries } = har.log;
    entries[0].startedDateTime = '2026-03-02T08:00:01.000+0200';
    Object.assign(entries[4], { _fromCache: 'memory' });
    Object.assign(entries[5], { timings: {} });
    Object.assign(entries[6], { timings: { wait: 3 } });
    const plan = planScenario(scenarioOf(REPLAY, JSON.stringify(har)));
    expect(describePlan(plan)).toContain('left out: 1 × no answer, 2 × answered by a cache');
    const { sent } = await runLoads(plan);
    expect(sent.map(({ at, body, headers }) => [at, body, headers])).toEqual([
      [1000, 'a=1', { 'content-type': 'application/x-www-form-urlencoded' }],
      [1000, 'a=1', { 'content-type': 'text/plain' }],
      [1000, undefined, {}],
      [1000, undefined, {}],
    ]);
  });

  it('lists methods that no load has together, whatever their names are', () => {
    const har = JSON.parse(HAR);
    const options = har.log.entries.find(
      ({ request }: { request: { method: string } }) => request.method === 'OPTIONS',
    );
    for (const method of ['A\nB', 'PURGE']) {
      har.log.entries.push({ ...options, request: { ...options.request, method } });
    }
    const plan = planScenario(scenarioOf(REPLAY, JSON.stringify(har)));
    expect(describePlan(plan)).toContain('left out: 2 × another address, 1 × OPTIONS, 2 × another method ·');
  });

  it('says in the plan what it leaves out, and that it changes the cloud', () => {
    expect(describePlan(planScenario(scenarioOf(REPLAY, HAR)))).toContain(
      '3 requests, replayed from a.har; left out: 2 × another address, 1 × OPTIONS · changes the cloud: POST',
    );
  });

  it.each([
    ['/v2/auth/login', '{"email":"a@b.org","password":"x"}', 'a body with a credential'],
    ['/v2/things', '{"of":[{"new_password":"x"}]}', 'a body with a credential'],
    ['/console/session', '{"credential":"x"}', 'a body with a credential'],
    ['/v2/things', 'name=a&token=x', 'a body with a credential'],
    ['//evil.example/x', undefined, 'no plain path'],
    ['/v2/..%2f..%2fadmin', undefined, 'no plain path'],
    ['/v2/%zz', undefined, 'no plain path'],
  ])('leaves out %s with the body %s', (path, body, why) => {
    const entry = { at: '05.000', url: `https://cloud.example/api${path}`, ...(body && { method: 'POST', body }) };
    const plan = planScenario(
      scenarioOf(REPLAY, harOf([{ at: '02.000', url: 'https://cloud.example/api/v2/me' }, entry])),
    );
    expect(describePlan(plan)).toContain(`left out: 1 × ${why}`);
  });

  const FORM = 'application/x-www-form-urlencoded; charset=UTF-8';
  const fields = [
    { name: 'name', value: 'a b&c' },
    { name: 'note', value: '' },
  ];

  it.each([
    [{ mimeType: FORM, text: '', params: fields }, 'name=a+b%26c&note='],
    [{ mimeType: FORM, params: fields }, 'name=a+b%26c&note='],
    [{ mimeType: FORM, text: 'name=x', params: fields }, 'name=x'],
    [{ mimeType: FORM, text: '', params: [] }, undefined],
  ])('makes the body of a form of its fields if the text is missing: %j', async (body, wanted) => {
    const entry = { at: '02.000', method: 'POST', url: 'https://cloud.example/api/v2/things', body };
    const { sent } = await runLoads(planScenario(scenarioOf(REPLAY, harOf([entry]))));
    expect(sent.map((request) => request.body)).toEqual([wanted]);
  });

  it.each([
    { mimeType: 'multipart/form-data; boundary=x', text: '', params: [{ name: 'file', fileName: 'a.bin' }] },
    { mimeType: 'multipart/form-data; boundary=x', params: fields },
    { mimeType: FORM, text: '', params: [{ value: 'x' }] },
    { mimeType: FORM },
    { mimeType: 'application/json', text: 'e30=', encoding: 'base64' },
  ])('leaves out a body that the file does not have as text: %j', (body) => {
    const entry = { at: '05.000', method: 'POST', url: 'https://cloud.example/api/v2/things', body };
    const plan = planScenario(
      scenarioOf(REPLAY, harOf([{ at: '02.000', url: 'https://cloud.example/api/v2/me' }, entry])),
    );
    expect(describePlan(plan)).toContain('left out: 1 × a body that is not text');
  });

  it('may begin with a byte order mark', async () => {
    const { sent } = await runLoads(planScenario(scenarioOf(REPLAY, `\uFEFF${HAR}`)));
    expect(sent).toHaveLength(3);
  });

  it('sends no signature in a query', async () => {
    const url = 'https://cloud.example/api/v2/me?X-Amz-Signature=x&X-Amz-Credential=y&limit=1';
    const { sent } = await runLoads(planScenario(scenarioOf(REPLAY, harOf([{ at: '02.000', url }]))));
    expect(sent.map(({ path }) => path)).toEqual(['/v2/me?limit=1']);
  });

  it('accepts the status of the recording, and no other one that is not 2xx', async () => {
    const { metrics } = await runLoads(planScenario(scenarioOf(REPLAY, HAR)), () => ({ status: 409 }));
    expect(metrics.summarise().calls.morning).toMatchObject({
      answered: 1,
      failed: 2,
      reasons: { 'status 409: it was 200 in the recording': 2 },
    });
  });

  it('can be faster; requests after the end of the load are left out', async () => {
    const load = '{ replay: { file: a.har, base: "https://cloud.example/api/v2", speed: 2 }, until: 1s }';
    const plan = planScenario(scenarioOf(load, HAR));
    expect((await runLoads(plan)).sent.map(({ at }) => at)).toEqual([0, 250]);
    expect(describePlan(plan)).toContain('1 × after the end of the load');
  });

  it('is divided among the parts of a run', async () => {
    const plan = planScenario(scenarioOf(REPLAY, HAR));
    const { sent, contradictions } = await runLoads(plan, undefined, { parts: 2 });
    expect(contradictions).toEqual([]);
    expect(sent.map(({ at }) => at).sort()).toEqual([1000, 1500, 3250]);
  });

  it.each([
    [
      '{ replay: a.har }',
      HAR,
      '"base" needs the address of the recorded API; the file has https://cloud.example (5), https://fonts.example (1)',
    ],
    ['{ replay: { file: a.har, base: cloud } }', HAR, '"cloud" is not the address of an API'],
    [
      '{ replay: { file: a.har, base: "https://other.example" } }',
      HAR,
      'no request can be replayed; left out: 6 × another address',
    ],
    ['{ replay: a.har }', '\n', 'a.har:1:1: the file is empty; expected a HAR file, or an access log in the common or'],
    ['{ replay: a.har }', 'PK\0\u0001', 'a.har:1:1: the file is not a text; expected a HAR file'],
    [
      '{ replay: a.har }',
      '{"request":"GET /"}\n{"request":"GET /"}\n',
      'a.har:1:1: the file has another form of JSON, such as a',
    ],
    ['{ replay: a.har }', '{"request":"GET /"}\n', 'a.har:1:1: the file has another form of JSON, such as a'],
    ['{ replay: a.har }', '[\n{}]', 'a.har:1:1: this is not a HAR file'],
    ['{ replay: { file: a.har, base: "https://cloud.example" } }', '{"log":{}}', 'a.har:1:1: this is not a HAR file'],
    ['{ replay: { file: a.har, base: "https://cloud.example" } }', '{"log":\n{"entries" []}}', 'a.har:2:12: '],
    [
      '{ replay: { file: a.har, base: "https://cloud.example" } }',
      '{"log":{"entries":[{}]}}',
      'log.entries[0] has no "request" with a "url"',
    ],
    [
      '{ replay: { file: a.har, base: "https://cloud.example" }, rate: 1/s }',
      HAR,
      'a replay has no "rate": its requests and their times are in its file',
    ],
    ['{ replay: { fil: a.har } }', HAR, '"fil" is not a key of a replay (did you mean "file"?)'],
  ])('is rejected: %s', (load, text, complaint) => {
    expect(problemsOf(load, text)).toContain(complaint);
  });
});

const LOG = `203.0.113.7 - - [02/Mar/2026:06:00:01 +0000] "GET /v2/spaces/theirs/devices HTTP/1.1" 200 512 "-" "curl/8"
203.0.113.7 - bob [02/Mar/2026:07:00:00 +0100] "GET /v2/me?key=abc HTTP/2.0" 404 0 "https://a.example/\\"x\\"" "Mozilla/5.0"

203.0.113.8 - - [02/Mar/2026:06:00:01 +0000] "POST /v2/spaces/theirs/tags HTTP/1.1" 201 5
203.0.113.8 - - [02/Mar/2026:06:00:02 +0000] "\\x16\\x03\\x01" 400 157 "-" "-"
203.0.113.8 - - [02/Mar/2026:06:00:04 +0000] "GET /favicon.ico HTTP/1.1" 200 12 "-" "-"
`;

describe('the replay of an access log', () => {
  it('sends its GET requests in the order of their times', async () => {
    const plan = planScenario(scenarioOf('{ replay: access.log }', LOG));
    const { sent } = await runLoads(plan);
    expect(sent.map(({ at, path }) => [at, path])).toEqual([
      [0, '/v2/me'],
      [1000, '/v2/spaces/s/devices'],
      [4000, '/favicon.ico'],
    ]);
    expect(describePlan(plan)).toContain('left out: 1 × POST, whose body is not in a log, 1 × no HTTP request');
  });

  it('spreads requests of the same second over it, in their order', async () => {
    const lines = ['00/a', '01/b', '00/c', '01/d', '01/e', '01/f'].map(
      (line) => `1.2.3.4 - - [02/Mar/2026:06:00:${line.slice(0, 2)} +0000] "GET ${line.slice(2)} HTTP/1.1" 200 1\n`,
    );
    const { sent } = await runLoads(planScenario(scenarioOf('{ replay: access.log }', lines.join(''))));
    expect(sent.map(({ at, path }) => [at, path])).toEqual([
      [0, '/a'],
      [500, '/c'],
      [1000, '/b'],
      [1250, '/d'],
      [1500, '/e'],
      [1750, '/f'],
    ]);
  });

  it('leaves out paths that do not begin with the base', async () => {
    const load = '{ replay: { file: access.log, base: /api } }';
    const { sent } = await runLoads(planScenario(scenarioOf(load, LOG.replaceAll('/v2/', '/api/v2/'))));
    expect(sent.map(({ path }) => path)).toEqual(['/v2/me', '/v2/spaces/s/devices']);
  });

  it('leaves out paths that a server could read as another one', async () => {
    const odd = ['/v2/../admin', '//evil.example/x', '/v2/%zz', '/v2/a%2f..%2fb'].map(
      (path) => `1.2.3.4 - - [02/Mar/2026:06:00:05 +0000] "GET ${path} HTTP/1.1" 200 1\n`,
    );
    const plan = planScenario(scenarioOf('{ replay: access.log }', LOG + odd.join('')));
    expect((await runLoads(plan)).sent).toHaveLength(3);
    expect(describePlan(plan)).toContain('4 × no plain path');
  });

  it('finds the time of a line after a user with brackets', async () => {
    const user = '['.repeat(8000);
    const line = `1.2.3.4 - ${user} [02/Mar/2026:06:00:05 +0000] "GET /v2/me HTTP/1.1" 200 1\n`;
    const { sent } = await runLoads(planScenario(scenarioOf('{ replay: access.log }', line.repeat(30))));
    expect(sent).toHaveLength(30);
  });

  it('is rejected with the places of all lines that have another form', () => {
    const text = `${LOG.split('\n', 1)[0]}\nsomething else\n1.2.3.4 - - [31/Feb/2026:06:00:01 +0000] "GET / HTTP/1.1" 200 1\n`;
    const message = problemsOf('{ replay: access.log }', text);
    expect(message).toContain('access.log:2:1: this line does not have the form');
    expect(message).toContain('access.log:3:1: this line does not have the form');
  });
});
