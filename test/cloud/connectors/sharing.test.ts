/** Spaces share the threads of the sandbox: the scripts of one space must not affect those of another. */
import { afterAll, describe, expect, it } from 'vitest';
import { Sandbox } from '../../../src/cloud/connectors/sandbox/sandbox.js';
import { LIMITS, type Script } from '../../../src/cloud/connectors/sandbox/script.js';
import { type ScriptThread, Thread } from '../../../src/cloud/connectors/sandbox/thread.js';
import { seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';

const script = (spaceId: string, part: string, source: string, job: unknown = {}): Script => ({
  ...{ spaceId, owner: { tenant: spaceId, part }, source, job },
  ...{ now: 0, seed: 1 },
});

/** Threads that do not run their scripts: each run takes as many milliseconds of simulated time as its job says. */
function pretended(clock: VirtualClock): () => ScriptThread {
  return () => ({
    usable: true,
    run: ({ job }) =>
      new Promise((resolve) => {
        clock.after(Number(job), 'a script', () => resolve({ kind: 'value', value: null }));
      }),
    close: async () => {},
  });
}

describe('the threads of the sandbox', () => {
  it('run the scripts of a space in time, although another space has 90 slow ones', async () => {
    const clock = new VirtualClock();
    const sandbox = new Sandbox(clock, pretended(clock));
    const ended: number[] = [];
    const slow = Array.from({ length: 90 }, (_, n) => sandbox.run(script('slow', `${n}`, '', 500)));
    const fast = Array.from({ length: 15 }, () =>
      sandbox.run(script('fast', 'one', '', 5)).then(() => ended.push(clock.now)),
    );
    await clock.attend(Promise.all(fast));
    // One of the two threads is always free for the space `fast`.
    expect(Math.max(...ended)).toBe(15 * 5);
    await clock.attend(Promise.all(slow));
    expect(clock.now).toBe(seconds(45));
  });

  it('run a script of a fourth space next, although three spaces have 30 slow ones each', async () => {
    const clock = new VirtualClock();
    const sandbox = new Sandbox(clock, pretended(clock));
    const slow = ['a', 'b', 'c'].flatMap((space) =>
      Array.from({ length: 30 }, (_, n) => sandbox.run(script(space, `${n}`, '', 500))),
    );
    const late = sandbox.run(script('fast', 'one', '', 5));
    await clock.attend(late);
    expect(clock.now).toBe(505);
    await clock.attend(Promise.all(slow));
  });

  it('run a script again if an earlier one may have damaged its thread; only a script that ends a new thread fails', async () => {
    const began: string[] = [];
    const fragile = (): ScriptThread => {
      let runs = 0;
      let usable = true;
      return {
        get usable() {
          return usable;
        },
        async run({ source }) {
          began.push(`${source}${runs}`);
          const isFirst = runs++ === 0;
          if (source === 'good' && isFirst) return { kind: 'value', value: source };
          usable = false;
          return isFirst ? { kind: 'failed', why: 'too much' } : { kind: 'died' };
        },
        close: async () => {},
      };
    };
    const sandbox = new Sandbox(new VirtualClock(), fragile);
    const run = (source: string) => sandbox.run(script('space', 'one', source));
    expect(await run('good')).toEqual({ kind: 'value', value: 'good' });
    expect(await run('good')).toEqual({ kind: 'value', value: 'good' });
    expect(await run('bad')).toEqual({ kind: 'failed', why: 'too much' });
    expect(began).toEqual(['good0', 'good1', 'good0', 'bad1', 'bad0']);
  });
});

describe('the engines of a thread', () => {
  const MIB = 1_048_576;
  const small = new Thread(new VirtualClock(), { ...LIMITS, memory: 4 * MIB });
  afterAll(() => small.close());
  const run = (source: string, space = 'one') => small.run(script(space, 'part', `function main() { ${source} }`));
  const needs = (bytes: number) => `return new Uint8Array(${bytes}).length`;

  it('keep nothing that a script leaves pending', async () => {
    const keep = `const kept = new Uint8Array(${2 * MIB}); Promise.resolve().then(() => kept.fill(1)); return 1`;
    for (let n = 0; n < 20; n++) expect(await run(keep)).toEqual({ kind: 'value', value: 1 });
    expect(await run(needs(2 * MIB))).toEqual({ kind: 'value', value: 2 * MIB });
  });

  it('limit the sum of what a script allocates, and the next script has all memory again', async () => {
    const hoard = `const all = []; for (let n = 0; n < 64; n++) all.push(new Uint8Array(${MIB}).fill(n)); return all.length`;
    expect(await run(hoard)).toMatchObject({ kind: 'failed', why: expect.stringMatching(/memory/) });
    expect(await run(needs(10 * MIB))).toEqual({ kind: 'value', value: 10 * MIB });
    expect(await run(hoard, 'two')).toMatchObject({ kind: 'failed' });
    expect(await run(needs(10 * MIB), 'one')).toEqual({ kind: 'value', value: 10 * MIB });
  });
});
