/** Further tests beside demo.test.ts. */
import { expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { signIn } from './demo-support.js';

it('the demo runs 300 devices, prints an address of the console that signs in and begins a tour, and ends cleanly at an interrupt', async () => {
  let end = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    end = resolve;
  });
  let devices: unknown[] = [];
  let hasTour = false;
  const visit = async (link: string) => {
    const { origin, search } = new URL(link);
    hasTour = search === '?tour';
    const { cookie, space } = await signIn(link);
    const list = () => fetch(`${origin}/v2/spaces/${space}/devices?limit=500`, { headers: { cookie } });
    for (let n = 0; devices.length < 300 && n < 200; n++) devices = JSON.parse(await (await list()).text());
    end();
  };
  let visiting: Promise<void> | undefined;
  const opened: string[] = [];
  // Without a terminal, as in CI, no browser is opened.
  const { exit, out, err } = await ghostfleet(['demo', '--open'], {
    browser: (address) => opened.push(address),
    interruptWhen,
    watch: (text) => {
      const [, link] = /console at (\S+)/.exec(text) ?? [];
      if (link !== undefined) visiting ??= visit(link);
    },
  });
  await visiting;
  expect([devices.length, hasTour, exit, out]).toEqual([
    300,
    true,
    0,
    expect.stringContaining('The demo has ended. 300 devices'),
  ]);
  expect(err).not.toContain('failed');
  expect(opened).toEqual([]);
});
