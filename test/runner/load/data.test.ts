/** Data for the requests of a load: rows of a CSV or NDJSON file. */
import { describe, expect, it } from 'vitest';
import { InputError } from '../../../src/input/problems.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { NO_SOURCES } from '../../../src/scenario/parse/sources.js';
import { describePlan } from '../../../src/scenario/plan/describe.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { TYPES, yamlOf } from '../../scenario/fixtures.js';
import { runLoads } from './virtual-loads.js';

const PEOPLE = 'email,name\nada@example.com,Ada\n"bob, the builder@x",Bob\ncyd@example.com,Cyd\n';
const LINES = '{"id":7,"tags":["a"],"serial":"mine"}\n\n{"id":8,"tags":[],"serial":"yours"}\n';

function scenarioOf(load: string, files: Readonly<Record<string, string>>) {
  const readFile = (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error(`"${path}" cannot be read`);
    return { file: path, text };
  };
  const yaml = yamlOf({ head: 'name: test\nduration: 10s\n', load: `  - ${load}\n` });
  return parseScenario(yaml, 'test.yaml', TYPES, { ...NO_SOURCES, readFile });
}

async function pathsOf(load: string, options: { readonly parts?: number } = {}) {
  const plan = planScenario(scenarioOf(load, { 'people.csv': PEOPLE, 'lines.ndjson': LINES }));
  const { sent, contradictions } = await runLoads(plan, undefined, options);
  expect(contradictions).toEqual([]);
  return sent.map(({ path, body }) => (body === undefined ? path : `${path} ${body}`));
}

