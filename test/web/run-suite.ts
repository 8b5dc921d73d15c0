/**
 * The page of the run, with a stand-in for the run. docs/reference/console.md describes its answers; the tests in test/control/
 * use a real run.
 */
import type { Browser } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { openConsole, violationsInThemes, violationsOf } from './console.js';
import type { World } from './world.js';

const STATE = {
  ...{
    name: 'live',
    seed: 42,
    devices: 300,
    now_ms: 600_000,
    now: '2026-01-01T00:10:00.000Z',
    duration_ms: 3_600_000,
    speed: 60,
    paused: false,
  },
  counts: { 'device.ready': 300, 'uplink.stored': 1234 },
  latencies: { 'downlink.delivered': { p50_ms: 600_000, p95_ms: 1_500_000 } },
  expectations: [
    { line: 'uplink.stored == uplink.sent', state: 'undecided', sentence: '1234 of 1240 so far', cause: null },
    {
      line: 'update.failed == 0',
      state: 'fails',
      sentence: 'update.failed is 4',
      cause: 'Updates failed: 4 × reverted.',
    },
  ],
  faults: [
    {
      ...{ id: 'f1', fault: 'loss 50%', part: 'network', way: 'both', to: 'cellar', from: 300_000, until: null },
      ...{ state: 'active', injected: true },
    },
    {
      ...{ id: 'f0', fault: 'loss 1%', part: 'network', way: 'both', to: null, from: 0, until: null },
      ...{ state: 'active', injected: false },
    },
  ],
  travels: true,
  last_event: 'cellar-0001 wakes up for a report',
  target: null as string | null,
  has_history: true,
  past_of_ms: null as number | null,
};

const DOWN = {
  ...{ id: 'f2', fault: 'service-down', part: 'service', way: 'both', to: null, from: 0, until: null },
  ...{ state: 'active', injected: true },
};

/** The selector for the search text "cellar": a word matches a part of a name or a tag. */
const CELLAR = '"*cellar*" | tag="*cellar*"';
const SELECTION = {
  devices: 300,
  controls: [{ name: '.sensor', usage: 'QUANTITY NUMBER', about: 'a reading', words: ['hygrometer.temperature'] }],
};

const VERDICT = {
  ...{ word: 'FAILED', look: 'bad', failure: null, digest: '0f0f0f0f0f0f0f0f' },
  ...{ events: 1234, simulatedMs: 3_600_000, wallMs: 60_000 },
  expectations: [
    { line: 'uplink.stored == uplink.sent', passed: true, sentence: 'all 1240 are stored', cause: null },
    { line: 'update.failed == 0', passed: false, sentence: 'update.failed is 4', cause: null },
  ],
};

const END = {
  passed: true,
  failure: null,
  digest: '0f0f0f0f0f0f0f0f',
  events: 1234,
  expectations: [],
  faults: [],
  history: null,
};
const COMPARISON = {
  ...{ original: END, fork: { ...END, passed: false, digest: '1122334455667788' }, same: 1000, until_ms: 9_600_000 },
  difference: {
    at_ms: 2_400_000,
    original: { sentence: 'cellar-0001 sends an uplink (data)', text: '{"kind":"uplink.sent"}' },
    fork: null,
  },
};

