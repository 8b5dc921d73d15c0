/** A run and its consoles over a real socket: requests are answered, and a console cannot harm the run. */
import { mkdirSync, readdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Connection, findRuns } from '../../src/console/client.js';
import type { Answer, Candidate, Fleet, Member } from '../../src/console/member.js';
import { knownPlaces, newPlace } from '../../src/console/places.js';
import type { News, Request } from '../../src/console/protocol.js';
import { ConsoleServer } from '../../src/console/server.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { makeSamplingRandom } from '../../src/scenario/selector/match.js';
import { TOKEN } from '../support/cloud.js';
import { memberNamed, testFleet } from '../support/fleet.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { until } from '../support/until.js';

const clock = new RealClock();
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

function folder() {
  return { XDG_RUNTIME_DIR: folderOfTest() };
}

async function running(fleet: Fleet = testFleet(), env = folder(), random = '0001', readText = (_: string) => '') {
  const place = newPlace(fleet.name, random, env);
  const server = await ConsoleServer.open({ place, fleet, readText });
  closing.push(() => server.close('the test is over'));
  return { env, place, server };
}

async function attached(fleet?: Fleet, readText?: (path: string) => string) {
  const run = await running(fleet, folder(), '0001', readText);
  const [console] = await findRuns(run.env, clock);
  if (console === undefined) throw new Error('nothing found');
  closing.push(() => console.close());
  return { ...run, console };
}

type LineRequest = Extract<Request, { do: 'line' }>;
const LINE = { do: 'line', on: '*', secrets: true, folder: '/', inside: false } as const;

async function ask(console: Connection, on: string, line: string, changed: Partial<LineRequest> = {}) {
  const answers: ({ from: string } & Answer)[] = [];
  const question = { ...LINE, on, line, secrets: false, ...changed };
  const { done, finished } = console.ask(question, (reply) => {
    if ('from' in reply) answers.push(reply);
  });
  const count = await done;
  await finished;
  return { count, answers };
}

/** A client that sends arbitrary text to the socket of a run, and collects the answers. */
async function raw(path: string): Promise<{ socket: Socket; heard: () => string }> {
  let text = '';
  const socket = createConnection(path);
  closing.push(() => socket.destroy());
  socket.setEncoding('utf8');
  socket.on('data', (part) => {
    text += part;
  });
  socket.on('error', () => {});
  await until(() => text.includes('\n'));
  return { socket, heard: () => text };
}