describe('the data of a load', () => {
  it('are used row by row, and again from the first row', async () => {
    expect(await pathsOf('{ data: people.csv, rate: 1/s, until: 5s, request: { get: "/{email}/{name}" } }')).toEqual([
      '/ada%40example.com/Ada',
      '/bob%2C%20the%20builder%40x/Bob',
      '/cyd%40example.com/Cyd',
      '/ada%40example.com/Ada',
      '/bob%2C%20the%20builder%40x/Bob',
    ]);
  });

  it.each([
    ['rate: 1/s', 3],
    ['users: 2, think: 1s', 3],
    ['users: 2, iterations: 9, think: 1s', 3],
    ['users: 2, iterations: 2, think: 1s', 2],
    ['per: device', 3],
  ])('are used once each with "unique" and %s, also by several parts of a run', async (pace, count) => {
    const load = `{ data: { file: people.csv, order: unique }, ${pace}, request: { get: "/{name}" } }`;
    const paths = await pathsOf(load);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toHaveLength(count);
    expect((await pathsOf(load, { parts: 2 })).sort()).toEqual(paths.sort());
  });

  it('are used once each with "unique", even if most users come late and go early', async () => {
    const pace = 'users: { 0s: 1, 3s: 3, 4s: 1 }, think: 2s';
    const load = `{ data: { file: people.csv, order: unique }, ${pace}, request: { get: "/{name}" } }`;
    expect(await pathsOf(load)).toEqual(['/Ada', '/Bob', '/Cyd']);
  });

  it('are drawn from the seed with "random"', async () => {
    const load = '{ data: { file: people.csv, order: random }, rate: 10/s, request: { get: "/{name}" } }';
    const paths = await pathsOf(load);
    const counts = ['/Ada', '/Bob', '/Cyd'].map((path) => paths.filter((each) => each === path).length);
    expect(Math.min(...counts)).toBeGreaterThan(20);
    expect(await pathsOf(load)).toEqual(paths);
    expect((await pathsOf(load, { parts: 3 })).sort()).toEqual(paths.sort());
  });

  it('of lines of JSON keep their types, and take precedence over values of the device', async () => {
    const request = '{ post: "/{serial}", body: { id: "{id}", tags: "{tags}", text: "no {id}" } }';
    expect(await pathsOf(`{ data: lines.ndjson, rate: 1/s, until: 2s, request: ${request} }`)).toEqual([
      '/mine {"id":7,"tags":["a"],"text":"no 7"}',
      '/yours {"id":8,"tags":[],"text":"no 8"}',
    ]);
  });

  it('of a CSV file keep spaces in quotation marks, and rows that begin with "#"', async () => {
    const load =
      '{ data: people.csv, rate: 1/s, until: 3s, request: { post: /a, body: { c: "{color}", n: "{name}" } } }';
    const text = '# colours\ncolor, name\n#1f77b4," lead "\n "#0f0" , x \n\nred,"#"\n';
    const { sent } = await runLoads(planScenario(scenarioOf(load, { 'people.csv': text })));
    expect(sent.map(({ body }) => body)).toEqual([
      '{"c":"#1f77b4","n":" lead "}',
      '{"c":"#0f0","n":"x"}',
      '{"c":"red","n":"#"}',
    ]);
  });

  it('have columns with letters of any language', async () => {
    const plan = planScenario(
      scenarioOf('{ data: a.csv, rate: 1/s, until: 2s, request: { get: "/{größe}/{2nd}/{a-1}/{été}" } }', {
        'a.csv': 'größe,a-1,été\nxl,7,ü\n',
      }),
    );
    const { sent } = await runLoads(plan, undefined);
    expect(sent.map(({ path }) => path)).toEqual(['/xl/{2nd}/7/%C3%BC', '/xl/{2nd}/7/%C3%BC']);
  });

  it.each([
    [
      'post: "/x", body: { name: "is {my col}" }',
      '7:72: {my col} cannot have the value of the column "my col": rename it',
    ],
    ['get: "/x/{1st}"', '7:51: {1st} cannot have the value of the column "1st": rename it'],
    ['get: "/x", headers: { x-a: "{1st}" }', '{1st} cannot have the value'],
    ['get: "/x/{nosuch-ü}"', '7:51: {nosuch-ü} has no value in'],
    ['get: "/x/{größ"', '"{größ" has no "}" at its end'],
  ])('has no columns for %s', (request, complaint) => {
    const read = () =>
      scenarioOf(`{ data: a.csv, rate: 1/s, request: { ${request} } }`, { 'a.csv': 'my col,1st,b\n1,2,3\n' });
    expect(read).toThrow(InputError);
    expect(read).toThrow(complaint);
  });

  it('that are empty do not make another path', async () => {
    const load = '{ name: a, data: people.csv, rate: 1/s, until: 2s, request: { delete: "/tags/{id}?by={by}" } }';
    const { sent, metrics } = await runLoads(planScenario(scenarioOf(load, { 'people.csv': 'id,by\n,me\n7,\n' })));
    expect(sent.map(({ path }) => path)).toEqual(['/tags/7?by=']);
    expect(metrics.summarise().calls.a?.reasons).toEqual({
      'dropped: {id} is empty, so its path would be another one': 1,
    });
  });

  it('appear in a plan as a number of rows', () => {
    const load = '{ name: invite, data: { file: people.csv, order: unique }, rate: 1/s, request: { get: "/{email}" } }';
    const text = describePlan(planScenario(scenarioOf(load, { 'people.csv': PEOPLE })));
    expect(text).toContain('1/s, evenly · 3 rows of people.csv, unique');
    expect(text).not.toContain('ada@');
  });

  it.each([
    ['data: none.csv', {}, '"none.csv" cannot be read'],
    ['data: d.csv', { 'd.csv': 'email,email\na,b\n' }, 'd.csv:1:7: a column before this one is called "email", too'],
    ['data: d.csv', { 'd.csv': 'email\n' }, '"d.csv" has no rows'],
    ['data: d.csv', { 'd.csv': 'e-mail\nx\n' }, '{email} has no value in "get /{email}" (did you mean "e-mail"?)'],
    [
      'data: d.ndjson',
      { 'd.ndjson': '{"email":"x"}\n{"email":\n[1]\n' },
      'd.ndjson:3:1: this line is not a JSON object',
    ],
    ['data: d.ndjson', { 'd.ndjson': '{"email":"x"}\n{"id":1}\n' }, '{email} has no value in row 2 of "d.ndjson"'],
    ['data: d.ndjson', { 'd.ndjson': '\n' }, 'expected a JSON object in each line'],
    [
      'data: d.json',
      { 'd.json': '[{"email":"x"},\n{"email":"y"}]' },
      'expected a JSON object in each line, not a list',
    ],
    ['data: d.ndjson', { 'd.ndjson': '{"email":1e400}\n' }, 'd.ndjson:1:1: 1e400 cannot be kept exactly'],
    [
      'data: d.ndjson',
      { 'd.ndjson': '{"email":1}\n{"email":1,"email":2}\n' },
      'd.ndjson:2:12: this line has the key "email" more than once',
    ],
    [
      'data: d.ndjson',
      { 'd.ndjson': Array.from({ length: 16_000 }, (_, n) => `{"email":1,"key ${n}":1}`).join('\n') },
      'd.ndjson:4472:1: 4472 rows with 4473 different keys are too many: the limit is 20000000 for rows times keys',
    ],
    [
      'data: { file: d.csv, order: shuffled }',
      { 'd.csv': 'email\nx\n' },
      '"shuffled" is not one of cyclic, unique or random',
    ],
  ])('are rejected with %s', (data, files, complaint) => {
    let message = '';
    try {
      scenarioOf(`{ ${data}, rate: 1/s, request: { get: "/{email}" } }`, files as Readonly<Record<string, string>>);
    } catch (error) {
      message = error instanceof InputError ? error.message : String(error);
    }
    expect(message).toContain(complaint);
  });

  it('are only for requests of ones own', () => {
    expect(() => scenarioOf('{ data: d.csv, rate: 1/s, list-devices: }', { 'd.csv': 'a\nb\n' })).toThrow(
      '"data" is for request, chain or choose, not for "list-devices"',
    );
  });
});
