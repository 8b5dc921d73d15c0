/** The port of a run for the web console: what a page can do with a running fleet. */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { RunControls } from '../../src/control/controls.js';
import { Scenarios } from '../../src/control/scenarios.js';
import { RunServer } from '../../src/control/server.js';
import { InterruptedError } from '../../src/kernel/errors.js';
import { defineScenario } from '../../src/library/scenario.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { RunResult } from '../../src/report/result.js';
import { type RunControl, run } from '../../src/runner/run.js';
import { QUIET } from '../support/cloud.js';
import { until } from '../support/until.js';
import { FakeTools, WORDS } from './scenario-tools.js';

const plan = defineScenario({
  name: 'controlled',
  // Long enough for a busy machine: at this speed, an hour lasts a minute.
  duration: '6h',
  fleet: [
    { name: 'clime', profile: 'clime', count: 2 },
    { name: 'push', profile: 'push', count: 1 },
  ],
  network: { faults: [{ loss: '5%', from: '30m', until: '40m', to: 'push' }] },
  expect: ['device.ready == fleet.devices'],
});

const VERDICT = {
  ...{ word: 'passed', look: 'good' as const, failure: null },
  ...{ digest: 'd', events: 1, simulatedMs: 2, wallMs: 3, expectations: [] },
};

const tools = new FakeTools();
let control: RunControl;
let server: RunServer;
let ended: Promise<RunResult>;
let link = '';
let cookie = '';
let signedOut = 0;

beforeAll(async () => {
  await new Promise<void>((resolve, reject) => {
    const started = async (begun: RunControl) => {
      control = begun;
      const { world } = begun;
      if (!world?.pace) throw new Error('the run has no world');
      const { fleet, faults, pace, api, consoleLink, hasSession } = world;
      server = await RunServer.open({
        controls: new RunControls(plan, begun, { fleet, faults, pace }),
        scenarios: new Scenarios(tools),
        ...{ cloud: api.baseUrl, hasSession, signedOut: () => void signedOut++ },
      });
      link = server.link(consoleLink() ?? '');
      resolve();
    };
    ended = run({
      ...{ plan, profiles: packagedProfiles(), clock: 'real', speed: 60, transport: 'memory', db: 'memory', sinks: [] },
      ...{ log: QUIET, reproduce: '', out: null, stopwatch: () => performance.now(), webConsole: '/nowhere' },
      meter: () => ({ late: () => {}, end: () => ({ spoiled: null }) as never }),
      started: (begun) => void started(begun).catch(reject),
    });
  });
  cookie = await signIn(link);
  await until(async () => (await ask('GET', '/run')).json.counts['device.ready'] === 3);
});

afterAll(async () => {
  control.stop(new InterruptedError('SIGINT'));
  await ended;
  await server.close({ ended: 'The run has ended.', verdict: null });
});

/** The cookie of a new session. @param address of the console, with a one-time token */
async function signIn(address: string): Promise<string> {
  const { origin, hash } = new URL(address);
  const signedIn = await fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify({ token: hash.replace('#token=', '') }),
  });
  return signedIn.headers.get('set-cookie')?.split(';')[0] ?? '';
}

