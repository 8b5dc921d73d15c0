/** Requests and chains in a scenario file: what is read, and what is rejected. */
import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { NO_SOURCES } from '../../../src/scenario/parse/sources.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { problemsOf, scenarioOf, TYPES, yamlOf } from '../fixtures.js';

const complaintsOf = (load: string, expectation?: string) =>
  problemsOf(yamlOf({ load: `  - ${load}\n`, ...(expectation && { expect: `  - ${expectation}\n` }) }));
const requestOf = (request: string) => `{ rate: 1/s, request: ${request} }`;

describe('a request of ones own', () => {
  it.each([
    ['{ get: devices }', '"devices" is not a path of the cloud'],
    ['{ get: "/v2/a b" }', '"/v2/a b" is not a path of the cloud without blanks, "#" and ".."'],
    ['{ get: "https://elsewhere.example/v2" }', 'is not a path of the cloud'],
    ['{ get: //elsewhere.example/v2 }', 'is not a path of the cloud'],
    ['{ get: /v2/../admin }', 'is not a path of the cloud'],
    ['{ get: "{space}/devices" }', '"{space}/devices" is not a path of the cloud'],
    ['{ get: "{next}s" }', 'or a captured one such as "{location}"'],
    ['{ get: "{next}" }', '{next} has no value in "get {next}"'],
    ['{ get: /a, post: /b }', 'a request needs exactly one of get, post'],
    ['{ gte: /a }', '(did you mean "get"?)'],
    ['{ get: /a, body: { a: 1 } }', 'a GET has no body'],
    ['{ get: "/v2/{spcae}" }', '{spcae} has no value in "get /v2/{spcae}" (did you mean "space"?)'],
    ['{ get: /a, capture: { serial: $.id } }', '{serial} has a value already'],
    ['{ get: /a, capture: { id: id } }', '"id" is not "status", "header NAME", "cookie NAME", "body" or a JSON path'],
    ['{ get: /a, capture: { id: "$..id" } }', 'does not begin with a path into JSON'],
    ['{ get: /a, capture: { id: "$.id now" } }', '" now" is not a part of a path'],
    ['{ get: /a, check: stauts == 200 }', '(did you mean "status"?)'],
    ['{ get: /a, check: status = 200 }', '(did you mean "=="?)'],
    ['{ get: /a, check: status == ok }', '"ok" is not an HTTP status'],
    ['{ get: /a, check: $.id }', '"$.id" is not a check'],
    ['{ get: /a, check: [status == 200, "$.id exists twice"] }', '"exists" has no value'],
    ['{ get: /a, headers: { Host: b } }', 'the header "Host" is set by the run'],
    ['{ get: /a, headers: { x-api-key: b } }', '"as" names a client'],
    ['{ get: /a, headers: { Authorization: Bearer abc } }', 'set GHOSTFLEET_VAR_token in the environment'],
    ['{ get: /a, headers: { "a b": c } }', '"a b" is not a name of a header'],
    ['{ get: /a, think: soon }', '"soon" is not a think time'],
    ['{ get: /a, think: 2s }', 'it is the last request of its chain, so "think" has no effect'],
    ['{ get: /a, name: "My list" }', 'a name of small letters'],
    ['{ get: /a, headers: { X-A: b, x-a: c } }', 'the header "x-a" is there twice'],
    ['{ get: /a, headers: { x-name: 世界 } }', 'with no characters beyond Latin-1'],
    ['{ get: "/a/{{iteration}}" }', 'a path has no braces: write "{iteration}" for a value'],
    ['{ post: /a, body: { id: [12345678901234567890] } }', '"12345678901234567890" is not a number that can be kept'],
    ['{ post: /a, body: { n: .nan } }', '".nan" is not a number that can be kept'],
    [
      '{ post: /a, headers: { content-type: multipart/form-data }, body: a }',
      '"multipart/form-data" needs the boundary of its parts',
    ],
  ])('is rejected: %s', (request, complaint) => {
    expect(complaintsOf(requestOf(request)).join('\n')).toContain(complaint);
  });

  it('has its problems at their columns, all of them at once', () => {
    const yaml = yamlOf({ load: '  - { rate: 1/s, request: { get: a, check: ["status = 200", "$.t > May"] } }\n' });
    expect(problemsOf(yaml)).toEqual([
      expect.stringMatching(/^7:34: "a" is not a path/),
      expect.stringMatching(/^7:53: "=" is not a check/),
      expect.stringMatching(/^7:68: "May" is not a number/),
    ]);
  });

  it('takes secrets from the environment, and neither plans nor names have them', () => {
    const head = 'name: test\nduration: 2h\nvars: { token: "", api_key: "", plain: x }\n';
    const header = `Authorization: "Bearer \${token}", x-key: "\${api_key}"`;
    const load = `  - { rate: 1/s, request: { get: "/a/\${plain}", headers: { ${header} }, check: "$.t == \${token}" } }\n`;
    const vars = new Map([
      ['token', 'sesame'],
      ['api_key', 'sesame'],
    ]);
    const scenario = parseScenario(yamlOf({ head, load }), 'test.yaml', TYPES, { ...NO_SOURCES, vars });
    expect([...scenario.secretVars].sort()).toEqual(['api_key', 'token']);
    expect(scenario.loads[0]?.name).toBe('get 1');
    expect(scenario.loads[0]?.call).toMatchObject({
      chains: [{ requests: [{ headers: { authorization: 'Bearer sesame' }, check: [{ shown: '$.t == …' }] }] }],
    });
    expect(describePlan(planScenario(scenario))).not.toContain('sesame');
  });

  it.each([
    'authorization: "Bearer {token}"',
    'authorization: "{token}"',
    'cookie: "sid={token}"',
    'cookie: "sid={token}; lang={token}"',
    'x-auth-token: "{token}"',
  ])('may be captured from an answer: %s', (header) => {
    const login = '{ post: /login, capture: { token: $.token } }';
    const load = `  - { rate: 1/s, chain: [${login}, { get: /a, headers: { ${header} } }] }\n`;
    expect(problemsOf(yamlOf({ head: 'name: test\nduration: 2h\n', load }))).toEqual([]);
  });

  it.each(['authorization: "Bearer sesame{token}"', 'cookie: "sid=sesame; lang={token}"', 'cookie: "{{token}}"'])(
    'is rejected if a part of it is in the file: %s',
    (header) => {
      const login = '{ post: /login, capture: { token: $.token } }';
      const load = `  - { rate: 1/s, chain: [${login}, { get: /a, headers: { ${header} } }] }\n`;
      expect(problemsOf(yamlOf({ head: 'name: test\nduration: 2h\n', load }))).toEqual([
        expect.stringContaining('a secret does not belong in a file'),
      ]);
    },
  );

  it.each(['vars: { token: sesame }', `vars: { word: sesame, token: "\${word}" }`])(
    'is rejected if its secret is in the file: %s',
    (vars) => {
      const load = `  - { rate: 1/s, request: { get: /a, headers: { cookie: "a=\${token}" } } }\n`;
      const yaml = yamlOf({ head: `name: test\nduration: 2h\n${vars}\n`, load });
      expect(problemsOf(yaml)).toEqual([expect.stringContaining('a secret does not belong in a file')]);
    },
  );
});

