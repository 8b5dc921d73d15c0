/**
 * `ghostfleet device`: one virtual device in real time, against any cloud that speaks the wire protocol. What is typed goes to
 * its shell; what happens to it is written beside.
 */
import { EXIT, UsageError } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import { DURATION_FORM, parseDuration } from '../kernel/time.js';
import { type CloudAddress, type SingleDevice, startDevice } from '../runner/single-device.js';
import type { TraceEvent } from '../trace/events.js';
import { checked, command, wholeNumber } from './command.js';
import type { Host } from './host.js';
import { profileNamed } from './read-files.js';
import { type HostAndPort, hostAndPort, positiveNumber } from './values.js';

interface DeviceFlags {
  readonly profile: string;
  readonly serial: number | undefined;
  readonly token: string | undefined;
  readonly udp: HostAndPort | undefined;
  readonly raw: boolean;
  readonly link: 'udp' | 'http';
  readonly api: string;
  readonly config: readonly string[];
  readonly speed: number | undefined;
  readonly for: number | undefined;
}

export const device = command<DeviceFlags>(
  'device <profile>',
  'Run one virtual device in real time; what you type goes to its shell',
  (parser) =>
    parser
      .positional('profile', { type: 'string', demandOption: true, describe: 'device type, see "list profiles"' })
      .option('serial', {
        ...checked({ describe: 'serial number' }, 'serial', 'a serial number from 1 to 4294967295', serialOf),
        demandOption: true,
      })
      .option(
        'token',
        checked(
          { describe: 'claim token; or in GHOSTFLEET_CLAIM_TOKEN', secret: true },
          'token',
          'a claim token of 32 hex digits',
          tokenOf,
        ),
      )
      .option('link', {
        choices: ['udp', 'http'] as const,
        default: 'udp' as const,
        describe: 'how to reach the cloud: its UDP gateway, or the device ingress beside its API',
      })
      .option('api', {
        type: 'string',
        requiresArg: true,
        default: 'http://127.0.0.1:8080',
        describe: 'address of the API; with --link http',
      })
      .option(
        'udp',
        checked({ default: '127.0.0.1:5003', describe: 'gateway as HOST:PORT' }, 'udp', 'HOST:PORT', hostAndPort),
      )
      .option('raw', { type: 'boolean', default: false, describe: 'send raw datagrams (port 5002) in place of base64' })
      .option('config', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'line written to flash beforehand, such as "app config interval-report 60"',
      })
      .option(
        'speed',
        checked({ default: '1', describe: 'how much faster than real' }, 'speed', 'a number above 0', positiveNumber),
      )
      .option(
        'for',
        checked({ describe: 'how long to run; without it, until Ctrl-C' }, 'for', DURATION_FORM, parseDuration),
      ),
  async (flags, host) => {
    const profile = profileNamed(flags.profile);
    const claimToken = flags.token ?? host.env.GHOSTFLEET_CLAIM_TOKEN;
    if (claimToken === undefined || tokenOf(claimToken) === undefined) {
      throw new UsageError('bad-flags', 'a claim token of 32 hex digits is needed: --token, or GHOSTFLEET_CLAIM_TOKEN');
    }
    const clock = new RealClock({ speed: flags.speed ?? 1 });
    const running = await startDevice({
      profile,
      // Because this option is demanded.
      serial: flags.serial as number,
      cloud: addressIn(flags),
      claimToken,
      config: flags.config,
      clock,
      trace: { emit: (event) => host.out.write(`${logLine(event)}\n`) },
    });
    void serveShell(host, running);
    await ended(host, clock, flags.for);
    await running.stop();
    return EXIT.fine;
  },
);

function addressIn({ link, api, udp, raw }: DeviceFlags): CloudAddress {
  if (link === 'http') return { link, api };
  // Because the option has a default.
  return { link, ...(udp as HostAndPort), format: raw ? 'raw' : 'base64' };
}

/** Hands each typed line to the shell and shows what it prints. */
async function serveShell(host: Host, running: SingleDevice): Promise<void> {
  for await (const line of host.lines()) {
    running.shell(line, (printed) => host.out.write(`${printed}\n`));
  }
}

function ended(host: Host, clock: RealClock, duration: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const forget = host.onInterrupt(() => {
      forget();
      resolve();
    });
    if (duration !== undefined) clock.after(duration, 'the end of the run', resolve);
  });
}

/** `+12.3s  uplink.acked  uplink=4 type=data` */
function logLine(event: TraceEvent): string {
  const { kind, at, ...rest } = event;
  const details = Object.entries(rest)
    .filter(([key]) => key !== 'serial')
    .map(([key, value]) => `${key}=${value}`);
  return `${`+${(at / 1000).toFixed(1)}s`.padEnd(10)}${kind.padEnd(20)}${details.join(' ')}`.trimEnd();
}

function serialOf(text: string): number | undefined {
  return wholeNumber(1, 4_294_967_295)(text);
}

function tokenOf(text: string): string | undefined {
  return /^[0-9a-f]{32}$/i.test(text) ? text : undefined;
}
