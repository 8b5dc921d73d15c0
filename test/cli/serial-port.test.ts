/** Serial ports of virtual devices: the bytes of the real shell over TCP, by pyserial and through a pseudo-terminal. */
import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseSerialPort } from '../../src/cli/serial-port.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet, type HostOptions } from '../support/host.js';
import { keepAliveTimers } from '../support/keep-alive.js';
import { until } from '../support/until.js';

const TOKEN = '00112233445566778899aabbccddeeff';
/** No cloud is there: the shell works without one. */
const DEVICE = ['device', 'clime', '--serial', '2159017985', '--token', TOKEN, '--udp', '127.0.0.1:9', '--quiet'];
const LINES = [
  'info show',
  'app config interval-report 900',
  'app config interval-report',
  'nonsense',
  'app config interval-report 1',
  'config show',
  'info claim-token',
  'help',
];
/** Its answer ends each transcript. */
const LAST = 'last: command not found\r\n';

/** Runs a command with serial ports while `use` lasts. Returns the result of `use`, and the outcome of the command. */
async function withPorts<T>(
  args: readonly string[],
  use: (at: readonly string[]) => Promise<T>,
  options: HostOptions = {},
) {
  let stop = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    stop = resolve;
  });
  let err = '';
  let over = false;
  const watch = (text: string) => {
    err = text;
  };
  const running = ghostfleet(args, { ...options, interruptWhen, watch });
  void running.then(() => {
    over = true;
  });
  const ports = () => [...err.matchAll(/^serial port of \S+ at (\S+)$/gm)].map(([, at = '']) => at);
  const wanted = args.filter((word) => word === '--serial-port').length;
  await until(() => over || ports().length === wanted);
  try {
    return { result: over ? undefined : await use(ports()), outcome: running };
  } finally {
    stop();
    await running;
  }
}

async function open(at: string): Promise<Socket> {
  const [host = '', port = ''] = at.split(':');
  const socket = connect(Number(port), host);
  await once(socket, 'connect');
  return socket;
}

/** Sends a text and returns all that the device sends up to the answer to the line `last`. */
async function talk(socket: Socket, text: string): Promise<string> {
  let received = '';
  const listen = (bytes: Buffer) => {
    received += bytes.toString('latin1');
  };
  socket.on('data', listen);
  socket.write(`${text}last\r\n`);
  await until(() => received.endsWith(LAST));
  socket.off('data', listen);
  return received.slice(0, -LAST.length);
}

/** Sends a line until the device answers: before its boot, it is silent. Returns the first line of the answer. */
async function firstAnswer(socket: Socket, line: string): Promise<string> {
  let received = '';
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    received += bytes;
  });
  await until(() => {
    if (!received.includes('\r\n')) socket.write(`${line}\n`);
    return received.includes('\r\n');
  }, 20);
  return received.split('\r\n')[0] ?? '';
}

const TCP = ['--serial-port', 'tcp:127.0.0.1:0'];