describe('a load with chains', () => {
  it.each([
    ['{ rate: 1/s, chain: [] }', 'a list of 1 to 100 requests'],
    ['{ rate: 1/s, request: { get: "/a/{device" } }', '"{device" has no "}" at its end'],
    [
      '{ rate: 1/s, request: { post: /a, headers: { content-type: text/csv }, body: { a: 1 } } }',
      'a body with the content-type "text/csv" is a text, such as "a=1&b={id}"',
    ],
    ['{ rate: 1/s, chain: [{ get: "/{id}" }, { get: /b, capture: { id: $.id } }] }', '{id} has no value'],
    ['{ rate: 1/s, choose: [{ request: { get: /a } }] }', 'a list of 1 is not a list of 2 to 50'],
    ['{ rate: 1/s, choose: [{ weight: 0, request: { get: /a } }, { request: { get: /b } }] }', 'a number above 0'],
    ['{ rate: 1/s, request: { get: /a }, to: clime }', 'it needs no "to"'],
    ['{ rate: fast, chain: [{ gte: /a }] }', '"fast" is not a rate'],
    [
      '{ rate: 1/s, chain: [{ get: "/v2/{devce}" }] }',
      '7:38: {devce} has no value in "get /v2/{devce}" (did you mean "device"?)',
    ],
    ['{ rate: 1/s, request: { get: /a }, list-devices: }', 'a load needs exactly one of'],
    [
      '{ executor: shared-iterations, request: { get: /a }, users: 1 }',
      'shared-iterations is written "users: 10, iterations: 1000"',
    ],
    ['{ executor: ramping-vu, request: { get: /a }, users: 1 }', '(did you mean "ramping-vus"?)'],
  ])('is rejected: %s', (load, complaint) => {
    expect(complaintsOf(load).join('\n')).toContain(complaint);
  });

  it('can be named in expectations, and a misspelt name is an error', () => {
    const load = '{ name: morning, rate: 1/s, chain: [{ get: /a, name: first }, { get: /b }] }';
    expect(complaintsOf(load, 'call.failed of load/morning == 0')).toEqual([]);
    expect(complaintsOf(load, 'call.failed of load/morning/first == 0')).toEqual([]);
    expect(complaintsOf(load, 'iteration.done of load/morning > 5')).toEqual([]);
    expect(complaintsOf(load, 'call.failed of load/mornign == 0')).toEqual([
      expect.stringContaining('"load/mornign" is not a load (did you mean "load/morning"?)'),
    ]);
  });

  it('has a name that no other load has', () => {
    const load = '{ name: a, rate: 1/s, request: { get: /a } }\n  - { name: a, rate: 1/s, request: { get: /b } }';
    expect(complaintsOf(load)).toEqual([expect.stringContaining('another load has the name "a"')]);
  });

  it('that changes the cloud is marked in the plan', () => {
    const load = '  - { name: edit, rate: 1/s, chain: [{ get: /a }, { patch: /b }, { delete: /c }] }\n';
    expect(describePlan(planScenario(scenarioOf({ load })))).toContain(
      'edit                                 1/s, evenly · 3 requests each · changes the cloud: PATCH, DELETE',
    );
  });
});