describe('a console', () => {
  it('counts the devices that a selector leaves out because their firmware cannot be compared', async () => {
    const fleet = testFleet();
    vi.spyOn(memberNamed(fleet, 'clime-0001'), 'fw', 'get').mockReturnValue('nightly');
    const { console } = await attached(fleet);
    const replies: unknown[] = [];
    await console.ask({ do: 'list', on: 'fw<3.10 & clime' }, (reply) => replies.push(reply)).done;
    expect(replies).toEqual([{ id: 1, done: 0, uncompared: 1 }]);
  });

  it('runs a line on the selected devices only', async () => {
    const { console } = await attached();
    const { count, answers } = await ask(console, 'profile=clime & !clime-0002', 'info fw-name');
    expect(count).toBe(2);
    expect(answers.map(({ from, lines }) => [from, ...lines])).toEqual([
      ['clime-0001', 'firmware name: CHESTER Clime'],
      ['clime-0003', 'firmware name: CHESTER Clime'],
    ]);
  });

  it('records an action for each device that it changes, and none for lists and completions', async () => {
    const fleet = testFleet();
    const { console } = await attached(fleet);
    await console.ask({ do: 'list', on: '*' }, () => {}).done;
    await console.ask({ do: 'complete', on: '*', line: 'inf' }, () => {}).done;
    await ask(console, 'clime-0002 | control', '.radio off');
    expect(fleet.notes).toEqual([
      [2_159_017_986, 'radio: off'],
      [2_159_017_988, 'radio: off'],
    ]);
  });

  it('receives claim tokens only on request', async () => {
    const { console } = await attached();
    expect(JSON.stringify(await ask(console, '*', 'info show'))).not.toContain(TOKEN);
    expect(JSON.stringify(await ask(console, '*', 'info show', { secrets: true }))).toContain(TOKEN);
  });

  it('that must stay in a folder reads no file elsewhere, also not through a link', async () => {
    const elsewhere = folderOfTest();
    const inside = folderOfTest();
    symlinkSync(elsewhere, join(inside, 'link'));
    writeFileSync(join(elsewhere, 'day.csv'), '');
    writeFileSync(join(inside, 'day.csv'), '');
    const read: string[] = [];
    const { console } = await attached(testFleet(), (path) => {
      read.push(path);
      return 'time [s],temperature [°C]\n0,20\n60,21\n';
    });
    const replay = async (file: string) => {
      const line = `.replay hygrometer.temperature ${file}`;
      const { answers } = await ask(console, 'clime-0001', line, { folder: inside, inside: true });
      return answers.flatMap(({ lines }) => lines).join();
    };
    for (const file of [
      '/etc/passwd',
      '/nonexistent',
      '../day.csv',
      'link/day.csv',
      join(elsewhere, 'day.csv'),
      '~/x',
    ]) {
      expect(await replay(file)).toMatch(/is not in the folder|"~"/);
    }
    expect(read).toEqual([]);
    expect(await replay('day.csv')).toContain('from day.csv, 2 rows');
    expect(read).toEqual([join(inside, 'day.csv')]);
  });

  it('lists the selected devices', async () => {
    const { console } = await attached();
    const devices: Candidate[] = [];
    const { done } = console.ask({ do: 'list', on: 'control' }, (reply) => {
      if ('device' in reply) devices.push(reply.device);
    });
    expect(await done).toBe(1);
    expect(devices).toEqual([
      expect.objectContaining({ name: 'control-0001', profile: 'control', fw: 'v4.0.0', state: 'starting' }),
    ]);
    expect(JSON.stringify(devices)).not.toContain(TOKEN);
  });

  it('selects by a tag of the fleet whose name begins with the name of another tag', async () => {
    const { console } = await attached({ ...testFleet(), tags: ['has-clime', 'has-clime | control'] });
    expect((await ask(console, '"tag/has-clime" | control', 'info fw-name')).count).toBe(4);
    expect((await ask(console, 'tag/has-clime | control', 'info fw-name')).count).toBe(0);
  });

  it('gets a message for a wrong selector, and stays connected', async () => {
    const { console } = await attached();
    await expect(ask(console, 'battery<x', 'info show')).rejects.toThrow('column 9 of the selector');
    expect((await ask(console, 'attic', 'info show')).count).toBe(0);
    expect((await ask(console, '*', 'info fw-name')).count).toBe(4);
  });

  it('completes words for the first selected device', async () => {
    const { console } = await attached();
    const words: string[] = [];
    const { done } = console.ask({ do: 'complete', on: '*', line: 'app config mode l' }, (reply) => {
      if ('words' in reply) words.push(...reply.words);
    });
    await done;
    expect(words).toEqual(['lrw', 'lte']);
  });

  it('follows the events of the selected devices', async () => {
    const { console, server } = await attached();
    const news: News[] = [];
    console.onNews((item) => news.push(item));
    await console.ask({ do: 'follow', on: 'clime-0002' }, () => {}).done;
    for (const serial of [2_159_017_985, 2_159_017_986]) server.take({ kind: 'device.ready', at: 5, serial });
    await until(() => news.length > 0);
    await console.ask({ do: 'follow', on: null }, () => {}).done;
    server.take({ kind: 'device.ready', at: 6, serial: 2_159_017_986 });
    await console.ask({ do: 'list', on: '*' }, () => {}).done;
    expect(news).toEqual([{ from: 'clime-0002', event: { kind: 'device.ready', at: 5, serial: 2_159_017_986 } }]);
  });

  it('receives a last message when the run ends', async () => {
    const { console, server } = await attached();
    server.close('the run is over');
    expect(await console.ended).toBe('the run is over');
    await expect(ask(console, '*', 'info show')).rejects.toThrow('the run is over');
  });
});

