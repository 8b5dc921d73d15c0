/** `ghostfleet demo`: a cloud, a fleet and the console. */
import { expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

it('the demo runs 300 devices, prints an address of the console that signs in, and ends cleanly at an interrupt', async () => {
  let end = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    end = resolve;
  });
  let devices: unknown[] = [];
  const visit = async (link: string) => {
    const { origin, hash } = new URL(link);
    const signedIn = await fetch(`${origin}/console/session`, {
      method: 'POST',
      headers: { origin, 'content-type': 'application/json' },
      body: JSON.stringify({ token: hash.replace('#token=', '') }),
    });
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
    const { space_id: space } = JSON.parse(await signedIn.text());
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
  expect([devices.length, exit, out]).toEqual([300, 0, expect.stringContaining('The demo has ended. 300 devices')]);
  expect(err).not.toContain('failed');
  expect(opened).toEqual([]);
});

it.each([[['--open']], [[]]])(
  'the demo at a terminal opens the console in the browser only with --open: options %j',
  async (flags) => {
    const opened: string[] = [];
    const { err } = await ghostfleet(['demo', ...flags], {
      ...{ terminal: {}, interruptOn: /console at \S+ / },
      browser: (address) => opened.push(address),
    });
    const [, link] = /console at (\S+)/.exec(err) ?? [];
    expect(opened).toEqual(flags.length === 0 ? [] : [link]);
  },
);
