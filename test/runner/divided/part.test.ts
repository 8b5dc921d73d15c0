/** A part of a divided run, where it is carried out. */
import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { EXIT, InterruptedError } from '../../../src/kernel/errors.js';
import { minutes } from '../../../src/kernel/time.js';
import { defineScenario } from '../../../src/library/scenario.js';
import { type FromPart, failureOf, type ToPart, type WindowsTask } from '../../../src/runner/divided/messages.js';
import { beginPart } from '../../../src/runner/divided/part.js';
import { PortChannel } from '../../../src/runner/divided/threads/port-channel.js';
import { packProfiles } from '../../../src/runner/world/plan-profiles.js';
import { profiles } from '../run-text.js';

const plan = defineScenario({
  ...{ name: 'windows', duration: '2h' },
  fleet: [{ name: 'clime', profile: 'clime', count: 2, config: { 'interval-report': 60 } }],
});

/** Begins a part in virtual time with windows of 10 min, which may run until 20 min. */
function begin() {
  const { port1, port2 } = new MessageChannel();
  const task: WindowsTask = {
    ...{ clock: 'virtual', number: 1, parts: 2, plan, profiles: packProfiles(plan, profiles) },
    ...{ transport: 'memory', db: 'memory', window: minutes(10), until: minutes(20) },
  };
  const channel = new PortChannel<FromPart, ToPart>(port2, () => port2.close());
  const part = beginPart(task, { apiKey: '', channel });
  const run = new PortChannel<ToPart, FromPart>(port1, () => {});
  return { run, part };
}

async function turns(): Promise<'nothing'> {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  return 'nothing';
}

it('a part in virtual time sends its events after each window, and waits for the permit of the run', async () => {
  const { run, part } = begin();
  expect(await run.next()).toMatchObject({ kind: 'taken' });
  expect(await run.next()).toMatchObject({ kind: 'events', until: minutes(10) });
  expect(await run.next()).toMatchObject({ kind: 'events', until: minutes(20) });
  const next = run.next();
  expect(await Promise.race([next, turns()])).toBe('nothing');
  run.send({ kind: 'go', until: minutes(30) });
  expect(await next).toMatchObject({ kind: 'events', until: minutes(30) });
  run.send({ kind: 'stop', reason: failureOf(new InterruptedError('SIGINT')) });
  await part.over;
});

it('a part in virtual time that is stopped while it waits ends with the reason', async () => {
  const { run, part } = begin();
  run.send({ kind: 'stop', reason: failureOf(new InterruptedError('SIGINT')) });
  await part.over;
  const messages: FromPart[] = [];
  while (messages.at(-1)?.kind !== 'end') messages.push(await run.next());
  expect(messages.at(-1)).toMatchObject({ end: { exitCode: EXIT.interrupted, failure: 'interrupted by SIGINT' } });
});
