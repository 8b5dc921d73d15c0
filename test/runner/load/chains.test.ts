/** Chains of requests: what they send, capture and check, and how they are counted. */
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { NO_SOURCES } from '../../../src/scenario/parse/sources.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { countReason, listReasons } from '../../../src/trace/metrics/calls.js';
import { scenarioOf, TYPES, yamlOf } from '../../scenario/fixtures.js';
import { runLoads } from './virtual-loads.js';

const HEAD = 'name: test\nduration: 10s\n';
const planOf = (load: string, expectations?: string) =>
  planScenario(scenarioOf({ head: HEAD, load, ...(expectations && { expect: expectations }) }));

const JOURNEY = `  - name: dashboard
    rate: 1/s
    until: 3s
    chain:
      - { get: "/v2/spaces/{space}/devices?limit=2", name: list, capture: { id: "$[0].id" }, think: 200ms }
      - { get: "/v2/spaces/{space}/devices/{id}", name: read, check: "$.id == {id}" }
      - { post: "/v2/things", name: make, body: { of: "{id}", text: "no {iteration}", n: "{iteration}" }, check: status == 201 }
`;

const answers = ({ method, path }: { readonly method: string; readonly path: string }) => {
  if (method === 'POST') return { status: 201 };
  return path.includes('limit') ? { body: [{ id: 'a b/c' }] } : { body: { id: 'a b/c' } };
};

