/** Tools for the virtual devices of runs in real time and of `ghostfleet device`. */
import Type from 'typebox';
import type { Connection } from '../console/client.js';
import { controlHelp } from '../console/control-line.js';
import type { Candidate } from '../console/member.js';
import type { Reply } from '../console/protocol.js';
import { quote } from '../input/problems.js';
import { UsageError } from '../kernel/errors.js';
import type { Desk } from './mcp-desk.js';
import { defineTool, type Tool } from './mcp-tool.js';

const Run = Type.Optional(Type.String({ description: 'a run of list_runs, if several are running' }));
const DeviceName = Type.String({ minLength: 1, description: 'name or serial number of one device' });

export const DEVICE_TOOLS: readonly Tool[] = [
  defineTool(
    'list_devices',
    'Lists the virtual devices of a run in real time, with state, battery, firmware and tags.',
    {
      run: Run,
      selector: Type.Optional(
        Type.String({ description: 'such as "cellar", "fw<3.1 & battery<20", "state=off" or "*" (default)' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, description: 'default: 50' })),
      skip: Type.Optional(
        Type.Integer({ minimum: 0, description: 'number of devices before the first one; default: 0' }),
      ),
    },
    ({ run, selector = '*', limit = 50, skip = 0 }, desk) =>
      useRun(desk, run, async (connection) => {
        let left = 0;
        const devices = await askFor(connection, { do: 'list', on: selector }, (reply) => {
          if ('done' in reply) left = reply.uncompared ?? 0;
          return listDevice(reply);
        });
        const shown = devices.slice(skip, skip + limit);
        const uncompared = left > 0 && { without_comparable_firmware: left };
        return { run: connection.greeting.run, matching: devices.length, ...uncompared, devices: shown };
      }),
  ),
  defineTool(
    'inspect_device',
    'Shows one virtual device of a run in real time: its state, and the first words of the lines that it understands.',
    { run: Run, device: DeviceName },
    ({ run, device }, desk) =>
      useRun(desk, run, async (connection) => {
        const found = await findDevice(connection, device);
        const words = (line: string) =>
          askFor(connection, { do: 'complete', on: makeSelector(found), line }, listWords);
        return { run: connection.greeting.run, ...found, shell: await words(''), controls: await words('.') };
      }),
  ),
  defineTool(
    'type_line',
    'Types one line into the shell of one virtual device and returns what it prints; a line that begins with a dot acts on its hardware. The run can then no longer be repeated from its seed alone.',
    {
      run: Run,
      device: DeviceName,
      line: Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'such as "info show", ".battery 20%" or ".help"',
      }),
    },
    ({ run, device, line }, desk) =>
      useRun(desk, run, async (connection) => {
        const found = await findDevice(connection, device);
        // As in consoles, which answer this line themselves.
        if (line.trim() === '.help') return { device: found.name, code: 0, printed: controlHelp() };
        const parts: { readonly code: number; readonly lines: readonly string[] }[] = [];
        const asked = connection.ask(
          { do: 'line', on: makeSelector(found), line, secrets: false, folder: desk.folder, inside: true },
          (reply) => 'from' in reply && parts.push({ code: reply.code, lines: reply.lines }),
        );
        await asked.done;
        await asked.finished;
        return { device: found.name, code: parts.at(-1)?.code ?? null, printed: parts.flatMap(({ lines }) => lines) };
      }),
    'writes',
  ),
];

/** @throws UsageError if no run matches, or more than one */
function useRun<T>(desk: Desk, name: string | undefined, use: (run: Connection) => Promise<T>): Promise<T> {
  return desk.withAttached((runs) => {
    const [only, ...more] = runs.filter(
      ({ greeting }) => name === undefined || [greeting.run, greeting.name].includes(name),
    );
    if (only !== undefined && more.length === 0) return use(only);
    const known = runs.map(({ greeting }) => greeting.run).join(', ');
    throw new UsageError(
      'which-run',
      known === ''
        ? 'no run to connect to; start one with "ghostfleet run FILE --pace 60", "ghostfleet demo" or "ghostfleet device"'
        : `name one of the runs in "run": ${known}`,
    );
  });
}

/** @throws UsageError unless exactly one device has this name or serial number */
async function findDevice(run: Connection, wanted: string): Promise<Candidate> {
  const isSerial = /^\d{1,10}$/.test(wanted);
  const on = isSerial ? `serial=${Number(wanted)}` : `name="${wanted}"`;
  // The selector must not mean other devices than the one with this name.
  const found = /["*]/.test(wanted) ? [] : await listDevices(run, on);
  const [device] = found;
  if (device !== undefined && found.length === 1) return device;
  throw new UsageError('no-device', `the run has no device ${quote(wanted)}; "list_devices" lists them`);
}

function makeSelector({ serial }: Candidate): string {
  return `serial=${serial}`;
}

function listDevices(run: Connection, on: string): Promise<readonly Candidate[]> {
  return askFor(run, { do: 'list', on }, listDevice);
}

const listDevice = (reply: Reply): readonly Candidate[] => ('device' in reply ? [reply.device] : []);

const listWords = (reply: Reply): readonly string[] => ('words' in reply ? reply.words : []);

async function askFor<T>(
  run: Connection,
  question: Parameters<Connection['ask']>[0],
  read: (reply: Reply) => readonly T[],
): Promise<readonly T[]> {
  const found: T[] = [];
  await run.ask(question, (reply) => found.push(...read(reply))).done;
  return found;
}