async function ask(method: string, path: string, body?: unknown, headers: Record<string, string> = { cookie }) {
  const { origin } = new URL(link);
  const answer = await fetch(origin + path, {
    method,
    headers: { origin, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  const lines = text.split('\n').filter((line) => line !== '');
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers whose shape is what they test
  const values: any[] = lines.map((line) => JSON.parse(line));
  return { status: answer.status, json: values[0], values };
}

describe('the state of a run', () => {
  it('contains progress, time, expectations and faults', async () => {
    const { json } = await ask('GET', '/run');
    expect(json).toMatchObject({ name: 'controlled', devices: 3, duration_ms: 21_600_000, speed: 60, paused: false });
    expect(json.expectations).toEqual([
      expect.objectContaining({ line: 'device.ready == fleet.devices', state: 'holds' }),
    ]);
    const fault = { id: 'planned-1', fault: 'loss 5%', to: 'push', from: 1_800_000, until: 2_400_000 };
    expect(json.faults).toEqual([expect.objectContaining({ ...fault, state: 'planned', injected: false })]);
  });

  it('has its time and speed in the headers of every answer, also of those of its cloud and to a user without control', async () => {
    const time = async () => Date.parse((await ask('GET', '/run')).json.now);
    const key = { 'x-api-key': control.world?.api.apiKey ?? '' };
    for (const path of ['/v2/spaces', '/run']) {
      const before = await time();
      const { headers } = await fetch(new URL(path, link), { headers: key });
      const date = Date.parse(headers.get('date') ?? '');
      expect(date).toBeGreaterThan(before - 1000);
      expect(date).toBeLessThanOrEqual(await time());
      expect(headers.get('x-speed')).toBe(String((await ask('GET', '/run')).json.speed));
    }
  });

  it('contains the latest event, as a sentence', async () => {
    await until(async () => (await ask('GET', '/run')).json.last_event !== null);
    expect((await ask('GET', '/run')).json.last_event).toMatch(/^(clime|push)-000\d \w/);
  });

  it('contains the number of delivered downlinks, and no latency for device.ready', async () => {
    const { json } = await ask('GET', '/run');
    expect(json.counts['downlink.delivered']).toBeGreaterThanOrEqual(0);
    expect(Object.keys(json.latencies)).not.toContain('device.ready');
  });

  it('is refused to an API key and without a session, and a page of another origin cannot pause the run', async () => {
    const { world } = control;
    const key = { 'x-api-key': world?.api.apiKey ?? '' };
    expect((await ask('GET', '/run', undefined, key)).status).toBe(401);
    expect((await ask('GET', '/run', undefined, {})).status).toBe(401);
    const foreign = await ask('POST', '/run/pause', {}, { cookie, origin: 'http://127.0.0.1:3000' });
    expect([foreign.status, foreign.json.code]).toEqual([403, 'foreign-origin']);
    expect((await ask('GET', '/run')).json.paused).toBe(false);
  });
});

describe('the session of a second page', () => {
  it('ends when the page signs out, and the run is notified once even if the page signs out twice', async () => {
    const second = { cookie: await signIn(server.link(control.world?.consoleLink() ?? '')) };
    const { origin } = new URL(link);
    const leave = () =>
      fetch(`${origin}/console/session`, { method: 'DELETE', headers: { ...second, origin } }).then(
        ({ status }) => status,
      );
    expect(await leave()).toBe(204);
    await leave();
    expect(signedOut).toBe(1);
    expect((await ask('GET', '/run', undefined, second)).status).toBe(401);
  });

  it('loses the control of the run when its key is deleted', async () => {
    const { api, consoleLink } = control.world ?? {};
    const second = { cookie: await signIn(server.link(consoleLink?.() ?? '')) };
    expect((await ask('GET', '/run', undefined, second)).status).toBe(200);
    const keys = `/v2/spaces/${api?.spaceId}/keys`;
    const { json: listed } = await ask('GET', keys);
    const { id } = listed.findLast(({ name }: { name: string }) => name === 'console session');
    expect((await ask('DELETE', `${keys}/${id}`)).status).toBe(204);
    const after = await ask('GET', '/run', undefined, second);
    expect([after.status, after.json.code]).toEqual([401, 'no-control']);
    expect((await ask('GET', '/run')).status).toBe(200);
  });
});

describe('a body that is too long', () => {
  it('is rejected, and the next request of its connection is answered', async () => {
    const { host, hostname, port } = new URL(link);
    const socket = connect(Number(port), hostname);
    let answers = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      answers += piece;
    });
    const post = (text: string) => {
      const head = ['POST /scenarios/check HTTP/1.1', `host: ${host}`, `origin: http://${host}`, `cookie: ${cookie}`];
      const body = JSON.stringify({ text });
      socket.write([...head, `content-length: ${body.length}`, '', body].join('\r\n'));
    };
    post('x'.repeat(2_000_000));
    await expect.poll(() => answers).toContain('413 Payload Too Large');
    post('wrong');
    await expect.poll(() => answers).toContain('unknown key');
    socket.destroy();
  });
});

describe('the API of the cloud', () => {
  it('is at the same port, with the same session', async () => {
    const path = `/v2/spaces/${control.world?.api.spaceId}/devices/count`;
    expect((await ask('GET', path)).json).toEqual({ count: 3 });
  });
});

describe('a line', () => {
  it('is executed on the shells of the selected devices, with their output', async () => {
    const { values } = await ask('POST', '/run/lines', { on: 'clime', line: 'app config mode' });
    const output = (from: string) => ({ from, code: 0, lines: ['app config mode "lte"'], more: false });
    expect(values).toEqual([output('clime-0001'), output('clime-0002'), { done: 2 }]);
  });

  it('acts on a device from outside with a control command', async () => {
    const on = 'clime-0001';
    for (const line of ['.radio off', '.sensor hygrometer.temperature 31.5', '.power-cycle', '.radio on'])
      expect((await ask('POST', '/run/lines', { on, line })).values.at(-2)).toMatchObject({ from: on, code: 0 });
    expect((await ask('GET', '/run')).json.counts['console.actions']).toBeGreaterThanOrEqual(4);
  });

  it('cannot read files of the machine', async () => {
    const line = '.replay hygrometer.temperature /etc/passwd';
    const { values } = await ask('POST', '/run/lines', { on: 'clime-0001', line });
    expect(values[0].lines.join()).toContain('files can only be used');
  });

  it('is completed for the first selected device', async () => {
    expect((await ask('POST', '/run/complete', { on: 'clime', line: 'app con' })).json.words).toContain('config');
    expect((await ask('POST', '/run/complete', { on: 'clime', line: '.rad' })).json.words).toEqual(['.radio']);
  });

  it('can be composed by the page, which requests the control commands of the selected devices and their words', async () => {
    const { json } = await ask('GET', '/run/selection?on=clime');
    const words = (name: string) => json.controls.find((each: { name: string }) => each.name === name).words;
    expect([json.devices, words('.radio')]).toEqual([2, ['on', 'off']]);
    expect(words('.sensor')).toContain('hygrometer.temperature');
    expect((await ask('GET', '/run/selection?on=attic')).json.devices).toBe(0);
  });

  it('is not offered if it reads a file, which a page must not', async () => {
    const { json } = await ask('GET', '/run/selection?on=clime');
    expect(json.controls.map(({ name }: { name: string }) => name)).not.toContain('.replay');
    expect((await ask('POST', '/run/complete', { on: 'clime', line: '.re' })).json.words).toEqual([]);
  });

  it('needs a valid selector', async () => {
    const { status, json } = await ask('POST', '/run/lines', { on: 'batery<20', line: 'info show' });
    expect([status, json.message]).toEqual([400, expect.stringContaining('did you mean')]);
  });
});

describe('a fault of the network', () => {
  it('is injected for some devices, listed, and lifted', async () => {
    const { status, json } = await ask('POST', '/run/faults', { fault: 'loss: 10%', to: 'clime', for: '10m' });
    expect([status, json]).toEqual([201, { id: 'injected-1' }]);
    const faults = async () => (await ask('GET', '/run')).json.faults;
    expect((await faults())[1]).toMatchObject({ id: 'injected-1', fault: 'loss 10%', to: 'clime', state: 'active' });
    await ask('DELETE', '/run/faults/planned-1');
    const { origin } = new URL(link);
    const lifted = await fetch(`${origin}/run/faults/injected-1`, { method: 'DELETE', headers: { cookie, origin } });
    expect([lifted.status, (await faults()).length]).toEqual([204, 1]);
    expect((await faults())[0]).toMatchObject({ id: 'injected-1', state: 'over', until: expect.any(Number) });
    expect((await ask('DELETE', '/run/faults/injected-1')).status).toBe(404);
  });

  it('is rejected if the selector matches no device', async () => {
    const { status, json } = await ask('POST', '/run/faults', { fault: 'outage: both', to: 'attic' });
    expect([status, json.message]).toEqual([400, '"attic" selects no device of the run']);
  });

  it.each(['loss: 200%', 'rain: 5%', 'loss', 'loss: 5%\noutage: both'])('is rejected if it is "%s"', async (fault) => {
    expect((await ask('POST', '/run/faults', { fault })).status).toBe(400);
  });
});

describe('what a device does', () => {
  const doing = (serial: number | string) => ask('GET', `/run/devices/${serial}`);

  it('is shown with its next contacts and with the faults that affect it', async () => {
    const [clime, , push] = [...(control.world?.fleet.members() ?? [])];
    await until(async () => (await doing(clime?.serial ?? 0)).json.kind === 'asleep');
    const { json: fault } = await ask('POST', '/run/faults', { fault: 'loss: 1%', to: 'push' });
    const { json } = await doing(clime?.serial ?? 0);
    expect(json).toMatchObject({ text: 'asleep', next_poll_ms: null, next_report_ms: expect.any(Number) });
    expect(json.faults).not.toContain(fault.id);
    expect((await doing(push?.serial ?? 0)).json.faults).toContain(fault.id);
    await ask('DELETE', `/run/faults/${fault.id}`);
    expect((await doing('4294967295')).status).toBe(404);
  });
});

describe('the explanation of a downlink', () => {
  it('names an injected fault as the cause, while the downlink is still waiting', async () => {
    const { api, fleet } = control.world ?? {};
    const client = new DeviceCloudClient({ baseUrl: '', apiKey: '', spaceId: '', ...api });
    const { serial = 0, cloudId = '' } = [...(fleet?.members() ?? [])][0] ?? {};
    await until(async () => (await ask('GET', '/run/devices?on=clime-0001')).values[0][0].state === 'asleep');
    await ask('POST', '/run/pause');
    const { json: fault } = await ask('POST', '/run/faults', { fault: 'outage: both', to: 'clime' });
    const { id } = await client.sendCommands(cloudId, ['info show']);
    await client.close();
    await ask('POST', '/run/lines', { on: 'clime-0001', line: 'send' });
    await ask('POST', '/run/speed', { speed: 1200 });
    await ask('POST', '/run/step', { for: '12m' });
    await until(async () => (await ask('GET', '/run')).json.paused);
    const { json } = await ask('GET', `/run/explanations/${id}?serial=${serial}`);
    expect(json).toMatchObject({ outcome: 'pending', causes: [{ kind: 'fault', name: 'outage (clime)' }] });
    expect(json.text).toContain('The cause is the fault outage (clime).');
    expect(json.timeline).toContainEqual(expect.objectContaining({ kind: 'failure' }));
    expect((await ask('GET', `/run/explanations/other?serial=${serial}`)).status).toBe(404);
    const wanted = [id, 'other'].map((each) => ({ id: each, serial: String(serial) }));
    const { json: waits } = await ask('POST', '/run/waits', { downlinks: wanted });
    expect(waits).toEqual([
      {
        id,
        waits: json.waits.map(({ what, time }: never) => ({ what, time_ms: time })),
        ...{ now: 'outage (clime)', stages_ms: {} },
      },
    ]);
    for (const wrong of [id, { id, serial: { toString: 1, valueOf: 1 } }]) {
      const { json: refused } = await ask('POST', '/run/waits', { downlinks: [wrong] });
      expect(refused.message).toContain('objects {id, serial}');
    }
    await ask('DELETE', `/run/faults/${fault.id}`);
    await ask('POST', '/run/resume');
  });
});

describe('a fault of devices', () => {
  it('is carried out as steps, and ends when it is lifted', async () => {
    const fault = 'stuck-sensor: { hygrometer.temperature: 31.5 }';
    const { json } = await ask('POST', '/run/faults', { fault, to: 'clime' });
    const read = async () => (await ask('POST', '/run/lines', { on: 'clime-0001', line: 'hygro read' })).values;
    await expect.poll(async () => JSON.stringify(await read())).toContain('Temperature: 31.50 C');
    const steps = () => control.metrics.read('step.done');
    const before = steps();
    await ask('DELETE', `/run/faults/${json.id}`);
    await expect.poll(steps).not.toEqual(before);
    expect(JSON.stringify(await read())).not.toContain('Temperature: 31.50 C');
  });

  it('that happens once is over immediately and cannot have a duration', async () => {
    const { json } = await ask('POST', '/run/faults', { fault: 'reboot:', to: 'push' });
    const { faults } = (await ask('GET', '/run')).json;
    expect(faults.find(({ id }: { id: string }) => id === json.id)).toMatchObject({ part: 'device', state: 'over' });
    expect((await ask('POST', '/run/faults', { fault: 'reboot:', to: 'push', for: '5m' })).status).toBe(400);
  });
});

describe('a fault of the service', () => {
  it('takes the cloud down until it is lifted, and cannot be limited to devices', async () => {
    const path = `/v2/spaces/${control.world?.api.spaceId}/devices/count`;
    const { json } = await ask('POST', '/run/faults', { fault: 'service-restart:' });
    await expect.poll(async () => (await ask('GET', path)).json.code).toBe('down');
    await ask('DELETE', `/run/faults/${json.id}`);
    await expect.poll(async () => (await ask('GET', path)).status).toBe(200);
    expect((await ask('POST', '/run/faults', { fault: 'service-down:', to: 'push' })).status).toBe(400);
  });

  it('that affects its store does not prevent the control of the run', async () => {
    const { json } = await ask('POST', '/run/faults', { fault: 'store-unavailable:' });
    expect((await ask('GET', '/run')).status).toBe(200);
    const { origin } = new URL(link);
    const lifted = await fetch(`${origin}/run/faults/${json.id}`, { method: 'DELETE', headers: { cookie, origin } });
    expect(lifted.status).toBe(204);
  });

  it('does not affect the pages of the console', async () => {
    const { json } = await ask('POST', '/run/faults', { fault: 'service-down:' });
    const { origin } = new URL(link);
    const page = await fetch(origin);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<html')]);
    await ask('DELETE', `/run/faults/${json.id}`);
  });

  it('is among the kinds of faults that the page offers', async () => {
    const { values } = await ask('GET', '/run/faults');
    expect(values[0].map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['no-signal', 'service-down']),
    );
  });
});