describe('a chain', () => {
  it('sends its requests one after the other, with captured values in paths and bodies', async () => {
    const { sent } = await runLoads(planOf(JOURNEY), answers);
    expect(sent.filter(({ at }) => at < 1000)).toEqual([
      { at: 500, method: 'GET', path: '/v2/spaces/s/devices?limit=2', body: undefined, headers: undefined },
      { at: 700, method: 'GET', path: '/v2/spaces/s/devices/a%20b%2Fc', body: undefined, headers: undefined },
      { at: 700, method: 'POST', path: '/v2/things', body: '{"of":"a b/c","text":"no 1","n":1}', headers: undefined },
    ]);
    expect(sent).toHaveLength(9);
  });

  it('counts each request under its name, and iterations', async () => {
    const expectations = '  - call.failed of load/dashboard == 0\n  - call.sent of load/dashboard/read == 3\n';
    const { metrics, count, contradictions } = await runLoads(planOf(JOURNEY, expectations), answers);
    expect(contradictions).toEqual([]);
    expect(Object.keys(metrics.summarise().calls)).toEqual(['dashboard/list', 'dashboard/make', 'dashboard/read']);
    expect(count('call.answered', 'load/dashboard')).toBe(9);
    expect(count('call.answered', 'load/dashboard/read')).toBe(3);
    expect(['planned', 'done', 'failed', 'open', 'time'].map((name) => count(`iteration.${name}`))).toEqual([
      3, 3, 0, 0, 3,
    ]);
  });

  it('ends at a captured value that exceeds the room of all chains, until others have ended', async () => {
    const load = `  - name: hog
    rate: 1/s
    until: 5s
    chain:
      - { get: "/v2/big", name: read, capture: { big: "$" }, think: 3500ms }
      - { get: "/v2/end", name: end }
`;
    const body = JSON.stringify(['x'.repeat(40 * 1_048_576)]);
    const answer = ({ path }: { readonly path: string }) => (path === '/v2/big' ? { body } : {});
    const { metrics, sent, givenUp } = await runLoads(planOf(load), answer);
    const { 'hog/read': read, 'hog/end': end } = metrics.summarise().calls;
    expect(sent.filter(({ path }) => path === '/v2/end').map(({ at }) => at)).toEqual([4000, 5000, 6000, 8000]);
    expect([read, end]).toMatchObject([{ answered: 4, failed: 1 }, { answered: 4 }]);
    expect(Object.keys(read?.reasons ?? {})).toEqual([
      'status 200: the chain was ended by ghostfleet (captured values take more than 256 MiB)',
    ]);
    expect(givenUp).toEqual(['answer: captured values take more than 256 MiB']);
  });

  const FOLLOW = `  - name: follow
    rate: 1/s
    until: 1s
    chain:
      - { post: /v2/jobs, name: start, capture: { at: header location } }
      - { get: "{at}", name: read }
      - { get: "{at}/parts?of={at}", name: parts }
`;

  it.each([
    ['/v2/jobs/a%20b?x=1#top', '/v2/jobs/a%20b?x=1'],
    ['http://cloud/v2/jobs/1?x=1&y=%2F', '/v2/jobs/1?x=1&y=%2F'],
    ['//cloud/iot/v2/jobs/1', '/v2/jobs/1'],
    ['/iot/v2/jobs/1', '/v2/jobs/1'],
  ])('sends a request to a captured path or address of the cloud: %s', async (location, path) => {
    const { sent, contradictions } = await runLoads(planOf(FOLLOW), () => ({ headers: { location } }));
    expect(contradictions).toEqual([]);
    expect(sent.slice(1).map((request) => request.path)).toEqual([
      path,
      `${path}/parts?of=${encodeURIComponent(location)}`,
    ]);
  });

  it.each([
    ['http://elsewhere/v2/jobs/1', '{at} is neither a path nor an address of the cloud'],
    ['//elsewhere/v2/jobs/1', '{at} is neither a path nor an address of the cloud'],
    ['https://cloud/v2/jobs/1', '{at} is neither a path nor an address of the cloud'],
    ['http://cloud@elsewhere/', '{at} is neither a path nor an address of the cloud'],
    ['jobs/1', '{at} is neither a path nor an address of the cloud'],
    ['/v2/../admin', 'a value is a step upwards in its path'],
    ['', '{at} is empty, so its path would be another one'],
  ])('sends no request to a captured path that is not one of the cloud: "%s"', async (location, why) => {
    const { sent, metrics } = await runLoads(planOf(FOLLOW), () => ({ headers: { location } }));
    expect(sent).toHaveLength(1);
    expect(metrics.summarise().calls['follow/read']?.reasons).toEqual({ [`dropped: ${why}`]: 1 });
  });

  it('does not send a request in whose path a value is a step upwards', async () => {
    const { sent, metrics } = await runLoads(planOf(JOURNEY), ({ path, at }) =>
      path.includes('limit') ? { body: [{ id: at < 1000 ? '..' : at < 2000 ? '.' : '...' }] } : { body: { id: '...' } },
    );
    expect(sent.map(({ path }) => path).filter((path) => !path.includes('limit'))).toEqual([
      '/v2/spaces/s/devices/...',
      '/v2/things',
    ]);
    expect(metrics.summarise().calls['dashboard/read']).toMatchObject({ sent: 1, dropped: 2 });
  });

  it.each([
    [null, '{id} is null'],
    [{ a: 1 }, '{id} is an object'],
    [[1], '{id} is a list'],
  ])('does not write a value that is not text into a path: %j', async (id, why) => {
    const { sent, metrics } = await runLoads(planOf(JOURNEY), () => ({ body: [{ id }] }));
    expect(sent.map(({ path }) => path.includes('limit'))).toEqual([true, true, true]);
    expect(metrics.summarise().calls['dashboard/read']).toMatchObject({ sent: 0, dropped: 3 });
    expect(metrics.summarise().calls['dashboard/read']?.reasons).toEqual({
      [`dropped: ${why}, which does not fit into a text`]: 3,
    });
  });

  it('keeps every digit of a long number that it captures or checks', async () => {
    const load = `  - name: a
    rate: 1/s
    until: 2s
    chain:
      - { get: /made, capture: { id: $.id }, check: $.id == 1003200000000001759 }
      - { get: "/things/{id}", check: $.id == 1003200000000001760 }
`;
    const { sent, metrics } = await runLoads(planOf(load), () => ({ body: '{"id":1003200000000001759}' }));
    expect(sent.map(({ path }) => path).slice(0, 2)).toEqual(['/made', '/things/1003200000000001759']);
    const [first, second] = Object.values(metrics.summarise().calls);
    expect([first?.failed, second?.failed]).toEqual([0, 2]);
  });

  it.each([
    ['application/x-www-form-urlencoded', 'a={id}&b=1', 'a=x%26y%20z&b=1'],
    ['text/plain', 'hello {id}', 'hello x&y z'],
    ['application/json; charset=utf-8', 'hello {id}', '"hello x&y z"'],
    ['application/merge-patch+json', 'hello {id}', '"hello x&y z"'],
  ])('sends a body of the type %s', async (type, body, wanted) => {
    const load = `  - name: a
    rate: 1/s
    until: 1s
    chain:
      - { get: /one, capture: { id: $.id } }
      - { post: /two, headers: { Content-Type: "${type}" }, body: "${body}" }
`;
    const { sent } = await runLoads(planOf(load), () => ({ body: { id: 'x&y z' } }));
    expect(sent[1]).toMatchObject({ body: wanted, headers: { 'content-type': type } });
  });

  it('fills placeholders in the keys of a body', async () => {
    const load =
      '  - { name: a, rate: 1/s, until: 1s, request: { post: /a, body: { "k-{iteration}": { "{{x}}": 1 } } } }\n';
    const { sent } = await runLoads(planOf(load));
    expect(sent[0]?.body).toBe('{"k-1":{"{x}":1}}');
  });

  it('ends the lines of a multipart body as servers expect it', async () => {
    const type = 'multipart/form-data; boundary=b';
    const load = `  - { name: a, rate: 1/s, until: 1s, request: { post: /a, headers: { content-type: ${type} }, body: "--b\\n\\r\\n1\\n--b--" } }\n`;
    const { sent } = await runLoads(planOf(load));
    expect(sent[0]?.body).toBe('--b\r\n\r\n1\r\n--b--');
  });

  it('captures the value of a cookie', async () => {
    const load = `  - name: a
    rate: 1/s
    until: 1s
    chain:
      - { get: /login, check: cookie lang == de, capture: { sid: cookie SID } }
      - { get: /me, headers: { cookie: "SID={sid}" } }
`;
    const cookies = ['SID=old', 'sid=other', ' SID = a=b ; Path=/; HttpOnly', 'lang=de'];
    const { sent } = await runLoads(planOf(load), () => ({ headers: { 'set-cookie': cookies } }));
    expect(sent[1]?.headers).toEqual({ cookie: 'SID=a=b' });
  });

  it('does not send a header with a character that HTTP does not allow', async () => {
    const load = `  - name: a
    rate: 1/s
    until: 1s
    chain:
      - { get: /one, capture: { who: $.name } }
      - { get: /two, name: two, headers: { x-name: "{who}" } }
`;
    const { sent, metrics } = await runLoads(planOf(load), () => ({ body: { name: '世界' } }));
    expect(sent).toHaveLength(1);
    expect(metrics.summarise().calls['a/two']?.reasons).toEqual({
      'dropped: its header x-name would have a character that HTTP does not allow': 1,
    });
  });

  it('ends at the first request that fails', async () => {
    const { sent, count, metrics } = await runLoads(planOf(JOURNEY), ({ path, at }) =>
      path.includes('limit') ? { body: at < 1000 ? [] : [{ id: 'x' }] } : { body: { id: 'other' } },
    );
    expect(sent.map(({ path }) => path.includes('limit'))).toEqual([true, true, false, true, false]);
    expect([count('iteration.done'), count('iteration.failed')]).toEqual([0, 3]);
    const { calls } = metrics.summarise();
    expect(calls['dashboard/list']?.reasons).toEqual({ 'status 200: no $[0].id to capture': 1 });
    expect(calls['dashboard/read']?.reasons).toEqual({ 'status 200: $.id == {id} does not hold': 2 });
    expect(calls['dashboard/read']?.found).toEqual({
      'status 200: $.id == {id} does not hold': { first: '"other"', differs: false },
    });
  });

  it.each([
    [
      '$.n == 70',
      ({ at }: { readonly at: number }) => ({ body: { n: Math.floor(at / 1000) } }),
      ': the first one is 0',
    ],
    ['$.name == x', () => ({ body: { name: 'y' } }), ': it is "y"'],
    ['$.name exists', () => ({ body: {} }), ': it is missing'],
    ['header etag contains a', () => ({ headers: { etag: 'b' } }), ': it is "b"'],
    ['$.echo == x', () => ({ body: { echo: 'the-api-key' } }), ': it is "(hidden)"'],
    ['status == 201', () => ({}), ''],
    ['cookie sid == x', () => ({ headers: { 'set-cookie': ['sid=abc'] } }), ': it is (hidden)'],
    ['body contains 1.0', () => ({ body: 'v1 of 10' }), ': it is "v1 of 10"'],
    ['$.o == {"a":1,"b":2}', () => ({ body: { o: { b: 2, a: 3 } } }), ': it is {"b":2,"a":3}'],
  ])('says what the failed check "%s" has found', async (check, answer, found) => {
    const load = `  - { name: a, rate: 1/s, request: { get: /a, check: ${JSON.stringify(check)} } }\n`;
    const { metrics } = await runLoads(planOf(load), answer);
    const [reason] = listReasons([metrics.summarise().calls]);
    expect(reason && countReason(reason)).toBe(`10 × status 200: ${check} does not hold${found} (a)`);
  });

  it.each([
    ['body contains 1.0', 'release 1.0'],
    ['body contains 12345678901234567890', '{"id":12345678901234567890}'],
    ['body contains "1"', 'a 1'],
    ['$.o == {"a": 1, "b": {"c": [2], "d": 3}}', '{"o":{"b":{"d":3,"c":[2]},"a":1}}'],
    ['$.o == {"id": 12345678901234567890}', '{"o":{"id":12345678901234567890}}'],
    ['$.größe == 1', '{"größe":1}'],
  ])('holds for the check %s of %s', async (check, body) => {
    const load = `  - { name: a, rate: 1/s, request: { get: /a, check: ${JSON.stringify(check)} } }\n`;
    const { count } = await runLoads(planOf(load), () => ({ body }));
    expect(count('call.answered')).toBe(10);
  });

  it.each([
    ['check: $.id == 1', '<html></html>', {}, 'the answer is HTML instead of JSON'],
    ['capture: { id: $.id }', 'oops', {}, 'the answer is not JSON'],
    ['check: $.id exists', '', {}, 'the answer is empty'],
    ['check: body contains a', 'a', { unreadable: 'its charset' }, 'its charset'],
    ['capture: { id: $.id }', '{"id":1}', { unreadable: 'its charset' }, 'its charset'],
    ['check: [status == 201, body contains a]', 'a', { unreadable: 'its charset' }, 'status == 201 does not hold'],
  ])('says for %s why it cannot look at the answer %j', async (key, body, more, why) => {
    const load = `  - { name: a, rate: 1/s, request: { get: /a, ${key} } }\n`;
    const { metrics } = await runLoads(planOf(load), () => ({ body, ...more }));
    expect(metrics.summarise().calls.a?.reasons).toEqual({ [`status 200: ${why}`]: 10 });
  });

  it('does not say what a check has found whose wanted value is that of a variable', async () => {
    const scenario = scenarioOf({
      head: `${HEAD}vars: { pin: "1234" }\n`,
      load: `  - { name: a, rate: 1/s, request: { get: /a, check: "$.n != \${pin}" } }\n`,
    });
    const { metrics } = await runLoads(planScenario(scenario), () => ({ body: { n: '1234' } }));
    expect(JSON.stringify(metrics.summarise().calls)).toContain('$.n != … does not hold');
    expect(JSON.stringify(metrics.summarise().calls)).not.toContain('1234');
  });

  it.each([
    ['a body', 'post: /a, body: { user: ada, k: "$p" }'],
    ['a form', 'post: /a, body: "user=ada&k=$p", headers: { content-type: application/x-www-form-urlencoded }'],
    ['a query', 'get: "/a?k=$p"'],
    ['a name that is secret', 'post: /a, body: { list: [{ password: "{pass}" }] }'],
    ['a form with a name that is secret', 'post: /a, body: "password={pass}", headers: { content-type: text/plain }'],
    ['a query with a name that is secret', 'get: "/a?token={pass}"'],
    ['a cookie', 'get: /a, headers: { cookie: "sid={pass}; b={pass}" }'],
    ['a user and password', 'get: /a, headers: { authorization: "Basic {basic}" }'],
  ])('does not say what a check has found if it is a secret of %s', async (_, request) => {
    const load = `  - { rate: 1/s, data: users.csv, request: { ${request.replace('$p', '$'.concat('{password}'))}, check: $.v == nope } }\n`;
    const head = `${HEAD}vars: { password: "" }\n`;
    const vars = new Map([['password', request.includes('$p') ? 'hunter2/hunter2' : '']]);
    const readFile = () => ({ file: 'users.csv', text: 'pass,basic\nhunter2/hunter2,YWRhOmh1bnRlcjIvaHVudGVyMg==\n' });
    const sources = { ...NO_SOURCES, vars, readFile };
    const plan = planScenario(parseScenario(yamlOf({ head, load }), 'test.yaml', TYPES, sources));
    for (const form of ['utf8', 'hex', 'base64'] as const) {
      const body = { v: `it was ${Buffer.from('hunter2/hunter2').toString(form)}` };
      const { metrics } = await runLoads(plan, () => ({ body }));
      const [reason] = listReasons([metrics.summarise().calls]);
      expect(reason && countReason(reason)).toMatch(/it is "it was \(hidden\)\w?=*"/);
    }
  });

  it('names no secret of the run if its answer has one as its charset', async () => {
    const head = `${HEAD}vars: { password: "" }\n`;
    const load = `  - { rate: 1/s, request: { post: /a, body: "\${password}", check: $.v == nope } }\n`;
    const vars = new Map([['password', 'hunter2']]);
    const plan = planScenario(parseScenario(yamlOf({ head, load }), 'test.yaml', TYPES, { ...NO_SOURCES, vars }));
    const { metrics } = await runLoads(plan, () => ({ unreadable: 'its charset is "hunter2"' }));
    expect(JSON.stringify(metrics.summarise())).toContain('its charset is \\"(hidden)\\"');
  });

  it('that a user carries out begins again after its think time', async () => {
    const load = `  - name: visit
    users: 1
    think: 3s
    chain: [{ get: /a, think: 1s }, { get: /b }]
`;
    const { sent } = await runLoads(planOf(load), () => ({ takes: 100 }));
    expect(sent.map(({ at, path }) => [at, path])).toEqual([
      [0, '/a'],
      [1100, '/b'],
      [4200, '/a'],
      [5300, '/b'],
      [8400, '/a'],
      [9500, '/b'],
    ]);
  });

  it('that is cut short by the end of the run stays open, and every request is accounted for', async () => {
    const load = '  - { name: slow, rate: 1/s, chain: [{ get: /a, think: 10s }, { get: /b }] }\n';
    const { count, contradictions } = await runLoads(planOf(load), () => ({}), { stopAt: 2000 });
    expect(contradictions).toEqual([]);
    expect([count('call.sent'), count('iteration.planned'), count('iteration.open')]).toEqual([2, 2, 2]);
  });

  it.each([
    'users: 3, think: 1h, request: { get: /a }',
    'rate: 1/s, chain: [{ get: /a, think: 1h }, { get: /b }]',
    'users: { 0s: 0..2, 9s: 2 }, think: 1h, request: { get: /a }',
  ])('leaves no alarm behind that would keep the process alive: %s', async (load) => {
    const { waiting, contradictions } = await runLoads(planOf(`  - { name: a, ${load} }\n`), undefined, {
      stopAt: 8000,
    });
    expect(waiting).toEqual([0]);
    expect(contradictions).toEqual([]);
  });

  it('is finished after the end of its load', async () => {
    const load = '  - { name: late, rate: 1/s, until: 1s, chain: [{ get: /a, think: 15s }, { get: /b }] }\n';
    const { sent, count } = await runLoads(planOf(load));
    expect(sent.map(({ at }) => at)).toEqual([500, 15_500]);
    expect(count('iteration.done')).toBe(1);
  });

  it('is drawn by weight; parts of a run and the whole run draw the same', async () => {
    const load = `  - name: mix
    rate: 100/s
    choose:
      - { weight: 3, chain: [{ get: "/a/{iteration}" }, { get: "/b/{iteration}" }] }
      - { request: { get: "/c/{iteration}" } }
`;
    const plan = planOf(load);
    const { sent, count, contradictions } = await runLoads(plan);
    const share = sent.filter(({ path }) => path.startsWith('/a')).length / 1000;
    expect(share).toBeGreaterThan(0.71);
    expect(share).toBeLessThan(0.79);
    expect(count('iteration.done')).toBe(1000);
    expect(contradictions).toEqual([]);
    const divided = await runLoads(plan, undefined, { parts: 3 });
    expect(divided.contradictions).toEqual([]);
    expect(divided.sent.map(({ path }) => path).sort()).toEqual(sent.map(({ path }) => path).sort());
  });

  it('draws a think time from a range, the same in every run', async () => {
    const load = '  - { name: t, rate: 10/s, until: 5s, chain: [{ get: /a, think: 1s..2s }, { get: /b }] }\n';
    const times = async () => {
      const { sent } = await runLoads(planOf(load));
      return sent.flatMap(({ at, path }) => (path === '/b' ? [at] : []));
    };
    const first = await times();
    expect(new Set(first).size).toBeGreaterThan(40);
    expect(Math.min(...first)).toBeGreaterThanOrEqual(1050);
    expect(Math.max(...first)).toBeLessThanOrEqual(6950);
    expect(await times()).toEqual(first);
  });
});

