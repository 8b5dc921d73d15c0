/** Values from the environment are checked like those of options; the message names the variable, and shows no secret. */
import { expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';

const SERVE = ['serve', '--port', '0', '--udp-port', '0', '--udp-raw-port', '0'];
const NO_KEY = 'contains spaces or characters other than visible ASCII';
const NO_TOKEN = 'is not a claim token of 32 hex digits';

it.each<[variable: string, value: string, message: string, args: readonly string[]]>([
  ['CLAIM_TOKEN', 'hush-zz', `(hidden) ${NO_TOKEN}`, ['inspect', '8JpIs7HUpp6AsAABEAI=']],
  ['CLAIM_TOKEN', '', `(hidden) ${NO_TOKEN}`, ['inspect', '8JpIs7HUpp6AsAABEAI=']],
  [
    'CLAIM_TOKEN',
    `${'0'.repeat(32)}\n`,
    `(hidden) ${NO_TOKEN}: it has a space or line break at its beginning or end`,
    ['device', 'clime', '--serial', '2159017985'],
  ],
  ['API_KEY', 'hush hush', NO_KEY, [...SERVE, '--db', 'memory']],
  ['API_KEY', 'hush-hush\n', NO_KEY, ['worker', '--queue', 'postgres://127.0.0.1:1/x']],
  ['API_KEY', '', 'is empty', ['worker', '--queue', 'postgres://127.0.0.1:1/x']],
  ['API_KEY', 'hush hush', NO_KEY, ['record', '--target', 'http://127.0.0.1:1', '--after', '1h', '--out', 'x.jsonl']],
  ['API_KEY', 'hush hush', NO_KEY, ['run', 'first-fleet', '--seeds', '2', '--target', 'http://127.0.0.1:1']],
  ['A_API_KEY', 'hush hush', NO_KEY, ['ab', 'first-fleet', '--a', 'http://127.0.0.1:1', '--b', 'http://127.0.0.1:1']],
  ['QUEUE', 'mysql://u:hush@h/x', 'is not the address of a PostgreSQL database', ['worker', '--api-key', 'k']],
  ['DB', ' ', ': " " is not the path of a database file: it is empty', SERVE],
  ['SECRETS_KEY', 'hush', 'has 4 characters', [...SERVE, '--db', '/tmp/never.db']],
  ['MCP_TOKEN', 'hush', 'must have at least', ['mcp', '--http', '0']],
  ['ADMIN_PASSWORD', 'hush', 'needs a password of', [...SERVE, '--db', 'memory', '--admin', 'eva@example.org']],
])('GHOSTFLEET_%s=%j is rejected: %s', async (variable, value, message, args) => {
  const { exit, err } = await ghostfleet(args, { env: { GHOSTFLEET_API_KEY: 'k', [`GHOSTFLEET_${variable}`]: value } });
  expect(err).toContain(`GHOSTFLEET_${variable}`);
  expect(err).toContain(message);
  expect(err).not.toContain('hush');
  expect(exit).toBe(2);
});

it('a key of an option is rejected with the name of the option', async () => {
  const { err } = await ghostfleet([...SERVE, '--db', 'memory', '--api-key', 'hush hush']);
  expect(err).toBe(`ghostfleet: --api-key ${NO_KEY}\n`);
});

it.each(["'", '"'])('settings whose values are in %s, as in a file of Docker, are rejected together', async (mark) => {
  const inMarks = (text: string) => `${mark}${text}${mark}`;
  const { exit, err } = await ghostfleet([...SERVE, '--db', 'memory'], {
    env: { GHOSTFLEET_API_KEY: inMarks('hush'), GHOSTFLEET_DB: inMarks('cloud.db'), GHOSTFLEET_VAR_text: inMarks('a') },
  });
  expect(err).toBe(
    'ghostfleet: the value of GHOSTFLEET_API_KEY, of GHOSTFLEET_DB begins and ends with a quotation mark\n' +
      'remove the quotation marks, which "docker run --env-file" passes on as a part of the value\n',
  );
  expect(exit).toBe(2);
});