describe('a serial port over TCP', () => {
  it('has the transcript of "ghostfleet device", with CR LF after every line, without prompt and echo', async () => {
    const { out } = await ghostfleet(DEVICE, { typed: [...LINES, 'last'], interruptOn: /last: command not found/ });
    const expected = out.replaceAll('\n', '\r\n').slice(0, -LAST.length);
    expect(expected).toContain('app config interval-report 900\r\n');
    const { result } = await withPorts([...DEVICE, ...TCP], async ([at = '']) => {
      const socket = await open(at);
      const transcript = await talk(socket, LINES.map((line) => `${line}\r\n`).join(''));
      socket.destroy();
      return transcript;
    });
    expect(result).toBe(expected);
  });

  it('takes CR, LF or both as the end of a line, parts of lines, backspace and Ctrl-C, as the real shell does', async () => {
    const { result } = await withPorts([...DEVICE, ...TCP], async ([at = '']) => {
      const socket = await open(at);
      const answers = [];
      for (const text of [
        'info sn\b\bserial-number\n',
        'x\u0003info serial-number\r',
        'info \x7f serial-number\r\n\r\n',
      ]) {
        answers.push(await talk(socket, text));
      }
      socket.write('info ser');
      answers.push(await talk(socket, 'ial-number\n'));
      socket.destroy();
      return answers;
    });
    expect(result).toEqual(Array(4).fill('serial number: 2159017985\r\n'));
  });

  it('answers nothing to a line of more than 255 characters, as the real shell; the program says why on its own side', async () => {
    const { result, outcome } = await withPorts([...DEVICE, ...TCP], async ([at = '']) => {
      const socket = await open(at);
      await firstAnswer(socket, 'last');
      const answer = await talk(socket, `app config ${'x'.repeat(300)}\r\n`);
      socket.destroy();
      return answer;
    });
    expect(result).toBe('');
    expect((await outcome).err).toContain(
      'ghostfleet: serial port of clime-2159017985: the line has more than 255 characters; a device does not execute it\n',
    );
  });

  it('masks secrets, unless --show-secrets is given', async () => {
    const ask = async ([at = '']: readonly string[]) => {
      const socket = await open(at);
      const answer = await talk(socket, 'info claim-token\n');
      socket.destroy();
      return answer;
    };
    expect((await withPorts([...DEVICE, ...TCP], ask)).result).toBe('claim token: ********\r\n');
    const shown = await withPorts([...DEVICE, ...TCP, '--show-secrets'], ask);
    expect(shown.result).toBe(`claim token: ${TOKEN}\r\n`);
  });

  it('can be opened again when a program has closed it, but not by two programs at once', async () => {
    const { result } = await withPorts([...DEVICE, ...TCP], async ([at = '']) => {
      const first = await open(at);
      await talk(first, '');
      const second = await open(at);
      const [refusal] = await once(second, 'data');
      first.destroy();
      // The device learns of the end of the first connection a moment later.
      let answer = '';
      await until(async () => {
        const third = await open(at);
        answer = await firstAnswer(third, 'info serial-number');
        third.destroy();
        return !answer.includes('in use');
      });
      return [String(refusal), answer];
    });
    expect(result).toEqual(['the serial port is in use\r\n', 'serial number: 2159017985']);
  });

  it.runIf(process.platform === 'linux')('asks a silent program every 30 s whether it is still there', async () => {
    const { result } = await withPorts([...DEVICE, ...TCP], async ([at = '']) => {
      const program = await open(at);
      await talk(program, '');
      const port = Number(at.split(':')[1]);
      await until(() => keepAliveTimers(port, 'own').length > 0);
      const timers = keepAliveTimers(port, 'own');
      program.destroy();
      return timers;
    });
    expect(result?.length).toBe(1);
    expect(Math.max(...(result ?? []))).toBeLessThanOrEqual(30);
  });

  it('is refused if another process uses the port, before the device starts', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const { exit, err } = await ghostfleet([...DEVICE, '--serial-port', `tcp:127.0.0.1:${port}`]);
    server.close();
    expect([exit, err]).toEqual([
      2,
      `ghostfleet: cannot open TCP port ${port} on "127.0.0.1": another process uses it\n`,
    ]);
  });

  it('of several devices of a run is chosen by the name of the device', async () => {
    const yaml = 'name: rig\nduration: 1h\nfleet: [{ name: rig, profile: clime, count: 3 }]\n';
    const file = join(folderOfTest(), 'rig.yaml');
    writeFileSync(file, yaml);
    const run = ['run', file, '--clock', 'real'];
    const ports = ['--serial-port', 'rig-0003=tcp:127.0.0.1:0', '--serial-port', 'rig-0001=tcp:127.0.0.1:0'];
    const { result } = await withPorts([...run, ...ports], async (at) => {
      const answers = [];
      for (const each of at) {
        const socket = await open(each);
        answers.push(await firstAnswer(socket, 'info serial-number'));
        socket.destroy();
      }
      return answers;
    });
    expect(result).toEqual(['serial number: 2159017987', 'serial number: 2159017985']);
  });
});

describe('the option --serial-port', () => {
  it.each([
    ['tcp:127.0.0.1:7001', { device: undefined, place: { kind: 'tcp', at: { host: '127.0.0.1', port: 7001 } } }],
    ['tcp:[::1]:7001', { device: undefined, place: { kind: 'tcp', at: { host: '::1', port: 7001 } } }],
    ['rig-0001=pty', { device: 'rig-0001', place: { kind: 'pty' } }],
    ['pty:/tmp/clime=1', { device: undefined, place: { kind: 'pty', path: '/tmp/clime=1' } }],
    ['tcp:7001', undefined],
    ['udp:127.0.0.1:7001', undefined],
    ['/dev/ttyUSB0', undefined],
  ])('%s is read', (text, request) => {
    expect(parseSerialPort(text)).toEqual(request);
  });

  it('of a run needs the name of a device of the scenario, and time that passes for a user', async () => {
    const run = ['run', 'scenarios/first-fleet.yaml'];
    const complaint = async (...args: readonly string[]) => (await ghostfleet([...run, ...args])).err;
    expect(await complaint('--serial-port', 'tcp:127.0.0.1:0')).toContain(
      '--serial-port requires --clock real or --pace',
    );
    const real = [...run, '--clock', 'real'];
    expect((await ghostfleet([...real, '--serial-port', 'tcp:127.0.0.1:0'])).err).toContain('name the device');
    expect((await ghostfleet([...real, '--serial-port', 'celler-0001=pty'])).err).toContain('no device "celler-0001"');
    expect((await ghostfleet([...real, '--serial-port', 'x=y'])).err).toContain('"x=y" is not NAME= and tcp:HOST:PORT');
  });

  it('of a run cannot name the port of another one, or of the metrics', async () => {
    const ports = ['a', 'b'].flatMap((name) => ['--serial-port', `${name}=tcp:127.0.0.1:7001`]);
    const { exit, err } = await ghostfleet([
      ...['run', 'scenarios/first-fleet.yaml', '--clock', 'real'],
      ...[...ports, '--metrics-port', '7001'],
    ]);
    expect(exit).toBe(2);
    expect(err).toContain('--serial-port of "a" and --serial-port of "b" name the same port, 7001');
    expect(err).toContain('--metrics-port and --serial-port of "a" name the same port, 7001');
  });

  it('is suggested to a user who gives the place of a port as the serial number', async () => {
    const { exit, err } = await ghostfleet(['device', 'clime', '--serial', 'tcp:127.0.0.1:7001', '--token', TOKEN]);
    expect([exit, err]).toEqual([2, expect.stringContaining('for a serial port, use --serial-port')]);
  });

  it('closes a connection that begins like HTTP: a web page of the user could send it commands', async () => {
    const { result } = await withPorts([...DEVICE, ...TCP], async ([at = '']) => {
      const page = await open(at);
      page.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n\r\napp config interval-report 77\r\nconfig save\r\n');
      await once(page, 'close');
      let answer = '';
      await until(async () => {
        const next = await open(at);
        answer = await firstAnswer(next, 'app config interval-report');
        next.destroy();
        return !answer.includes('in use');
      });
      return answer;
    });
    expect(result).toBe('app config interval-report 1800');
  });
});

