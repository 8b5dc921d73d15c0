/** The command line as its user sees it: output, messages, exit codes. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ghostfleet } from '../support/host.js';
import { directory, file, SMALL } from './cli-support.js';

afterAll(() => rmSync(directory, { recursive: true }));
const PHOTO = file('photo.yaml', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
const HERE = 'http://127.0.0.1:1';
const DEVICE = ['device', 'clime', '--serial', '1', '--token', '0'.repeat(32)];
const BROKEN = file(
  'broken.yaml',
  `name: broken
duration: 40
fleet:
  - { name: clime, profile: klime, count: 2 }
  - { name: other, profile: clime, count: 0, colour: red }
`,
);

describe('ghostfleet', () => {
  it('rejects a command line without a command', async () => {
    const { exit, err } = await ghostfleet([]);
    expect(exit).toBe(2);
    expect(err).toContain('a command is required');
  });

  it('shows its commands with --help, and its version with --version', async () => {
    const help = await ghostfleet(['--help']);
    expect(help.exit).toBe(0);
    for (const command of ['run', 'serve', 'device', 'plan', 'validate', 'list']) expect(help.out).toContain(command);
    expect((await ghostfleet(['--version'])).out).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['runn', SMALL], 'unknown command "runn" (did you mean "run"?)'],
    [['help', 'selector'], 'unknown command or topic "selector" (did you mean "selectors"?)'],
    [['help', 'exit'], '; topics are expectations, selectors, loads, faults, exit-codes'],
    [['replay'], '<recording> is missing'],
    [['completion', 'bsh'], '<shell> "bsh" is not one of bash, zsh or fish (did you mean "bash"?)'],
    [['run'], '<file> is missing\nrun "ghostfleet run --help" for its options'],
    [['compare'], '<a> is missing'],
    [['list'], '<subject> is missing: scenarios, profiles, steps,'],
    [['record'], '--target is missing\n--out is missing'],
    [['run', SMALL, 'more'], 'unexpected argument "more"'],
    [['run', SMALL, '--', 'more'], 'unexpected argument "more"'],
    [['profile', 'schema', 'more'], 'unexpected argument "more"'],
    [['profile', 'show', 'clime', 'more'], 'unexpected argument "more"'],
    [['profile', 'check', SMALL, '--resolved'], '--resolved cannot be used with check'],
    [
      ['run', SMALL, '--seed', 'x', '--speed', '0', '--clock', 'reel', '--sede', '7', '--var', 'a', '--var', 'b'],
      `unknown option "--sede" (did you mean "--seed"?)
--clock "reel" is not one of virtual or real (did you mean "real"?)
--seed "x" is not a whole number from 0 to 9007199254740991
--var "a" is not name=value
--var "b" is not name=value
--speed "0" is not a number above 0
run "ghostfleet run --help"`,
    ],
    [
      ['device', 'clime', '--serial', '1', '--token', 'sesame', '--udp', 'nowhere'],
      'ghostfleet: --token (hidden) is not a claim token of 32 hex digits\n--udp "nowhere" is not HOST:PORT',
    ],
    [
      ['inspect', 'a.pcapng', '--token', 'sesame', '--secret', 'abc'],
      '--token (hidden) is not a claim token of 32 hex digits\n--secret (hidden) is not a key of 32 to 64 hex digits',
    ],
    [['run', SMALL, '--out', '--seed', 'x'], '--out requires a value\n--seed "x" is not a whole number'],
    [['run', SMALL, '--seed', 'x', '--var'], '--var requires a value\n--seed "x" is not a whole number'],
    [
      ['run', SMALL, '--seed', '1', '--seed', '2', '--workers', '0'],
      '--seed may be given only once\n--workers "0" is not',
    ],
    [['run', SMALL, '--sede', '7', '-x'], 'unknown option "--sede" (did you mean "--seed"?)\nunknown option "-x"'],
    [['serve', '--udpPort', '7'], 'unknown option "--udpPort" (did you mean "--udp-port"?)'],
    [['console', '--selector', 'cellar'], 'unknown option "--selector"'],
    [['run', SMALL, '--json=maybe'], '--json "maybe" must be true or false'],
    [['run', SMALL, '--out', 'a', '--out', 'b'], '--out may be given only once'],
    [['run', SMALL, '--out'], '--out requires a value'],
    [
      ['capacity', SMALL, '--vary', 'fleet.devices', '--from', '1', '--to', '2', '--recovery', '5s'],
      '--recovery requires --target',
    ],
    [
      ['capacity', SMALL, '--vary', 'fleet.devices', '--from', '1', '--from', '2', '--to'],
      '--from may be given only once\n--to requires a value\nrun "ghostfleet capacity --help"',
    ],
    [
      ['run', SMALL, '--out', 'w', '--markdown', './w', '--capture', `${process.cwd()}/w`],
      `--out and --markdown name the same file "w"
--out and --capture name the same file "w"
--markdown and --capture name the same file "./w"`,
    ],
    [['run', SMALL, '--out', '', '--markdown', ''], '--out is empty\n--markdown is empty'],
    [
      ['run', SMALL, '--out', '-', '--markdown=-'],
      '--out "-" does not mean the standard output: choose a name\n--markdown "-" does not mean the standard output',
    ],
    [['shrink', SMALL, '--out', '-'], '--out "-" does not mean the standard output'],
    [['compare', 'a', 'b', '--html', '-'], '--html "-" does not mean the standard output'],
    [['record', '--target', HERE, '--out', 'r', '--names', '-'], '--names "-" does not mean the standard output'],
    [['secrets', 'rotate', 'a.db', '--new-key-file', '-'], '--new-key-file "-" does not mean the standard output'],
    [['runs', '--yes'], '--yes requires --remove'],
    [['profile', 'check', 'a.yaml', '--family', 'hio'], '--family cannot be used with check'],
    [['profile', 'show', 'clime', '--family', 'chester'], '--family cannot be used with show'],
    [['runs', '-'], 'the folder "-"'],
    [['run', SMALL, '--capture', SMALL], `--capture and <file> name the same file "${SMALL}"`],
    [
      ['run', SMALL, '--out', 'w', '--markdown', 'w/report.html'],
      '--markdown "w/report.html" has the name of a file of',
    ],
    [
      ['run', SMALL, '--out', 'w', '--capture', 'w/cloud.db-wal'],
      '--capture "w/cloud.db-wal" has the name of a file of',
    ],
    [
      ['run', SMALL, '--seeds', '2', '--out', 'w', '--markdown', 'w/seed-2/report.txt'],
      'has the name of a file of the run',
    ],
    [
      ['compare', 'a', 'b', '--html', 'c.html', '--markdown', 'c.html'],
      '--markdown and --html name the same file "c.html"',
    ],
    [['record', '--target', HERE, '--out', 'r', '--names', 'r'], '--out and --names name the same file "r"'],
    [
      ['ab', SMALL, '--a', HERE, '--b', HERE, '--out', 'w', '--html', 'w/b/seed-1/report.html'],
      '--html "w/b/seed-1/report.html" has the name of a file of the run',
    ],
    [['serve', '--db', 'new.db', '--capture', 'new.db'], '--capture and --db name the same file "new.db"'],
    [['run', SMALL, '--seed', 'x'], '--seed "x" is not a whole number from 0 to 9007199254740991'],
    [['run', SMALL, '--seed', '-1'], '--seed "-1" is not a whole number from 0'],
    [['run', SMALL, '--clock', 'reel'], '--clock "reel" is not one of virtual or real (did you mean "real"?)'],
    [['run', SMALL, '--clock'], '--clock requires a value: virtual or real'],
    [['run', SMALL, '--clock', 'real', '--speed', '0'], '--speed "0" is not a number above 0'],
    [['run', SMALL, '--speed', '5'], '--speed requires --clock real'],
    [['run', SMALL, '--keep'], '--keep requires --target: the embedded cloud ends with the run'],
    [['run', SMALL, '--udp-dtls-port', '5005'], '--udp-dtls-port requires --target'],
    [
      ['run', SMALL, '--target', 'http://a.example', '--link', 'http', '--udp-raw-port', '5002'],
      '--udp-raw-port cannot be used with --link http',
    ],
    [['run', SMALL, '--udp-dtls-port', '70000'], '--udp-dtls-port "70000" is not a port number'],
    [['run', SMALL, '--store', 'sqlite'], '--store sqlite requires --out'],
    [['worker', '--queue', 'mysql://queue/x', '--api-key', 'k'], '--queue is not the address of a PostgreSQL database'],
    [['run', join(directory, 'missing.yaml')], 'cannot be read: the file does not exist'],
    [['run', directory], 'cannot be read: it is a directory'],
    [['plan', PHOTO], 'photo.yaml" cannot be read: it is not UTF-8 text'],
    [['profile', 'check', PHOTO], 'photo.yaml" cannot be read: it is not UTF-8 text'],
    [['replay', PHOTO], 'photo.yaml" cannot be read: it is not UTF-8 text'],
    [['plan', BROKEN], '"klime" is not one of'],
    [['list', 'colours'], '<subject> "colours" is not one of scenarios, profiles, steps,'],
    [['serve', '--port', '99999'], '--port "99999" is not a port number'],
    [['serve', '--db', directory], directory],
    [['serve', '--host', '0.0.0.0', '--db', 'memory'], 'is reachable from other machines'],
    [['serve', '--host', '127.example.org', '--db', 'memory'], 'is reachable from other machines'],
    [['serve', '--expire-downlinks', '5m'], '--expire-downlinks "5m" is not a duration of 1h or more'],
    [['serve', '--retain-messages', '1d'], '--retain-messages "1d" is not a duration of 2d or more'],
    [['serve', '--host', '[::1]'], '--host "[::1]" is not an IP address without brackets, or a host name'],
    [['serve', '--host', ''], '--host "" is not an IP address'],
    [['serve', '--host', '*'], '--host "*" is not an IP address'],
    [['serve', '--host', 'http://127.0.0.1'], '--host "http://127.0.0.1" is not an IP address'],
    [['serve', '--host', '127.0.0.1:8080'], '--host "127.0.0.1:8080" is not an IP address'],
    [['serve', '--space', ' '], '--space " " is not a name of 1 to 64 printable characters'],
    [['serve', '--admin', 'eva'], '--admin "eva" is not an email address in ASCII'],
    [['serve', '--admin', 'eva@example.org', '--db', 'memory'], '--admin needs a password of 8 to 256 characters'],
    [['device', 'klime', '--serial', '1', '--token', '0'.repeat(32)], 'unknown profile "klime"'],
    [[...DEVICE, '--api', 'http://127.0.0.1:8080'], '--api requires --link http'],
    [[...DEVICE, '--link', 'http', '--udp', '127.0.0.1:9'], '--udp cannot be used with --link http'],
    [[...DEVICE, '--link', 'http', '--raw'], '--raw cannot be used with --link http'],
    [['device', 'clime', '--serial', '0', '--token', '0'.repeat(32)], '--serial "0" is not a serial number'],
    [['device', 'clime', '--serial', '1', '--token', 'abc'], '--token'],
    [['device', 'clime', '--serial', '1'], 'a claim token of 32 hex digits is required'],
    [['device', 'clime', '--serial', '1', '--token', '0'.repeat(32), '--udp', 'nowhere'], 'is not HOST:PORT'],
  ])('rejects %j with a message, without a stack trace, and with exit code 2', async (args, complaint) => {
    const { exit, out, err } = await ghostfleet(args);
    expect(err).toContain(complaint);
    expect(err).not.toContain('    at ');
    expect([exit, out]).toEqual([2, '']);
  });

  it.each([
    ['help', 'plan'],
    ['plan', '--help'],
    ['plan', '-h'],
  ])('"%s %s" shows how the command plan is used', async (...args) => {
    const { exit, out } = await ghostfleet(args);
    expect([exit, out]).toEqual([0, expect.stringContaining('ghostfleet plan <file>')]);
  });

  it('does not repeat an invalid claim token in its error message', async () => {
    const secret = `${'ab'.repeat(15)}zz`;
    const { err } = await ghostfleet(['device', 'clime', '--serial', '1', '--token', secret]);
    expect(err).not.toContain(secret);
  });
});

describe('ghostfleet run', () => {
  it('prints a report that begins and ends with seed, digest and the command that repeats the run', async () => {
    const { exit, out } = await ghostfleet(['run', SMALL, '--seed', '7']);
    expect(exit).toBe(0);
    // The command is on a separate line if the first line would be too long.
    expect(out).toMatch(
      /^small · seed 7 · digest [0-9a-f]{16}(?: · |\n)ghostfleet run \S+small\.yaml --seed 7 --clock virtual\n/,
    );
    expect(out).toMatch(
      /\npassed · seed 7 · digest [0-9a-f]{16}(?: · |\n)ghostfleet run \S+small\.yaml --seed 7 --clock virtual\n$/,
    );
  });

  it('with --json prints one JSON object and nothing else', async () => {
    const { exit, out } = await ghostfleet(['run', SMALL, '--seed', '7', '--json']);
    const result = JSON.parse(out);
    expect(exit).toBe(0);
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining(['seed', 'digest', 'passed', 'uplinks', 'downlinks', 'expectations', 'reproduce']),
    );
  });

  it('writes its files to --out; the digest is the start of the SHA-256 hash of the events', async () => {
    const out = join(directory, 'runs', 'one');
    await ghostfleet(['run', SMALL, '--out', out, '--store', 'sqlite']);
    expect(readdirSync(out).filter((name) => !name.includes('-'))).toEqual([
      'cloud.db',
      'downlinks.csv',
      'events.jsonl',
      'junit.xml',
      'report.html',
      'report.txt',
      'series.csv',
      'summary.json',
    ]);
    const summary = JSON.parse(readFileSync(join(out, 'summary.json'), 'utf8'));
    const hash = createHash('sha256')
      .update(readFileSync(join(out, 'events.jsonl')))
      .digest('hex');
    expect(summary.digest).toBe(hash.slice(0, 16));
  });

  it.runIf(existsSync('/proc/self'))(
    'reports at once that a directory for --out cannot be created in /proc',
    async () => {
      const { exit, err } = await ghostfleet(['run', SMALL, '--out', '/proc/fleet/one']);
      expect(exit).toBe(2);
      expect(err).toContain('cannot create the directory "/proc/fleet/one": no such file or directory');
    },
  );

  it('ends with exit code 3 when an expectation fails', async () => {
    const failing = file('failing.yaml', readFileSync(SMALL, 'utf8').replace('answered == 2', 'answered == 3'));
    const { exit, out } = await ghostfleet(['run', failing]);
    expect(exit).toBe(3);
    expect(out).toContain('✗ downlink.answered == 3');
  });

  it('reports the results so far when it is interrupted, and ends with exit code 130', async () => {
    const endless = file('endless.yaml', readFileSync(SMALL, 'utf8').replace('40m', '20h'));
    const { exit, out } = await ghostfleet(['run', endless, '--clock', 'real', '--speed', '10'], { interruptOn: /^/ });
    expect(exit).toBe(130);
    expect(out).toContain('! interrupted by SIGINT');
    expect(out).toMatch(/\ninterrupted · seed /);
    expect(out).not.toContain('FAILED');
  });

  it('lists every problem of an invalid file with its place', async () => {
    const { exit, err } = await ghostfleet(['run', BROKEN]);
    expect(exit).toBe(2);
    const problems = err.split('\n').filter((line) => line.includes('broken.yaml:'));
    expect(problems.map((line) => /:(\d+:\d+):/.exec(line)?.[1])).toEqual(['2:11', '4:29', '5:43', '5:46']);
  });
});

describe('ghostfleet plan, validate and list', () => {
  it('plan prints the plan with the seed of the option --seed', async () => {
    const { exit, out } = await ghostfleet(['plan', SMALL, '--seed', '9']);
    expect(exit).toBe(0);
    expect(out).toContain('info show');
    expect(out).toContain('seed 9');
  });

  it.each(['validate', 'plan', 'run'])('%s warns of a fault without an effect, and succeeds', async (command) => {
    const fleet = 'fleet: [{ name: plant, profile: control, count: 1 }]';
    const idle = file('idle.yaml', ['name: idle', 'duration: 1m', fleet, 'faults: [{ brown-out: }]'].join('\n'));
    const { exit, out, err } = await ghostfleet([command, idle]);
    expect(exit).toBe(0);
    const warning = 'fault brown-out at 0s: no effect on 1 device of plant: a device does not use its battery while';
    expect(command === 'plan' ? out : err).toContain(`${command === 'plan' ? 'warnings  ' : 'warning: '}${warning}`);
  });

  it('validate reports on every file', async () => {
    const { exit, out, err } = await ghostfleet(['validate', SMALL, BROKEN, 'scenarios/demo.yaml']);
    expect(exit).toBe(2);
    expect(out).toBe(`${SMALL}: valid\nscenarios/demo.yaml: valid\n`);
    expect(err).toContain('broken.yaml:2:11');
  });

  it('validate accepts a value for a variable that one of several scenarios has', async () => {
    const rest = 'duration: 1m\nfleet: [{ name: plant, profile: clime, count: 1 }]\n';
    const first = file('first-var.yaml', `name: a\nvars: { api-key: x }\n${rest}`);
    const second = file('second-var.yaml', `name: b\n${rest}`);
    const env = { GHOSTFLEET_VAR_api_key: 'secret' };
    expect(await ghostfleet(['validate', first, second], { env })).toMatchObject({ exit: 0, err: '' });
    expect((await ghostfleet(['validate', second], { env })).err).toContain('is not a variable of this scenario');
    const unknown = await ghostfleet(['validate', first, second, '--var', 'apikey=1'], { env });
    expect(unknown.exit).toBe(2);
    expect(unknown.err.trimEnd()).toBe(
      'ghostfleet: "apikey", from --var or GHOSTFLEET_VAR_apikey in the environment, is not a variable of any of these scenarios',
    );
  });

  it('validate rejects scripts of connectors that the cloud rejects, all at once', async () => {
    const setup = [
      'connector: { name: half, script: "function main(job) {" }',
      'connector: { name: other, script: "const send = () => null;" }',
      'connector: { name: slow, script: "async function main(job) { return null; }" }',
      'connector: { name: fine, script: "const main = () => null;" }',
    ];
    const lines = ['duration: 1m', 'fleet: [{ name: plant, profile: clime, count: 1 }]', 'setup:'];
    const scripts = file('scripts.yaml', ['name: scripts', ...lines, ...setup.map((each) => `  - ${each}`)].join('\n'));
    const { exit, out, err } = await ghostfleet(['validate', scripts]);
    expect({ exit, out }).toEqual({ exit: 2, out: '' });
    expect(err.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        /scripts.yaml: the script of connector "half" is not valid: SyntaxError: .* \(line 1, column \d+\)$/,
      ),
      expect.stringMatching(/: the script of connector "other" is not valid: the script has no function main$/),
      expect.stringMatching(/: the script of connector "slow" is not valid: main returns a promise; /),
    ]);
  });

  it.each([
    ['scenarios', 'library/boot-storm'],
    ['profiles', 'clime'],
    ['steps', 'power-cycle'],
    ['faults', 'outage'],
    ['metrics', 'downlink.delivered'],
    ['invariants', 'uplinks-stored-once'],
  ])('list %s prints "%s"', async (subject, name) => {
    const { exit, out } = await ghostfleet(['list', subject]);
    expect(exit).toBe(0);
    expect(out.split('\n').some((line) => line.startsWith(name))).toBe(true);
  });

  it('list scenarios says in a line what each packaged scenario is about', async () => {
    const { out } = await ghostfleet(['list', 'scenarios']);
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(40);
    expect(lines.filter((line) => !/^\S+ {2,}\S.{19,250}$/.test(line))).toEqual([]);
  });
});
