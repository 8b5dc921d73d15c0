/** The parts of a history that a recording keeps, and those that it must not contain. */
import { describe, expect, it } from 'vitest';
import type { Message, MessageQuery } from '../../src/client/client.js';
import { collect } from '../../src/record/collect.js';
import { scrub } from '../../src/record/scrub.js';
import { writeRecording } from '../../src/record/write.js';
import { FROM, message } from './fixtures.js';

const scrubbed = (messages: readonly Message[], bodies = false) =>
  scrub(messages, {
    ...{ from: FROM, until: FROM + 60_000, cut: null, speed: 1, bodies },
    typeOf: (bundle) =>
      bundle === 'com.hardwario.chester.app.clime' ? { name: 'clime', versions: ['3.5.5', '4.0.0'] } : undefined,
  });

const SECRETS = ['mrs-novak', '2159017985', '0000000000', 'cb411dec', 'hunter2', '351358811', 'prague', '28ff64'];

const TELLING_BODY = {
  thermometer: { temperature: 21.5 },
  serial_number: 77_777,
  password: 'hunter2',
  imei: 351_358_811_124_772,
  gnss: { latitude: 50.0875, longitude: 14.4213 },
  probes: { '28ff641e8216': { temperature: 3.25 }, a4c138f00d: 9 },
  place: 'prague',
  phone_home: 123,
  big: 420_777_123_456,
};

describe('a scrubbed history', () => {
  it('contains no name, id, serial number, hash or body, with or without ranges', () => {
    const messages = [
      message(0, {
        type: 'session',
        body: { fw_bundle: 'com.prague.secret', imei: '351358811', serial_number: 2159017985 },
      }),
      message(1000, { body: TELLING_BODY }),
      message(2000, { direction: 'down', type: 'shell', body: ['login hunter2'], down_state: 'sent' }),
      message(3000, { type: 'hunter2', body: null, raw: '28ff64' }),
    ];
    for (const bodies of [false, true]) {
      const file = writeRecording(scrubbed(messages, bodies));
      for (const { id } of messages) expect(file).not.toContain(id);
      for (const secret of SECRETS) expect(file).not.toContain(secret);
    }
  });

  it('contains no value that can identify a person or a place, even as a range', () => {
    expect(scrubbed([message(0, { body: TELLING_BODY })], true).values.map(({ key }) => key)).toEqual([
      'thermometer.temperature',
    ]);
  });

  it('contains ranges of values only on request', () => {
    const messages = [21.5, -3, 4].map((temperature, i) => message(i, { body: { thermometer: { temperature } } }));
    expect(scrubbed(messages).values).toEqual([]);
    expect(scrubbed(messages, true).values).toEqual([
      { device: 'd1', key: 'thermometer.temperature', min: -3, max: 21.5, count: 3 },
    ]);
  });

  it('names known device types only', () => {
    const [known, unknown] = ['com.hardwario.chester.app.clime', 'com.example.secret'].map((fw_bundle) =>
      scrubbed([message(0, { type: 'session', body: { fw_bundle } })]),
    );
    expect(known?.devices).toEqual([{ device: 'd1', type: 'clime', firmware: null }]);
    expect(unknown?.devices).toEqual([{ device: 'd1', type: null, firmware: null }]);
  });

  it('names the firmware version of each session and of the last one, and known versions only', () => {
    const session = (at: number, fw_version: string) =>
      message(at, { type: 'session', body: { fw_bundle: 'com.hardwario.chester.app.clime', fw_version } });
    const firmwareAfter = (...versions: readonly string[]) =>
      scrubbed(versions.map((version, i) => session(i * 1000, version))).devices[0]?.firmware;
    expect(firmwareAfter('v3.5.5')).toBe('3.5.5');
    expect(firmwareAfter('v3.5.5', '4.0.0')).toBe('4.0.0');
    expect(firmwareAfter('v3.5.5-mrs-novak')).toBeNull();
    const both = scrubbed([session(0, '3.5.5'), session(1000, 'v4.0.0'), session(2000, '9'), message(3000)]);
    expect(both.uplinks.map(({ firmware }) => firmware)).toEqual(['3.5.5', '4.0.0', null, null]);
  });

  it('is in chronological order', () => {
    const { uplinks } = scrubbed([message(10, { type: 'stats' }), message(5)]);
    expect(uplinks.map(({ n, at, type }) => [n, at, type])).toEqual([
      [1, 5, 'data'],
      [2, 10, 'stats'],
    ]);
  });

  it('contains the intervals of configurations', () => {
    const lines = ['app config interval-report 900', 'app config interval-poll 0', 'lte config apn "secret"'];
    expect(scrubbed([message(0, { type: 'config', body: lines })]).uplinks[0]).toMatchObject({
      reportEvery: 900,
      pollEvery: 0,
    });
  });

  it('has as the answer to a command the uplink with its message id, or else the next uplink of the same type', () => {
    const first = sent(0, 500, 'shell', ['a']);
    const second = sent(10, 600, 'shell', ['b']);
    const { downlinks } = scrubbed([
      ...[first, second],
      message(700, { type: 'shell', body: { message_id: second.id, responses: [] } }),
      message(800, { type: 'shell', body: { responses: [] } }),
    ]);
    expect(downlinks.map(({ answer }) => answer)).toEqual([2, 1]);
  });

  const POLL = 'app config interval-poll 300';
  const SAMPLE = 'app config interval-sample 60';

  it.each([
    { what: 'all its lines', later: [message(900, { type: 'config', body: [SAMPLE, POLL] })], answer: 1 },
    { what: 'only some of its lines', later: [message(900, { type: 'config', body: [POLL] })], answer: null },
    { what: 'its lines after another one', later: [['x'], [POLL, SAMPLE]].map(config), answer: 2 },
    { what: 'a form of its own', later: [message(900, { type: 'config', body: { poll: 300 } })], answer: 1 },
  ])('has as the answer to a configuration the next one with all its lines: $what', ({ later, answer }) => {
    const { downlinks } = scrubbed([sent(0, 800, 'config', [POLL, SAMPLE]), ...later]);
    expect(downlinks[0]?.answer).toBe(answer);
  });

  it.each([
    { what: 'contains its lines', reported: [POLL], answer: 3 },
    { what: 'lacks a line', reported: [SAMPLE], answer: null },
  ])('has the first report after the start as the answer if the last configuration $what', ({ reported, answer }) => {
    const { downlinks } = scrubbed([
      message(0, { type: 'config', body: reported }),
      sent(10, 20, 'config', [POLL]),
      message(900, { type: 'session' }),
      message(950),
      message(960),
    ]);
    expect(downlinks[0]?.answer).toBe(answer);
  });
});