describe('scenarios of the page', () => {
  const state = async () => (await ask('GET', '/scenarios/run')).json;

  it('can be checked, completed and read only in a session of the run', async () => {
    expect((await ask('GET', '/scenarios', undefined, {})).status).toBe(401);
    expect((await ask('POST', '/scenarios/check', { text: 'x' }, {})).status).toBe(401);
    expect((await ask('GET', '/scenarios')).json).toEqual(WORDS);
    expect((await ask('GET', '/scenarios/example?name=demo')).json).toEqual({ text: 'name: demo' });
    expect((await ask('GET', '/scenarios/example?name=../../etc/passwd')).status).toBe(404);
    expect((await ask('POST', '/scenarios/check', { text: 'wrong' })).json.problems).toHaveLength(1);
  });

  it('run one at a time, with progress and a verdict', async () => {
    expect(await state()).toEqual({ state: 'none' });
    const { status, json } = await ask('POST', '/scenarios/run', { text: 'x' });
    expect([status, json]).toEqual([201, expect.objectContaining({ state: 'running', name: 'small', seed: 7 })]);
    tools.child.progress('half of it');
    expect(await state()).toMatchObject({ state: 'running', progress: 'half of it' });
    expect((await ask('POST', '/scenarios/run', { text: 'x' })).status).toBe(409);
    expect((await ask('GET', '/scenarios/report')).status).toBe(404);
    tools.child.end({ verdict: VERDICT, report: () => '<!doctype html>"the report"' });
    expect(await state()).toMatchObject({ state: 'ended', verdict: VERDICT });
    const report = await fetch(`${new URL(link).origin}/scenarios/report`, { headers: { cookie } });
    expect(await report.text()).toBe('<!doctype html>"the report"');
    // The page of a foreign scenario gets no access to the session.
    expect(report.headers.get('content-security-policy')).toBe('sandbox allow-scripts');
    expect(report.headers.get('content-type')).toContain('text/html');
    await ask('POST', '/scenarios/run', { text: 'x', seed: 9 });
    tools.child.end('the fleet is too large');
    expect(await state()).toMatchObject({ state: 'failed', seed: 9, message: 'the fleet is too large' });
  });

  it('are stopped on request, and not started if they are invalid', async () => {
    await ask('POST', '/scenarios/run', { text: 'x' });
    const stopped = await ask('DELETE', '/scenarios/run');
    expect([stopped.status, tools.child.isStopped, (await state()).state]).toEqual([204, true, 'stopped']);
    expect((await ask('DELETE', '/scenarios/run')).status).toBe(404);
    const wrong = await ask('POST', '/scenarios/run', { text: 'wrong' });
    expect([wrong.status, wrong.json.message]).toEqual([400, 'line 3: unknown key']);
    expect((await ask('POST', '/scenarios/run', { text: 'x', seed: -1 })).status).toBe(400);
  });
});

