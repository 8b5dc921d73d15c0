/** `ghostfleet device` at a terminal, and `ghostfleet console` attached to a run. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet, type HostOptions, type Outcome } from '../support/host.js';
import { until } from '../support/until.js';

const TOKEN = '00112233445566778899aabbccddeeff';
/** No gateway listens at this port; the shell works without one. */
const DEVICE = ['device', 'clime', '--serial', '2159017985', '--token', TOKEN, '--udp', '127.0.0.1:9'];

const FLEET = [
  'name: live',
  'duration: 24h',
  'fleet:',
  '  - { name: cellar, profile: clime, count: 12, tags: [cold] }',
  '  - { name: gate, profile: control, count: 2 }',
].join('\n');

/** Starts runs that others find in the folder; `stop` ends all of them. */
function runs(folder: string) {
  const env = { XDG_RUNTIME_DIR: folder };
  const file = join(folder, 'live.yaml');
  writeFileSync(file, FLEET);
  let stop = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return {
    env,
    stop,
    begin: (...flags: readonly string[]) =>
      ghostfleet(['run', file, '--clock', 'real', '--speed', '20', ...flags], { env, interruptWhen }),
    at: (...words: readonly string[]) => ghostfleet(['console', ...words], { env }),
  };
}

/** Time limit for tests that start several programs at once, possibly on a busy machine. */
const LONG = 120_000;

/** Pause between two checks whether a run has reached the state that a test needs. Each check starts the console. */
const LOOK_MS = 100;

function device(flags: readonly string[], options: HostOptions = {}) {
  return ghostfleet([...DEVICE, ...flags], { terminal: {}, ...options, env: { XDG_RUNTIME_DIR: folderOfTest() } });
}

describe('ghostfleet device at a terminal', () => {
  it('executes typed lines, and ends with the input', async () => {
    const { exit, out, err } = await device([], { typed: ['info fw-name', '.radio off', '.nonsense'] });
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('clime> ');
    expect(out).toContain('firmware name: CHESTER Clime\n');
    expect(out).toContain('radio: off\n');
    expect(out).toContain('".nonsense" is not a control command; see .help\n');
  });

  it('ends with .quit, without reading further lines', async () => {
    const { exit, out } = await device([], { typed: ['.help', '.quit', 'info fw-name'] });
    expect(exit).toBe(0);
    expect(out).toContain('.line-power on | off');
    expect(out).not.toContain('CHESTER Clime');
  });

  it('ends cleanly with Ctrl-C', async () => {
    const { exit } = await device([], { typed: [/never to be seen/], interruptOn: /clime> $/ });
    expect(exit).toBe(0);
  });

  it('completes commands, values of parameters, and arguments of control commands', async () => {
    const completing = ['inf', 'app config mode ', '.sensor hygrometer.h'];
    const { out } = await device([], { terminal: { completing } });
    expect(out).toContain('inf[TAB] info\n');
    expect(out).toContain('app config mode [TAB] lrw lte none\n');
    expect(out).toContain('.sensor hygrometer.h[TAB] hygrometer.humidity\n');
  });

  it('logs its boot, unless --log names only other events or --quiet is given, and rejects an invalid --log', async () => {
    expect((await device([])).out).toContain('device.boot');
    expect((await device(['--log', 'uplink,poll'])).out).not.toContain('device.boot');
    expect((await device(['--quiet'])).out).not.toContain('device.boot');
    expect((await device(['--log', 'uplinks'])).err).toContain(
      '--log "uplinks" is not a comma-separated list of device, uplink',
    );
    expect((await device(['--log', 'uplink', '--quiet'])).err).toContain('--quiet and --log exclude each other');
  });

  it('shows the claim token only with --show-secrets', async () => {
    const typed = ['info claim-token'];
    expect((await device([], { typed })).out).toContain('claim token: ********\n');
    expect((await device(['--show-secrets'], { typed })).out).toContain(`claim token: ${TOKEN}\n`);
  });

  it('prints the late lines of a slow command after the output of the next command', async () => {
    const { out } = await device(['--speed', '100'], { typed: ['batt measure', 'info fw-name', /load voltage/] });
    expect(out).toMatch(/CHESTER Clime[\s\S]*load voltage/);
  });
});