/** A delivered downlink. */
function sent(at: number, ended: number, type: string, body: readonly string[]): Message {
  const down_state_at = new Date(FROM + ended).toISOString();
  return message(at, { direction: 'down', down_state: 'sent', down_state_at, type, body });
}

function config(body: readonly string[], i: number): Message {
  return message(900 + i, { type: 'config', body });
}

describe('reading a history', () => {
  /** A client of a service that returns two messages on each page. */
  const pages = (messages: readonly Message[], asked: (page: number) => void = () => {}) => {
    const newestFirst = [...messages].reverse();
    let page = 0;
    return {
      messages: async ({ offset }: MessageQuery = {}) => {
        asked(++page);
        const start = newestFirst.findIndex(({ id }) => id === offset) + 1;
        return newestFirst.slice(start, start + 2);
      },
    };
  };

  const options = (signal = new AbortController().signal) => ({
    ...{ after: FROM, before: FROM + 60_000, speed: 1, bodies: false, typeOf: () => undefined, signal },
  });

  it('sorts messages oldest first', async () => {
    const { uplinks, cut } = await collect(pages([message(1000), message(2000), message(3000)]), options());
    expect(uplinks.map(({ at }) => at)).toEqual([1000, 2000, 3000]);
    expect(cut).toBeNull();
  });

  it('that is interrupted keeps the messages read so far, and the reason', async () => {
    const abort = new AbortController();
    const all = pages([message(1000), message(2000), message(3000)], (page) => {
      if (page === 2) abort.abort(new Error('interrupted by SIGINT'));
    });
    const recording = await collect(all, options(abort.signal));
    expect(recording).toMatchObject({ from: FROM + 2000, until: FROM + 60_000, cut: 'interrupted by SIGINT' });
    expect(recording.uplinks.map(({ at }) => at)).toEqual([0, 1000]);
  });
});
