/** `ghostfleet ab` and `run --seeds --target` as their user sees them: against clouds on this machine, in real time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { cloud, file, folder, KEYS, useClouds } from './ab-support.js';

const { apis, where, ab } = useClouds();

describe('ghostfleet ab', () => {
  it('runs A B B A A B with keys of their own, and compares as "compare" does', async () => {
    const [out, page] = [join(folder, 'out'), join(folder, 'page.html')];
    const started: (readonly string[])[] = [];
    const words = ['--runs', '3', '--seed', '5', '--out', out, '--html', page];
    const ended = await ab(words, { started: (args) => void started.push(args) });
    expect(ended.err).toContain('seed 7 against B: passed (6 of 6)\n');
    const order = started.map((args) => [args[args.indexOf('--seed') + 1], args[args.indexOf('--target') + 1]]);
    const [a, b] = apis();
    expect(order).toEqual([
      ...[
        ['5', a],
        ['5', b],
        ['6', b],
        ['6', a],
        ['7', a],
        ['7', b],
      ],
    ]);
    expect(ended.out).toContain(`A  ${a} · short · 3 runs, seeds 5 to 7\n`);
    expect(ended.out).toContain('runs with the same seed are compared in pairs');
    expect(readdirSync(join(out, 'b'))).toEqual(['seed-5', 'seed-6', 'seed-7']);
    expect(readFileSync(join(out, 'b', 'seed-6', 'junit.xml'), 'utf8')).toContain('classname="short (B, seed 6)"');
    const again = await ghostfleet(['compare', join(out, 'a'), join(out, 'b')]);
    expect(again.out.split('\n').slice(3)).toEqual(ended.out.split('\n').slice(3));
    expect(again.exit).toBe(ended.exit);
    const shown = [ended.out, ended.err, readFileSync(page, 'utf8'), started.flat().join(' ')].join('\n');
    for (const key of Object.values(KEYS)) expect(shown).not.toContain(key);
  });

  it('ends at the first run that cannot be made', async () => {
    const started: (readonly string[])[] = [];
    const env = { ...KEYS, GHOSTFLEET_A_API_KEY: 'wrong' };
    const { exit, out, err } = await ab(['--runs', '3'], { env, started: (args) => void started.push(args) });
    expect([exit, out, started.length]).toEqual([2, '', 1]);
    expect(err).toContain('the run with seed 1 against A gave no result: ');
  });

  it('names the run that a cloud could not finish, and writes every format', async () => {
    const going = await cloud(KEYS.GHOSTFLEET_API_KEY);
    const [html, markdown] = [join(folder, 'gone.html'), join(folder, 'gone.md')];
    let closed: Promise<void> | undefined;
    const started = (args: readonly string[]) => {
      if (args.includes(going.api)) closed ??= new Promise((done) => setTimeout(done, 50)).then(() => going.close());
    };
    const words = ['--runs', '3', '--b', going.api, '--html', html, '--markdown', markdown, '--json'];
    const targets = ['--a', apis()[0], '--link', 'http', '--speed', '20'];
    const { exit, out, err } = await ghostfleet(['ab', file, ...targets, ...words], { env: KEYS, started });
    await closed;
    const why = /(seed 1 against B failed: .+|a run gave no result); 0 of 3 pairs of runs count: too few to compare/;
    expect([exit === 0, err]).toEqual([false, expect.stringMatching(why)]);
    for (const view of [JSON.parse(out).partial, readFileSync(html, 'utf8'), readFileSync(markdown, 'utf8')])
      expect(view).toMatch(why);
  });

  it.each([
    [['--seed', '9007199254740990'], 'seed 9007199254740990 is too large for 10 runs, each with the next seed'],
    [['--runs', '2'], '--runs "2" is not a whole number from 3 to 1000'],
    [['--fail-if', 'call.latncy p(95) > 1%'], 'found "call.latncy" (did you mean "call.latency"?)'],
    [['--b-udp', 'x'], '--b-udp "x" is not HOST:PORT'],
    [['--b-udp', '127.0.0.1:1'], '--udp cannot be used with --link http'],
  ])('rejects %j', async (words, message) => {
    const { exit, err } = await ab(words);
    expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  });

  it('names the option of an address that is none, and the variable of a missing key', async () => {
    const bad = await ghostfleet(['ab', file, '--a', 'nowhere', '--b', 'http://127.0.0.1:1'], { env: KEYS });
    expect(bad.err).toContain('--a "nowhere" is not an address such as');
    const keyless = await ghostfleet(['ab', file, '--a', 'http://127.0.0.1:1', '--b', 'http://127.0.0.1:1'], {
      env: { GHOSTFLEET_A_API_KEY: 'x' },
    });
    expect(keyless.err).toContain('--b requires an API key');
    expect(keyless.err).toContain('set GHOSTFLEET_B_API_KEY or GHOSTFLEET_API_KEY');
  });

  it('rejects a scenario that can be read only once', async () => {
    const { exit, err } = await ghostfleet(['ab', '-', ...where()], { env: KEYS });
    expect([exit, err]).toEqual([2, expect.stringContaining('"-" cannot be used with ab')]);
  });
});