describe('ghostfleet console', () => {
  it('reports that there are no runs to attach to', async () => {
    const { exit, err } = await ghostfleet(['console'], { env: { XDG_RUNTIME_DIR: folderOfTest() } });
    expect(exit).toBe(2);
    expect(err).toContain('no run to attach to');
    expect(err).toContain('"--clock real" or "--pace 60"');
  });

  it('attaches to a device that runs in another terminal', { timeout: LONG }, async () => {
    const env = { XDG_RUNTIME_DIR: folderOfTest() };
    let leave = () => {};
    const interruptWhen = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const running = ghostfleet(DEVICE, { env, interruptWhen });
    await until(async () => (await ghostfleet(['console', '*', ':', 'info fw-name'], { env })).exit === 0, LOOK_MS);
    const { out } = await ghostfleet(['console', ':', '.list'], { env });
    expect(out).toMatch(/clime-2159017985 +2159017985 +clime +v4\.0\.0 +[\d.]+% +starting/);
    leave();
    expect((await running).exit).toBe(0);
  });

  it('reports an invalid selector of the run before it reads lines', { timeout: LONG }, async () => {
    const env = { XDG_RUNTIME_DIR: folderOfTest() };
    let leave = () => {};
    const interruptWhen = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const running = ghostfleet(DEVICE, { env, interruptWhen });
    await until(async () => (await ghostfleet(['console', ':', '.list'], { env })).exit === 0, LOOK_MS);
    const { exit, out, err } = await ghostfleet(['console', 'fw<3.1 & battery<x'], { env, typed: ['info show'] });
    expect([exit, out]).toEqual([2, '']);
    expect(err).toContain('column 18 of the selector');
    leave();
    expect((await running).exit).toBe(0);
  });

  describe('attached to a run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gf-attached-'));
    afterAll(() => rmSync(folder, { recursive: true }));
    const { env, stop, begin, at } = runs(folder);
    const out = join(folder, 'run');
    let running: Promise<Outcome>;
    beforeAll(async () => {
      running = begin('--out', out);
      await until(async () => (await at(':', '.list')).out.match(/ asleep/g)?.length === 14, LOOK_MS);
    });

    it('sends a line to the selected devices of a run', async () => {
      const grouped = await at('tag=cold : info fw-name');
      expect([grouped.exit, grouped.out, grouped.err]).toEqual([
        0,
        '12 × cellar-0001…0012\n  firmware name: CHESTER Clime\n',
        '',
      ]);
      expect((await at('cellar-0003 : .battery 5%')).out).toMatch(/^battery: 5% left\n/);
      for (const on of ['battery<6', 'battery<=5', 'battery=5']) {
        expect((await at(`${on} : info serial-number`)).out).toBe('serial number: 2159017987\n');
      }
      expect((await at('cellar-0003 : .list')).out).toContain(' 5% ');
      expect(await at('attic : info show')).toMatchObject({ exit: 2, out: '' });
      expect((await at('* :')).err).toContain('the line after the colon is empty');
      expect((await at('cellar : batt measure')).out).toContain('load voltage');
    });

    it('executes several lines on the devices of a run', async () => {
      const talk = await ghostfleet(['console', '--log', 'cellar'], {
        env,
        terminal: { completing: ['gate : inf', 'app config mode l', '.li'] },
        typed: [
          'info claim-token',
          '.on gate',
          'info fw-name',
          'batery<3 : info show',
          'attic : info show',
          '.on cellar-0001',
          'send',
          /cellar-0001 uplink\.acked/,
          '.log off',
        ],
      });
      expect(talk.exit).toBe(0);
      expect(talk.out).toContain('14 devices; type .help for help');
      expect(talk.out).toContain('live cellar> ');
      expect(talk.out).toContain('gate : inf[TAB] info\n');
      expect(talk.out).toContain('app config mode l[TAB] lrw lte\n');
      expect(talk.out).toContain('.li[TAB] .list');
      expect(talk.out).toContain('12 × cellar-0001…0012\n  claim token: ********\n');
      expect(talk.out).toContain('2 devices selected\n');
      expect(talk.out).toContain('live gate> ');
      expect(talk.out).toContain('2 × gate-0001…0002\n  firmware name: CHESTER Control\n');
      expect(talk.out).toContain('column 1 of the selector: "batery" is not a field');
      expect(talk.out).toContain('no device matches "attic"');
    });

    it('records its actions in the trace of the run', async () => {
      expect((await at('gate : .radio off')).out).toMatch(/^2 ×/);
      stop();
      const run = await running;
      expect(run.exit).toBe(130);
      const events = readFileSync(join(out, 'events.jsonl'), 'utf8').split('\n');
      const actions = events.filter((line) => line.includes('"console.action"'));
      expect(actions.slice(-2)).toEqual([
        expect.stringContaining('"serial":2159017997,"action":"radio: off"}'),
        expect.stringContaining('"serial":2159017998,"action":"radio: off"}'),
      ]);
      const count = actions.length;
      expect(run.out).toContain(`${count} × action from a console: the seed alone does not reproduce this run`);
      expect(run.out).toContain(` --speed 20 # not the same run: without ${count} actions from a console\n`);
      expect(JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'))).toMatchObject({
        console: { actions: count },
      });
    });
  });

  it('stays attached until the run ends, and requires --run if there are several runs', { timeout: LONG }, async () => {
    const { env, stop, begin, at } = runs(folderOfTest());
    const first = begin();
    await until(async () => (await at('* : .list')).exit === 0, LOOK_MS);
    const staying = ghostfleet(['console'], { env, terminal: {}, typed: [/never to be seen/] });
    const second = begin();
    await until(
      async () => (await at('* : .list')).err.includes('there are several runs; choose one with --run'),
      LOOK_MS,
    );
    expect((await at('--run', 'elsewhere')).err).toContain('unknown run "elsewhere"');
    stop();
    expect([(await first).exit, (await second).exit]).toEqual([130, 130]);
    expect(await staying).toMatchObject({ exit: 0, out: expect.stringContaining('the run has ended') });
  });
});