describe('the time of a run', () => {
  it('stands still while the run is paused, and advances in steps', async () => {
    const before = (await ask('POST', '/run/pause')).json;
    expect(before.paused).toBe(true);
    expect((await ask('GET', '/run')).json.now_ms).toBe(before.now_ms);
    const after = (await ask('POST', '/run/step')).json;
    expect([after.paused, after.now_ms >= before.now_ms]).toEqual([true, true]);
    await ask('POST', '/run/step', { for: '6s' });
    await until(async () => (await ask('GET', '/run')).json.paused);
    const { now_ms } = (await ask('GET', '/run')).json;
    expect(now_ms - after.now_ms).toBeGreaterThanOrEqual(6000);
    expect((await ask('POST', '/run/resume')).json.paused).toBe(false);
  });

  it('continues after a step whose duration is invalid', async () => {
    expect((await ask('POST', '/run/step', { for: 'soon' })).status).toBe(400);
    expect((await ask('GET', '/run')).json.paused).toBe(false);
  });

  it.each([
    ['pause', 'resume'],
    ['resume', 'resume'],
  ])('is not stopped by the end of an earlier step after %s and %s', async (...requests) => {
    const { now_ms: began } = (await ask('POST', '/run/step', { for: '30s' })).json;
    for (const request of requests) await ask('POST', `/run/${request}`);
    await until(async () => (await ask('GET', '/run')).json.now_ms > began + 40_000);
    expect((await ask('GET', '/run')).json.paused).toBe(false);
  });

  it('passes at the speed that the page sets, within limits', async () => {
    expect((await ask('POST', '/run/speed', { speed: 30 })).json.speed).toBe(30);
    for (const speed of [0, -1, 'fast', 1e9]) expect((await ask('POST', '/run/speed', { speed })).status).toBe(400);
  });
});

// This test is the last one, because it ends the run.
describe('the end of a run', () => {
  it('is the last part of the stream of states, with its reason and the verdict', async () => {
    const { origin } = new URL(link);
    const states = await fetch(`${origin}/run/states`, { headers: { cookie, origin } });
    await server.close({ ended: 'The run has ended.', verdict: VERDICT });
    const parts = (await states.text()).trimEnd().split('\n');
    expect(parts.map((part) => JSON.parse(part)).at(-1)).toEqual({ ended: 'The run has ended.', verdict: VERDICT });
    expect(parts.length).toBeGreaterThan(1);
  });
});
