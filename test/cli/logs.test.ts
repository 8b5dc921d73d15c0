import { describe, expect, it } from 'vitest';
import { createLog, createNotes, LOG_LEVELS } from '../../src/cli/logs.js';

const TOKEN = '00112233445566778899AABBCCDDEEFF';
const KEY = '3f1c2a44-9d61-4b70-8a5e-0123456789ab';
const CHOSEN = 'my "own" key';
const SECRETS = [TOKEN, KEY, CHOSEN, JSON.stringify(CHOSEN).slice(1, -1), 'hunter2', 'open-sesame', '424242'];

/** The lines that a log of this level writes while `say` runs. */
function linesOf(level: (typeof LOG_LEVELS)[number], say: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  const output = { write: (text: string) => void lines.push(text), isTerminal: false, columns: 80 };
  say(createLog(output, level, [CHOSEN]));
  return lines;
}

it('the log of a run is written as sentences, and without secrets', () => {
  let written = '';
  const notes = createNotes({ write: (text) => (written += text), isTerminal: false, columns: 80 });
  notes.error({}, 'nothing comes back');
  notes.error({ error: 'the disk is full', count: 2, token: TOKEN }, 'commit failed');
  notes.warn({}, 'not shown');
  expect(written).toBe(
    'ghostfleet: nothing comes back\nghostfleet: commit failed (error: the disk is full, count: 2, token: ***)\n',
  );
});

describe('logs', () => {
  it('write one JSON line for each message of the chosen level or above', () => {
    const counts = LOG_LEVELS.map(
      (level) =>
        linesOf(level, (log) => {
          log.info({ a: 1 }, 'one');
          log.warn({ a: 1 }, 'two');
          log.error({ a: 1 }, 'three');
        }).length,
    );
    expect(counts).toEqual([0, 1, 2, 3]);
    const [line = ''] = linesOf('info', (log) => log.info({ serial: 5, took: { ms: 2 } }, 'stored'));
    expect(JSON.parse(line)).toMatchObject({ serial: 5, took: { ms: 2 }, msg: 'stored' });
  });

  it.each(['info', 'warn', 'error'] as const)('never show a secret at level %s, in any field', (level) => {
    const lines = linesOf('info', (log) => {
      const say = log[level].bind(log);
      for (const name of ['token', 'claim_token', 'key', 'apiKey', 'X-API-KEY', 'secret', 'password', 'access_token']) {
        say({ [name]: 'open-sesame', deep: [{ request: { headers: { [name]: 'open-sesame' } } }] }, 'a field');
      }
      say({ headers: { authorization: 'Bearer open-sesame' } }, 'a header');
      say({ what: `Authorization: Claim ${TOKEN}` }, 'a header in a text');
      say({ what: 'ApiKey open-sesame' }, 'another');
      say({ what: 'lte config password "open-sesame"', line: 'ble config passkey 424242' }, 'lines of a device');
      say({ what: 'ble passkey: 424242' }, 'lte config password open-sesame');
      say({ err: new Error(`cannot reach postgres://joe:hunter2@db/x with ${KEY}`) }, 'an error');
      say({ err: Object.assign(new Error('x'), { detail: { token: TOKEN } }) }, 'an error with fields');
      say({ name: CHOSEN }, `a message with ${CHOSEN} and ${TOKEN.toLowerCase()}`);
    });
    expect(lines.length).toBe(16);
    const text = lines.join('');
    for (const secret of [...SECRETS, TOKEN.toLowerCase()]) expect(text).not.toContain(secret);
    for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
  });

  it('show ids, hashes and addresses', () => {
    const fields = { id: '019aa1b2-c3d4-7e5f-8a6b-0123456789ab', hash: '0123456789abcdef', url: 'http://host:8080/x' };
    const [line = ''] = linesOf('info', (log) => log.info(fields, 'fine'));
    expect(JSON.parse(line)).toMatchObject(fields);
  });
});