describe('a pseudo-terminal', () => {
  it.each([
    ['a file', (path: string) => writeFileSync(path, 'precious')],
    ['a link to a file', (path: string) => symlinkSync('/dev/null', path)],
  ])('does not replace %s', async (_, make) => {
    const path = join(folderOfTest(), 'mine');
    make(path);
    const before = lstatSync(path);
    const { exit, err } = await ghostfleet([...DEVICE, '--serial-port', `pty:${path}`]);
    expect([exit, err]).toEqual([2, expect.stringContaining(`"${path}" exists already`)]);
    expect(lstatSync(path).ino).toBe(before.ino);
  });

  it('is refused with the reason if its path cannot be read', async () => {
    const loop = join(folderOfTest(), 'loop');
    symlinkSync(loop, loop);
    const { exit, err } = await ghostfleet([...DEVICE, '--serial-port', `pty:${loop}/x`]);
    expect([exit, err]).toEqual([2, expect.stringContaining(`cannot write the link "${loop}/x": `)]);
  });

  it('has a path without signs that socat understands', async () => {
    const { exit, err } = await ghostfleet([...DEVICE, '--serial-port', 'pty:x!!EXEC:id']);
    expect([exit, err]).toEqual([2, expect.stringContaining('contains !, which socat cannot use')]);
  });

  it('is refused without socat, with what to do', async () => {
    const { exit, err } = await ghostfleet([...DEVICE, '--serial-port', 'pty'], { env: { PATH: '/nowhere' } });
    expect([exit, err]).toEqual([
      2,
      'ghostfleet: a pseudo-terminal needs the program socat, which is not installed\ninstall it (apt-get install socat), or use a port such as tcp:127.0.0.1:7001\n',
    ]);
  });

  it('of socat can be opened by pyserial, closed, and opened again', async ({ skip }) => {
    if (spawnSync('socat', ['-V']).status !== 0) skip('socat is not installed (apt-get install socat)');
    if (!hasPyserial()) skip('pyserial is not installed (apt-get install python3-serial)');
    const path = join(folderOfTest(), 'clime');
    const env = { PATH: process.env.PATH ?? '' };
    const { result } = await withPorts(
      [...DEVICE, '--serial-port', `pty:${path}`],
      async ([at = '']) => [await pyserial(at, 'info serial-number'), await pyserial(at, 'app config interval-report')],
      { env },
    );
    expect(result).toEqual(['serial number: 2159017985\r\n', 'app config interval-report 1800\r\n']);
  });
});

describe('pyserial', () => {
  it('talks to the shell of a virtual device by socket://', async ({ skip }) => {
    if (!hasPyserial()) skip('pyserial is not installed (apt-get install python3-serial)');
    const { result } = await withPorts([...DEVICE, ...TCP], ([at = '']) =>
      pyserial(`socket://${at}`, 'info serial-number'),
    );
    expect(result).toBe('serial number: 2159017985\r\n');
  });
});

const PYTHON = '/usr/bin/python3';

function hasPyserial(): boolean {
  return spawnSync(PYTHON, ['-c', 'import serial']).status === 0;
}

/** What a program with pyserial reads after it has sent a line: one line. It opens the port until the device answers. */
async function pyserial(port: string, line: string): Promise<string> {
  const script = `
import serial, sys, time
for attempt in range(100):
    try:
        with serial.serial_for_url(sys.argv[1], baudrate=115200, timeout=1) as port:
            port.write((sys.argv[2] + '\\r\\n').encode())
            answer = port.readline()
            if answer:
                sys.stdout.write(answer.decode())
                break
    except serial.SerialException:
        time.sleep(0.1)
`;

  const { stdout } = await promisify(execFile)(PYTHON, ['-c', script, port, line]);
  return stdout;
}