describe('a request', () => {
  const one = (request: string, rest = '') => `  - { rate: 1/s, until: 1s, ${rest}request: ${request} }\n`;

  it.each([
    ['', { status: 204 }, true],
    ['', { status: 404 }, false],
    ['status == 404', { status: 404 }, true],
    ['status == 404', { status: 200 }, false],
    ['status < 500', { status: 429 }, true],
    ['$.count >= 1', { body: { count: 2 } }, true],
    ['$.count >= 1', { body: { count: 0 } }, false],
    ['$.count >= 1', { body: { count: 'many' } }, false],
    ['$.count >= 1', { body: 'not JSON' }, false],
    ['$[*].state == sent', { body: [{ state: 'pending' }, { state: 'sent' }] }, true],
    ['$[-1].id exists', { body: [] }, false],
    ['$.list.length == 2', { body: { list: [1, 2] } }, true],
    ['$.length >= 1', { body: [] }, false],
    ['$[*].length == 1', { body: [[], [0]] }, true],
    ['$.length == 9', { body: { length: 9 } }, true],
    ['$.name.length exists', { body: { name: 'abc' } }, false],
    ['$["a b"][0] == true', { body: { 'a b': [true] } }, true],
    ['$.name != depot', { body: { name: 'depot' } }, false],
    ['$.none == null', { body: { none: null } }, true],
    ['header content-type contains json', { headers: { 'content-type': 'application/json' } }, true],
    ['header etag exists', {}, false],
    ['body contains "not empty"', { body: 'this is not empty' }, true],
    ['$.id == {serial}', { body: { id: 2159017985 } }, true],
  ])('with the check %s is answered as it should be by %j: %s', async (check, answer, ok) => {
    const load = one(`{ get: /x${check === '' ? '' : `, check: '${check}'`} }`);
    const { count } = await runLoads(planOf(load), () => answer);
    expect([count('call.answered'), count('call.failed')]).toEqual(ok ? [1, 0] : [0, 1]);
    expect(count('iteration.done')).toBe(ok ? 1 : 0);
  });

  it.each([
    ['{ get: /x }', true],
    ['{ post: /x, body: {} }', true],
    ['{ get: /x, check: [status == 200, header etag exists, cookie a exists], capture: { e: header etag } }', true],
    ['{ get: /x, check: [status == 200, $.id exists] }', false],
    ['{ get: /x, check: body contains x }', false],
    ['{ get: /x, capture: { all: $ } }', false],
    ['{ post: "/v2/spaces/{space}/devices/{device}/commands", body: [info show] }', false],
    ['{ post: "/v2/spaces/{space}/messages", body: { device_id: "{device}", type: data, body: {} } }', false],
    ['{ get: "/v2/spaces/{space}/devices/{device}/commands" }', true],
  ])('%s needs no memory for the body of its answer: %s', async (request, isUnread) => {
    const { sent, unread } = await runLoads(planOf(one(request)));
    expect([sent.length, unread.length]).toEqual([1, isUnread ? 1 : 0]);
  });

  it('has the headers of the scenario, and values of its device', async () => {
    const load = one(
      '{ put: "/d/{device}/{serial}/{name}", headers: { X-Trace: "t{iteration}" }, body: [1, "{{name}}"] }',
    );
    const { sent } = await runLoads(planOf(load));
    expect(sent).toEqual([
      {
        at: 500,
        method: 'PUT',
        path: '/d/id-2159017985/2159017985/clime-0001',
        body: '[1,"{name}"]',
        headers: { 'x-trace': 't1' },
      },
    ]);
  });

  it('that the API may answer with a downlink is one of the downlinks of the run', async () => {
    const load = one('{ post: "/v2/spaces/{space}/devices/{device}/commands", body: [info show] }');
    const { events } = await runLoads(planOf(load), () => ({ status: 404 }));
    expect(events.filter(({ kind }) => kind === 'downlink.rejected')).toEqual([
      { kind: 'downlink.rejected', at: 500, serial: 2159017985, type: 'shell' },
    ]);
  });
});