describe('a run', () => {
  it('is found among other runs, and sockets of killed runs are deleted', async () => {
    const env = folder();
    await running(testFleet(), env, '0001');
    await running(testFleet({ clime: 1 }), env, '0002');
    const dead = join(env.XDG_RUNTIME_DIR, 'ghostfleet', 'dead-0003.sock');
    // The socket of a killed server. It is renamed, so that the end of the server below does not delete it.
    const killed = createServer();
    await new Promise<void>((resolve) => killed.listen(`${dead}.tmp`, resolve));
    renameSync(`${dead}.tmp`, dead);
    await new Promise((resolve) => killed.close(resolve));
    expect(knownPlaces(env).map(({ run }) => run)).toEqual(['dead-0003', 'test-0001', 'test-0002']);
    const runs = await findRuns(env, clock);
    for (const run of runs) run.close();
    expect(runs.map(({ greeting }) => [greeting.run, greeting.devices])).toEqual([
      ['test-0001', 4],
      ['test-0002', 1],
    ]);
    expect(knownPlaces(env).map(({ run }) => run)).toEqual(['test-0001', 'test-0002']);
  });

  it('deletes its socket when it ends', async () => {
    const { env, server } = await running();
    server.close('over');
    await until(() => readdirSync(join(env.XDG_RUNTIME_DIR, 'ghostfleet')).length === 0);
  });

  it('has a folder and a socket that only their owner can access', async () => {
    const { env, place } = await running();
    expect(statSync(join(env.XDG_RUNTIME_DIR, 'ghostfleet')).mode & 0o777).toBe(0o700);
    expect(statSync(place.path).mode & 0o777).toBe(0o600);
  });

  it('does not use a folder that other users can access, or that is a link', () => {
    const open = folder();
    mkdirSync(join(open.XDG_RUNTIME_DIR, 'ghostfleet'), { mode: 0o755 });
    expect(() => newPlace('test', '0001', open)).toThrow('must belong to you, without access for other users');
    expect(() => knownPlaces(open)).toThrow('must belong to you, without access for other users');
    const linked = folder();
    symlinkSync(folder().XDG_RUNTIME_DIR, join(linked.XDG_RUNTIME_DIR, 'ghostfleet'));
    expect(() => newPlace('test', '0001', linked)).toThrow('must belong to you');
  });

  it('is not found in a plain file that has the name of a socket', async () => {
    const { env } = await running();
    writeFileSync(join(env.XDG_RUNTIME_DIR, 'ghostfleet', 'file-0009.sock'), '');
    const runs = await findRuns(env, clock);
    for (const run of runs) run.close();
    expect(runs).toHaveLength(1);
  });

  it('disconnects a client that does not follow the protocol', async () => {
    const { place } = await running();
    const { socket, heard } = await raw(place.path);
    socket.write('GET / HTTP/1.1\r\n');
    await until(() => socket.destroyed);
    expect(heard()).toContain('"bye"');
    const { socket: flood, heard: answered } = await raw(place.path);
    flood.write('x'.repeat(100_000));
    await until(() => flood.destroyed);
    expect(answered()).toContain('a line has more than 65536 characters');
  });

  it('asks no further devices for a console that does not read, and serves another console meanwhile', async () => {
    const long = 'x'.repeat(10_000);
    const [member] = testFleet({ clime: 1 }).all;
    if (member === undefined) throw new Error('no device');
    let asked = 0;
    const talkative: Member = {
      ...{
        name: 'a',
        serial: member.serial,
        group: 'a',
        number: 1,
        region: null,
        profile: 'clime',
        tags: [],
        fw: 'v4.0.0',
      },
      ...{
        battery: 50,
        state: 'asleep',
        doing: member.doing,
        due: member.due,
        type: member.type,
        claimToken: member.claimToken,
        cloudId: undefined,
        controls: member.controls,
      },
      complete: (line) => member.complete(line),
      shell: () => {
        asked++;
        return { code: 0, rejected: false, lines: [long], more: false };
      },
    };
    const members = () => Array.from({ length: 5000 }, () => talkative);
    const fleet: Fleet = {
      name: 'test',
      size: 5000,
      tags: [],
      members,
      noted: () => {},
      random: makeSamplingRandom(1),
    };
    const { server, place } = await running(fleet);
    const { socket } = await raw(place.path);
    socket.pause();
    socket.write(`${JSON.stringify({ id: 1, do: 'follow', on: '*' })}\n`);
    socket.write(`${JSON.stringify({ ...LINE, id: 2, line: 'x' })}\n`);
    await until(() => asked > 50);
    // The server stops asking devices long before it has asked all of them. From then on it only pauses.
    const askedAtPauses: number[] = [];
    const after = RealClock.prototype.after;
    vi.spyOn(RealClock.prototype, 'after').mockImplementation(function (this: RealClock, delay, what, action) {
      if (what === 'a pause of a console') askedAtPauses.push(asked);
      return after.call(this, delay, what, action);
    });
    await until(() => askedAtPauses.length > 5 && new Set(askedAtPauses.slice(-5)).size === 1);
    expect(asked).toBeLessThan(2000);
    for (let i = 0; i < 10_000; i++) server.take({ kind: 'device.ready', at: i, serial: member.serial });
    // Another console is served meanwhile.
    const { heard, socket: other } = await raw(place.path);
    other.write(`${JSON.stringify({ id: 1, do: 'complete', on: '*', line: 'inf' })}\n`);
    await until(() => heard().includes('"words":["info"]'));
    socket.resume();
    await until(() => asked === 5000);
  });
});