export function runSuite(browser: () => Browser, here: () => World): void {
  describe('the page of the run', () => {
    it('shows the state, changes time and faults, and executes lines on devices', async () => {
      const { page, context, complaints } = await openConsole(browser(), here().service);
      // Some systems have a language that is not a valid language tag.
      await context.addInitScript(
        'Object.defineProperty(navigator, "language", { value: "en-US@posix", configurable: true })',
      );
      const requests: string[] = [];
      let farewell = '';
      let isDown = true;
      const link = 'http://127.0.0.1:1/#token=x';
      let pasts = [
        { id: 'past-0', at_ms: 1_200_000, link: null as string | null, comparing: false, compared: false },
        { id: 'past-1', at_ms: 2_400_000, link, comparing: false, compared: false },
        { id: 'past-2', at_ms: 3_000_000, link: null, comparing: false, compared: true },
        { id: 'past-4', at_ms: 3_060_000, link, comparing: true, compared: false },
      ];
      await context.route(/\/run(\/|$)/, async (route) => {
        const { pathname } = new URL(route.request().url());
        const method = route.request().method();
        if (method !== 'GET') requests.push(`${method} ${pathname} ${route.request().postData() ?? ''}`.trim());
        if (pathname === '/run' && isDown) return route.fulfill({ status: 503, json: {} });
        if (pathname === '/run/states') return route.fulfill({ body: `${JSON.stringify(STATE)}\n${farewell}` });
        if (pathname === '/run/lines') {
          const isControl = route.request().postData()?.includes('.sensor') ?? false;
          const output = isControl ? { code: -22, lines: [] } : { code: 0, lines: ['firmware name: \x1b[2JClime'] };
          const part = { from: 'cellar-0001', ...output, more: false };
          return route.fulfill({ body: `${JSON.stringify(part)}\n{"done":1}\n` });
        }
        if (method === 'GET' && pathname === '/run/faults') {
          return route.fulfill({ json: [{ name: 'no-signal', about: 'no network', example: 'no-signal:' }] });
        }
        if (pathname === '/run/selection') return route.fulfill({ json: SELECTION });
        if (pathname === '/run/past') {
          if (method === 'GET') return route.fulfill({ json: pasts });
          const isAgain = route.request().postData()?.includes('1200000ms') ?? false;
          if (isAgain) pasts = pasts.map((past) => (past.id === 'past-0' ? { ...past, id: 'past-3', link } : past));
          return route.fulfill({ json: pasts[isAgain ? 0 : 1] });
        }
        if (pathname === '/run/comparisons') return route.fulfill({ json: COMPARISON });
        if (method === 'DELETE' || pathname.endsWith('/restored')) return route.fulfill({ status: 204 });
        if (pathname === '/run/resume') return route.fulfill({ json: { ...STATE, faults: [...STATE.faults, DOWN] } });
        return route.fulfill({
          json: pathname === '/run/faults' ? { id: 'f2' } : { ...STATE, paused: pathname === '/run/pause' },
        });
      });
      await page.goto(`${here().service.api}/#/run`);
      await page.reload();
      // As long as the answer is missing, the page does not deny that there may be a run.
      await page.getByText('Loading …').waitFor();
      isDown = false;
      await page.getByText('10m of 1h').waitFor();
      await page.getByText('1234 of 1240 so far').waitFor();
      await page.getByText('1 fails, 1 is undecided, 0 hold').waitFor();
      await page.getByText('Updates failed: 4 × reverted.').waitFor();
      await page.getByRole('img', { name: 'loss 50%, active: from 5m until it is lifted' }).waitFor();
      await page.getByText('Always: loss 1%').waitFor();
      await page.getByRole('img', { name: /^Delivery times, last hour: half/ }).waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
      await page.getByRole('button', { name: 'Pause' }).press('Enter');
      await page.getByText('10m of 1h, paused').waitFor();
      await page.locator('button:focus', { hasText: 'Resume' }).waitFor();
      await page.getByRole('button', { name: 'Lift loss 50%' }).click();
      await page.locator('button:focus', { hasText: 'Undo' }).press('Enter');
      await page.locator('.panel.faults:focus').waitFor();
      await page.getByText('Inject a fault').click();
      expect(await page.locator('datalist option').getAttribute('value')).toBe('no-signal:');
      await page.getByLabel(/^Fault, as/).fill('no-signal');
      await page.getByLabel(/^For/).fill('10m');
      await page.getByRole('button', { name: 'Inject', exact: true }).click();
      await page.getByRole('alertdialog', { name: 'The fault affects 300 devices?' }).waitFor();
      await page.getByRole('button', { name: 'Yes' }).click();
      await page.getByText('The fault is injected').waitFor();
      // For the next one, without which it would affect all devices.
      expect(await page.getByLabel(/^For/).inputValue()).toBe('10m');
      // After a reload in the middle of a comparison.
      await page.getByText('The run at 51m is compared with the original. Both runs go on').waitFor();
      expect(await page.getByRole('button', { name: 'Compare with the original: the run at 51m' }).count()).toBe(0);
      pasts = pasts.map((past) => ({ ...past, ...(past.comparing && { comparing: false, compared: true }) }));
      await page.getByRole('button', { name: 'Show the comparison: the run at 51m' }).waitFor();
      await page.getByLabel('Go back in time').press('ArrowLeft');
      await page.getByRole('button', { name: 'Go back to 9m' }).click();
      await page.locator('a:focus', { hasText: 'Open the run at 40m' }).waitFor();
      await page.getByRole('button', { name: 'Enter it again: the run at 20m' }).click();
      await page.locator('a:focus', { hasText: 'Open the run at 20m' }).waitFor();
      await page.getByRole('button', { name: 'Compare with the original: the run at 40m' }).click();
      await page.getByText('in the original, cellar-0001 sends an uplink (data); in the fork,').waitFor();
      await page.getByText('The run at 50m was compared with the original.').waitFor();
      expect(await page.getByRole('button', { name: 'Show the comparison: the run at 50m' }).count()).toBe(1);
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('link', { name: 'Terminal' }).click();
      await page.getByRole('searchbox').fill('cellar');
      await page.getByText('300 devices are selected').waitFor();
      await page.locator('.xterm').click();
      await page.keyboard.type('info fw-name');
      await page.keyboard.press('Enter');
      await page.getByRole('alertdialog', { name: 'info fw-name: Send the line to 300 devices?' }).waitFor();
      await page.getByRole('button', { name: 'Yes' }).click();
      await page.locator('.xterm :focus').waitFor();
      await expect.poll(() => page.locator('.xterm-rows').textContent()).toContain('firmware name: \\u001b[2JClime');
      await page.keyboard.press('Shift+Tab');
      expect(await page.locator('.xterm :focus').count()).toBe(0);
      for (const key of ['Tab', 'Escape', 'Tab']) await page.keyboard.press(key);
      expect(await page.locator('.bench :focus').count()).toBe(1);
      await page.getByLabel('Sensor: value').fill('31.5');
      await page.getByRole('button', { name: 'Sensor: Set' }).click();
      await page.getByRole('button', { name: 'Yes' }).click();
      const meaning = /error.-22.\(EINVAL:.invalid.command.or.value\)/;
      await expect.poll(() => page.locator('.xterm-rows').textContent()).toMatch(meaning);
      expect(requests).toEqual([
        'POST /run/pause {}',
        'DELETE /run/faults/f1',
        'POST /run/faults/restored {"id":"f1"}',
        'POST /run/faults {"fault":"no-signal:","for":"10m"}',
        'POST /run/past {"at":"540000ms"}',
        'POST /run/past {"at":"1200000ms"}',
        'POST /run/comparisons {"id":"past-1","for":"2h"}',
        `POST /run/lines ${JSON.stringify({ on: CELLAR, line: 'info fw-name' })}`,
        `POST /run/lines ${JSON.stringify({ on: CELLAR, line: '.sensor hygrometer.temperature 31.5' })}`,
      ]);
      expect(complaints).toEqual([]);

      // The stream of events stays open while a fault makes the service reject all requests.
      const spaces = /\/v2\/spaces(\?|\/[^/]+\/messages\?)/;
      await context.route(spaces, (route) => route.fulfill({ status: 503, json: { message: 'the cloud is down' } }));
      await page.getByRole('link', { name: 'Run' }).click();
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('no answer: service-down').waitFor();
      await page.getByRole('link', { name: 'Downlinks' }).click();
      await page.getByText('the cloud is down').waitFor();
      expect(await page.getByRole('heading', { name: 'How long deliveries took' }).count()).toBe(0);
      await context.unroute(spaces);
      await page.locator('.state.live').waitFor();
      await page.getByRole('heading', { name: 'How long deliveries took' }).waitFor();
      await page.getByRole('link', { name: 'Run' }).click();

      // Such a fault can also be lifted on a page that was just opened.
      await context.route(spaces, (route) => route.fulfill({ status: 503, json: { message: 'the cloud is down' } }));
      farewell = '{"ended":"This run of the past has ended."}\n';
      await page.reload();
      await page.getByText('the cloud is down').waitFor();
      await page.getByRole('button', { name: 'Lift loss 50%' }).click();
      await expect.poll(() => requests.at(-1)).toBe('DELETE /run/faults/f1');
      await context.unroute(spaces);
      await page.getByRole('heading', { name: 'Run', exact: true }).waitFor();
      await page.getByText('This run of the past has ended.').waitFor();
      // What an ended run cannot do is not offered, and its end is not called a lost connection.
      await page.locator('.state.ended').waitFor();
      expect(await page.getByRole('button', { name: /^(Pause|Resume|Next event|Lift|Go back)/ }).count()).toBe(0);
      expect(await page.getByText('Inject a fault').count()).toBe(0);

      // The verdict comes first on every page, and its expectations are those of the end.
      farewell = `${JSON.stringify({ ended: 'The run has ended.', verdict: VERDICT })}\n`;
      await page.reload();
      await page.getByRole('alert').getByText('1 of 2 expectations are met.').waitFor();
      await page.getByRole('alert').locator('.badge.bad', { hasText: 'FAILED' }).waitFor();
      await page.getByText('1 fails, 0 are undecided, 1 holds').waitFor();
      await page.getByText('all 1240 are stored').waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
      await page.getByRole('link', { name: 'Inspector' }).click();
      await page.getByRole('link', { name: '1 of 2 expectations are met' }).click();
      await page.getByRole('heading', { name: 'Run', exact: true }).waitFor();

      // A run that was interrupted decides nothing: none of its expectations is called missed.
      const open = VERDICT.expectations.map((each) => ({ ...each, passed: false, undecided: true }));
      const interrupted = { word: 'interrupted', look: 'open', failure: 'interrupted by SIGINT', expectations: open };
      farewell = `${JSON.stringify({ ended: 'The run has ended.', verdict: { ...VERDICT, ...interrupted } })}\n`;
      await page.reload();
      const last = page.getByRole('alert').getByText('interrupted The run has ended. 2 expectations are undecided.');
      await last.waitFor();
      await context.close();
    });

    it('is the first page for a cloud that has only the common API, and says why others are missing', async () => {
      const { page, context } = await openConsole(browser(), here().service);
      const state = { ...STATE, target: 'https://cloud.example', has_history: false };
      await context.route(/\/v2\/spaces\/[^/]+\/(history|events|devices)/, (route) =>
        route.fulfill({ status: 404, json: {} }),
      );
      await context.route(/\/run(\/|$)/, (route) =>
        route.request().url().endsWith('/run/states')
          ? route.fulfill({ body: `${JSON.stringify(state)}\n` })
          : route.fulfill({ json: route.request().url().endsWith('/run') ? state : [] }),
      );
      await page.goto(`${here().service.api}/#/overview`);
      await page.reload();
      await page.getByText('https://cloud.example has only the API that all clouds have.').waitFor();
      const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
      expect(names).toEqual(['Terminal', 'Run', 'Scenario', 'Inspector']);
      expect(await page.locator('[aria-current=page]').textContent()).toBe('Run');
      await page.getByText('1234 of 1240 so far').waitFor();
      expect([await page.locator('.failure').count(), await page.locator('.chart').count()]).toEqual([0, 0]);
      expect(await violationsInThemes(page)).toEqual([]);
      await page.getByRole('link', { name: 'Terminal' }).click();
      await page.getByText('Select devices first').waitFor();
      expect(await page.getByLabel('Remote').count()).toBe(0);
      await context.close();
    });
  });
}
