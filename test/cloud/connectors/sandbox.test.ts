import { afterAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/cloud/connectors/sandbox/sandbox.js';
import { LIMITS } from '../../../src/cloud/connectors/sandbox/script.js';
import { Thread } from '../../../src/cloud/connectors/sandbox/thread.js';
import type { Owner } from '../../../src/cloud/store/fair-queue.js';
import { type Action, type Alarm, perform } from '../../../src/kernel/clock.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { SAMPLE_JOB, THINGSBOARD, UBIDOTS } from './samples.js';

/**
 * A watchdog that ends a script only when the test calls `bite`, so that the results are the same on a machine of any speed.
 */
class Watchdog extends VirtualClock {
  #alarms = new Set<Action>();

  override after(_delay: number, _what: string, action: Action): Alarm {
    this.#alarms.add(action);
    return { cancel: () => void this.#alarms.delete(action) };
  }

  bite(): void {
    for (const action of [...this.#alarms]) perform(action);
  }
}

/** Limits with a tenth of the steps, so that an endless loop takes a tenth of the time. */
const quick = { ...LIMITS, interrupts: LIMITS.interrupts / 10 };
const sandbox = new Sandbox(new Watchdog(), () => new Thread(new Watchdog(), quick));
afterAll(() => sandbox.close());

const ONE = { spaceId: 'space', owner: { tenant: 'space', part: 'one' } };
const NOW = Date.UTC(2026, 6, 1, 12);

function run(
  source: string,
  job: unknown = {},
  more: { owner?: Owner; seed?: number } = {},
): Promise<Awaited<ReturnType<Sandbox['run']>>> {
  return sandbox.run({ ...ONE, source, job, now: NOW, seed: 1, ...more });
}

async function returned(source: string, job?: unknown, part = 'one'): Promise<unknown> {
  const result = await run(source, job, { owner: { tenant: 'space', part } });
  if (result.kind === 'failed') throw new Error(result.why);
  return result.value;
}

async function faultOf(source: string, job?: unknown, part = 'one'): Promise<string> {
  const result = await run(source, job, { owner: { tenant: 'space', part } });
  return result.kind === 'failed' ? result.why : `no fault: ${JSON.stringify(result.value)}`;
}

const body = (code: string) => `function main(job) { ${code} }`;

describe('scripts of real users', () => {
  it('send telemetry to ThingsBoard', async () => {
    expect(await returned(THINGSBOARD, SAMPLE_JOB)).toEqual({
      method: 'POST',
      url: 'https://thingsboard.example/api/v1/tb-token/telemetry',
      header: { 'Content-Type': 'application/json' },
      data: [
        { ts: 1_772_359_200_000, values: { thermometer_temperature: 21.5, voltage: 3.61, orientation: 2 } },
        { ts: 1_772_359_260_000, values: { hygrometer_humidity: 47.1 } },
      ],
    });
    expect(await returned(THINGSBOARD, { ...SAMPLE_JOB, device: { ...SAMPLE_JOB.device, label: {} } })).toBeNull();
  });

  it('send variables to Ubidots, and modify their job', async () => {
    expect(await returned(UBIDOTS, SAMPLE_JOB)).toEqual({
      url: 'https://industrial.api.ubidots.com/api/v1.6/devices/2159017985/',
      headers: { 'X-Auth-Token': 'ubi-token' },
      body: JSON.stringify({ temperature: { value: 21.5, timestamp: 1_772_359_200_000 }, voltage: 3610 }),
    });
  });

  it('may define main in any form, and report missing fields with the line', async () => {
    expect(await returned('const main = ({ a }) => ({ a: a?.b ?? 1 })', {})).toEqual({ a: 1 });
    expect(await returned('"use strict";\r\nlet n = 0;\r\nvar main = function () { return n; };')).toBe(0);
    expect(
      await faultOf('function main(job) {\n  return job.message.body.system.uptime;\n}', { message: { body: {} } }),
    ) //
      .toMatch(/^TypeError: .* \(line 2, column \d+\)$/);
    expect(await faultOf(body('return { sn }'))).toMatch(/^ReferenceError: .*sn.* \(line 1, column \d+\)$/);
    expect(await faultOf('function main( {')).toMatch(/^SyntaxError: /);
    expect(await faultOf('function other() {}')).toBe('the script has no function main');
    expect(await faultOf('async function main() {}')).toMatch(/promise/);
    expect(await faultOf(body('throw "no"'))).toBe('the script threw no');
  });

  it('may write to the console', async () => {
    expect(await returned(body('console.log(job); console.error("x"); return 1'))).toBe(1);
  });
});

describe('a script without a job', () => {
  const checked = (source: string) => sandbox.run({ ...ONE, source, now: NOW, seed: 1 });

  it('is valid if its top level defines main, which is not called', async () => {
    for (const source of [
      'function main() { throw 1 }',
      'const main = (a) => a.b.c;',
      'console.log(1); var main = Date',
    ]) {
      expect([source, await checked(source)]).toEqual([source, { kind: 'value', value: null }]);
    }
  });

  it.each([
    ['', 'the script has no function main'],
    ['const Main = () => null', 'the script has no function main'],
    ['const main = { url: "https://example.com" }', 'main is not a function'],
    ['async function main() {}', 'main returns a promise; it must return the value itself, so it cannot be async'],
    ['const main = async () => ({})', 'main returns a promise; it must return the value itself, so it cannot be async'],
    ['function* main() {}', 'main is a generator; it must return the value itself'],
    ['throw "no"', 'the script threw no'],
  ])('is rejected with the fault that it would have with a job: %j', async (source, why) => {
    expect(await checked(source)).toEqual({ kind: 'failed', why });
    expect(await faultOf(source)).toBe(why);
  });

  it('is rejected with the place of an error of its top level', async () => {
    const result = await checked('function main() {}\nrequire("x")');
    expect(result).toEqual({ kind: 'failed', why: expect.stringMatching(/^ReferenceError: .*require.* \(line 2, /) });
  });

  it.each([
    ['function main(job) {\n  return { url: }\n}', 'line 2, column 17'],
    ['const a = 1;\r\n\r\n const b = 08n;', 'line 3, column 12'],
    ['let a; let a;', 'line 1, column 13'],
    ['await 5', 'line 1, column 7'],
  ])('is rejected with the place of the problem: %j', async (source, place) => {
    const result = await checked(source);
    expect(result).toEqual({
      kind: 'failed',
      why: expect.stringMatching(new RegExp(`^SyntaxError: .+ \\(${place}\\)$`)),
    });
  });

  it('is rejected if it nests too deeply for the compiler', async () => {
    expect(await checked('['.repeat(60_000))).toMatchObject({ kind: 'failed' });
    expect(await checked('function main() {}')).toMatchObject({ kind: 'value' });
  });
});

describe('the context of a script', () => {
  it('has no Intl: a date as text is in UTC and in one form, whatever language and time zone the script asks for', async () => {
    const dates = body(
      "const at = new Date(); const how = { timeZone: 'Asia/Tokyo' }; return [typeof Intl, at.toLocaleString('de', how), at.toLocaleTimeString('de', how)]",
    );
    expect(await returned(dates)).toEqual(['undefined', '07/01/2026, 12:00:00 PM', '12:00:00 PM']);
  });

  it('has the time of the attempt, in UTC, and the same random numbers for the same seed', async () => {
    const dates = body('return [Date.now(), new Date().toISOString(), new Date(2026, 6, 1, 12).getTime()]');
    expect(await returned(dates)).toEqual([NOW, new Date(NOW).toISOString(), NOW]);
    const draws = body('return [Math.random(), Math.random()]');
    const [first, same, other] = await Promise.all([1, 1, 2].map((seed) => run(draws, {}, { seed })));
    expect(same).toEqual(first);
    expect(other).not.toEqual(first);
  });

  it('has a clock that advances with the steps of the script, in the same way in every run', async () => {
    const waiting = body(
      'const end = Date.now() + 100; let n = 0; while (Date.now() < end) n++; return [Date.now() - end, n]',
    );
    const first = await returned(waiting);
    expect(first).toEqual([0, expect.any(Number)]);
    expect(await returned(waiting)).toEqual(first);
    expect(await faultOf(body('const end = Date.now() + 60000; while (Date.now() < end);'))).toContain('too long');
  });

  it('gives no access to the thread', async () => {
    const names = [
      'process',
      'require',
      'fetch',
      'XMLHttpRequest',
      'setTimeout',
      'WebAssembly',
      'Worker',
      'module',
      'os',
      'std',
    ];
    expect(await returned(body(`return ${JSON.stringify(names)}.filter((name) => name in globalThis)`))).toEqual([]);
    expect(await faultOf('import fs from "node:fs"; function main() {}')).toMatch(/^SyntaxError: /);
    expect(await faultOf(body('return import("node:fs")'))).toMatch(/promise/);
    const outer = body('return main.constructor.constructor("return typeof process + typeof globalThis.main")()');
    expect(await returned(outer)).toBe('undefinedfunction');
  });

  it('ends with the script and leaves no state behind', async () => {
    const spoil = `
      globalThis.left = 1; implicit = 2;
      JSON.stringify = () => '"stolen"'; JSON.parse = () => ({ stolen: true });
      Object.prototype.polluted = 1; Array.prototype.map = null; String = null;
      Date.now = () => 0; Object.defineProperty(Object.prototype, 'url', { get() { return 'http://evil' } });
      function main(job) { job.a = 2; return { data: job.a, own: Object.keys(job) } }`;
    expect(await returned(spoil, { a: 1 })).toEqual({ data: 2, own: ['a'] });
    const look = body(
      'return [typeof left, typeof implicit, {}.polluted ?? 0, {}.url ?? 0, job.a, Date.now(), [1].map(String)]',
    );
    expect(await returned(look, { a: 1 })).toEqual(['undefined', 'undefined', 0, 0, 1, NOW, ['1']]);
  });

  it('returns plain JSON, in which names like __proto__ have no effect', async () => {
    const value = await returned(body('return JSON.parse(\'{"__proto__":{"polluted":1},"constructor":1}\')'));
    expect(Object.keys(value as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe('a script that exceeds a limit or has no valid result fails, and the next one runs:', () => {
  const TIME = 'the script took too long';
  it.concurrent.each([
    ['an endless loop', body('for (;;);'), TIME],
    ['an endless loop before main', 'for (;;);', TIME],
    ['an endless loop that catches errors', body('for (;;) try { for (;;); } catch {} finally { continue }'), TIME],
    ['an endless loop in a getter of the result', body('return { get url() { for (;;); } }'), TIME],
    ['an endless loop in the text of an error', body('throw { toString() { for (;;); } }'), TIME],
    ['a huge allocation', body('return "x".repeat(1e9)'), /memory/],
    ['a typed array', body('return new Uint8Array(2e9).length'), /memory|length/],
    ['a string that doubles', body('let s = "x"; for (;;) s += s'), /too long|memory/],
    ['endless recursion', body('return main(job) + 1'), /too deep|stack overflow/],
    ['a parser bomb', body('return eval("(".repeat(1e5))'), /memory, or nested too deeply|stack overflow/],
    ['a long result', body('return "x".repeat(2e6)'), /more than 1048576 characters/],
    ['a deep result', body('let o = {}; for (let i = 0; i < 200; i++) o = { o }; return o'), /too deep/],
    [
      'a bottomless result',
      body('let o = {}; for (let i = 0; i < 1e4; i++) o = { o }; return o'),
      // The limit that is reached first depends on the machine.
      /too deep|stack overflow|took too long/,
    ],
    ['a circular result', body('const o = {}; o.o = o; return o'), /circular/],
    ['a result that is not JSON', body('return () => 1'), /not JSON/],
    ['a proxy without an end', body('const p = new Proxy({}, { get: () => p }); return p'), /.+/],
    ['a throwing getter', body('return { get url() { throw new Error("boo") } }'), 'Error: boo (line 1, column 58)'],
    [
      'an error that throws',
      body('throw { get message() { throw 1 }, toString() { throw 2 } }'),
      /cannot be displayed/,
    ],
    ['a toJSON that lies', body('return { toJSON() { return { toJSON: 1, url: 2n } } }'), /TypeError/],
  ])('%s', async (name, source, expected) => {
    expect(await faultOf(source, {}, name)).toMatch(expected);
    expect(await returned(body('return job'), { after: true }, name)).toEqual({ after: true });
  });

  it.each([
    ['an endless loop', body('for (;;);'), TIME],
    // The limit that is reached first depends on the machine.
    ['a memory bomb', body('const a = []; for (;;) a.push("x".repeat(1e6) + a.length)'), /memory|took too long/],
  ])('%s, with the limits of the service in real time', async (_, source, expected) => {
    const own = new Sandbox(new RealClock());
    const result = await own.run({ ...ONE, source, job: {}, now: NOW, seed: 1 });
    expect(result).toEqual({ kind: 'failed', why: expect.stringMatching(expected) });
    await own.close();
  });

  // Each script makes a single call into the engine, which counts as one step.
  it.each([
    ['a pattern that backtracks', body('return /^(a+)+$/.test("a".repeat(40) + "b")')],
    ['one long operation', body('return [1].concat(new Array(1e8)).join("abc")')],
  ])('%s, stopped by the watchdog', async (_, source) => {
    const watchdog = new Watchdog();
    const own = new Sandbox(watchdog);
    const script = (code: string) => own.run({ ...ONE, source: code, job: {}, now: NOW, seed: 1 });
    expect(await script(body('return 1'))).toEqual({ kind: 'value', value: 1 });
    const stuck = script(source);
    // The first script has started the thread, so the watchdog waits only for the second script.
    await new Promise((resolve) => setImmediate(resolve));
    watchdog.bite();
    expect(await stuck).toEqual({ kind: 'failed', why: TIME });
    expect(await script(body('return 2'))).toEqual({ kind: 'value', value: 2 });
    await own.close();
  });

  it('several at once: other spaces run scripts meanwhile, and a sandbox that closes rejects the stuck scripts', async () => {
    const own = new Sandbox(new Watchdog());
    const script = (part: string, source: string) =>
      own.run({ spaceId: part, owner: { tenant: part, part }, source, job: {}, now: NOW, seed: 1 });
    const stuck = [1, 2, 3].map(() => script('villain', body('return [1].concat(new Array(1e8)).join("abc")')));
    const ended = stuck.map((each) =>
      each.then(
        () => 'done',
        (error: Error) => error.message,
      ),
    );
    expect(await script('another', body('return 1'))).toEqual({ kind: 'value', value: 1 });
    await own.close();
    expect(await Promise.all(ended)).toEqual([
      'the sandbox is closed',
      'the sandbox is closed',
      'the sandbox is closed',
    ]);
    await expect(script('late', body('return 1'))).rejects.toThrow('closed');
  });
});
