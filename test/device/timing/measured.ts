/**
 * The bench on which the times of docs/reference/timing.md were measured, rebuilt in virtual time: a device whose modem boots
 * in 0.33 s, attaches in 1.2 s and connects in 0.3 s, and a cloud that answers at once.
 */
import { expect } from 'vitest';
import type { Device } from '../../../src/device/device.js';
import type { LteFsmState } from '../../../src/device/modem/state.js';
import type { ModemTimings } from '../../../src/device/modem/timing.js';
import { type Instant, type Millis, seconds } from '../../../src/kernel/time.js';
import type { EnvelopeFormat } from '../../../src/protocol/flap/envelope.js';
import { ACK, FIRST, LAST, NOTHING, type Packet, POLL } from '../../../src/protocol/flap/packet.js';
import { encodeDown } from '../../../src/protocol/messages/index.js';
import type { TraceEvent } from '../../../src/trace/events.js';
import { SERIAL, TOKEN, testCloud } from '../../support/cloud.js';
import { datagramOf, packetIn, type TestDeviceOptions, testDevice } from '../../support/device.js';

/**
 * The modem of the measurements. The duration of a boot is the measured time between the end of a pause and the next attach
 * window.
 */
export const MEASURED: ModemTimings = {
  boot: [330, 330],
  attach: [1200, 1200],
  wake: 200,
  connect: [300, 300],
  release: [5000, 5000],
  openSocket: 0,
  evaluation: 10,
};

/** With these lines, a device reports only on request of the test. wM-Bus reports its scans, which each test configures. */
const quiet = (profile: string | undefined) => (profile === 'wmbus' ? [] : ['app config interval-report 86400']);

export interface Sent {
  /** Time since the zero of the test. */
  readonly at: Millis;
  readonly packet: Packet;
}

export interface Phase {
  readonly state: LteFsmState;
  readonly at: Millis;
  readonly lasted: Millis;
}

export interface MeasuredOptions extends Partial<TestDeviceOptions> {
  readonly modem?: Partial<ModemTimings>;
  /** Whether the cloud receives the packet. By default, it receives all packets. */
  readonly up?: (packet: Packet) => boolean;
  /** Whether the device receives the packet. By default, it receives all packets. */
  readonly down?: (packet: Packet) => boolean;
  /** How often a datagram to the cloud, or to the device, arrives. By default, each arrives once. */
  readonly times?: (way: 'up' | 'down') => number;
}

/** A device that has set up its session and sent its first report, and sleeps. `config` adds configuration lines. */
export async function measured(options: MeasuredOptions = {}) {
  const { modem = {}, config = [], up = () => true, down = () => true, times = () => 1 } = options;
  const wire = wireOf(options);
  const cloud = await testCloud();
  await cloud.addDevice();
  const { clock } = cloud;
  const network = { up: true };
  const sent: { at: Instant; packet: Packet }[] = [];
  let zero: Instant = 0;
  const live = testDevice({
    clock,
    events: cloud.events,
    modemTimings: { ...MEASURED, ...modem },
    network: (datagram, answer) => {
      const packet = packetIn(datagram, wire);
      sent.push({ at: clock.now, packet });
      if (!network.up || !up(packet)) return;
      for (let copies = times('up'); copies > 0; copies -= 1) {
        clock.after(1, 'datagram', () =>
          cloud.gateway.receive(datagram, wire, (reply) => {
            if (!network.up || !down(packetIn(reply, wire))) return;
            for (let answers = times('down'); answers > 0; answers -= 1) answer(reply);
          }),
        );
      }
    },
    ...options,
    config: [...quiet(options.profile), ...config],
  });
  const { device, of } = live;
  device.powerOn();
  await clock.runUntil(seconds(60));
  const since = ({ at }: { readonly at: Instant }): Millis => at - zero;
  return {
    ...live,
    cloud,
    network,
    run: (time: Millis) => clock.runUntil(clock.now + time),
    /** Lets time pass until `at` after the zero. */
    until: (at: Millis) => clock.runUntil(zero + at),
    /** Makes this moment the zero of the test. */
    zero(): void {
      zero = clock.now;
      sent.length = 0;
    },
    /** Lets time pass until right before the next tick of `interval-poll`, and makes the tick the zero of the test. */
    async tick(every: Millis): Promise<void> {
      const start = of('device.ready')[0]?.at ?? 0;
      const next = start + every * Math.ceil((clock.now + 1 - start) / every);
      await clock.runUntil(next - 1);
      zero = next;
      sent.length = 0;
    },
    /** Time since the zero of the test. */
    now: (): Millis => clock.now - zero,
    sent: (): readonly Sent[] => sent.map(({ at, packet }) => ({ at: at - zero, packet })),
    command: async (line = 'info show') => cloud.core.queue(await cloud.device(), { type: 'shell', commands: [line] }),
    configure: async (lines: readonly string[]) => cloud.core.queue(await cloud.device(), { type: 'config', lines }),
    /** Times of events since the zero. */
    times: <K extends TraceEvent['kind']>(
      kind: K,
      which: (event: Extract<TraceEvent, { readonly kind: K }>) => boolean = () => true,
    ) =>
      of(kind)
        .filter(which)
        .map(since)
        .filter((at) => at > 0),
    /** The states of the modem until `at` after the zero, to a tenth of a second. */
    async phases(at: Millis): Promise<readonly Phase[]> {
      const phases: { state: LteFsmState; at: Millis; lasted: Millis }[] = [];
      for (; clock.now < zero + at; await clock.runUntil(clock.now + 100)) {
        const last = phases.at(-1);
        if (last?.state === device.modem.state) last.lasted += 100;
        else phases.push({ state: device.modem.state, at: clock.now - zero, lasted: 100 });
      }
      return phases;
    },
  };
}

/** Returns the answer to a packet of the device. Without `sequence`, the answer has the right sequence number. */
export type Server = (packet: Packet) => (Omit<Packet, 'sequence'> & { readonly sequence?: number }) | undefined;

/** Acknowledges uplinks, and answers polls with nothing. */
export const IDLE_SERVER: Server = ({ flags, data }) => {
  if (flags & POLL) return { flags: FIRST | LAST, data: NOTHING };
  return data.length > 0 ? { flags: ACK, data: NOTHING } : undefined;
};

/** A device with the modem of the measurements whose session is set up with a server that the test scripts. */
export async function scripted(options: Partial<TestDeviceOptions> = {}) {
  const wire = wireOf(options);
  const sent: { at: Instant; packet: Packet }[] = [];
  const serve: { by: Server } = { by: IDLE_SERVER };
  const live = testDevice({
    modemTimings: MEASURED,
    network: (datagram, answer) => {
      const packet = packetIn(datagram, wire);
      sent.push({ at: live.clock.now, packet });
      const reply = serve.by(packet);
      if (reply) answer(datagramOf({ sequence: packet.sequence + 1, ...reply }, SERIAL, TOKEN, wire));
    },
    ...options,
    config: [...quiet(options.profile), ...(options.config ?? [])],
  });
  const run = (time: Millis) => live.clock.runUntil(live.clock.now + time);
  const session: Server = (packet) => {
    if (packet.data[0] === 0) return { flags: ACK | POLL, data: NOTHING };
    return packet.flags & POLL ? { flags: FIRST | LAST, data: SET_SESSION } : IDLE_SERVER(packet);
  };
  return {
    ...live,
    serve,
    run,
    session,
    /** Packets since the last call. */
    sent: (): readonly Packet[] => sent.splice(0).map(({ packet }) => packet),
    /** Switches the device on, sets the session up and sends the first report. */
    async start(): Promise<void> {
      serve.by = session;
      live.device.powerOn();
      await run(seconds(60));
      serve.by = IDLE_SERVER;
      sent.length = 0;
    },
  };
}

const SET_SESSION = encodeDown({
  kind: 'set-session',
  sessionId: 1,
  timestamp: 1_772_000_000,
  deviceId: '0197a3b1-0000-7000-8000-000000000001',
  deviceName: 'bench',
});

/** The bench of `measured`. At the zero of the test, while the device sleeps, the coverage is cut. */
export async function unplugged(options: MeasuredOptions = {}) {
  const bench = await measured(options);
  bench.zero();
  bench.device.radio(false);
  return bench;
}

/** hio devices are the only ones that always send raw datagrams. */
function wireOf({ profile }: Partial<TestDeviceOptions>): EnvelopeFormat {
  return profile === 'hio-node' ? 'raw' : 'base64';
}

/** Begin and end of every attach window. */
export function windows(phases: readonly Phase[]): readonly Millis[] {
  return phases.filter(({ state }) => state === 'attach').flatMap(({ at, lasted }) => [at, at + lasted]);
}

const LONG: ReadonlySet<LteFsmState> = new Set(['attach', 'retry_delay', 'error', 'reset_loop', 'sleep']);

/** The states that the modem stays in, without those that it passes through. */
export function path(phases: readonly Phase[]): readonly LteFsmState[] {
  return phases.map(({ state }) => state).filter((state) => LONG.has(state));
}

/** Lengths of the phases of a state, in seconds. */
export function lengths(phases: readonly Phase[], of: LteFsmState): readonly number[] {
  return phases.filter(({ state }) => state === of).map(({ lasted }) => Math.round(lasted / 1000));
}

/** Expects every time to be within a second of the measured time. */
export function expectTimes(times: readonly Millis[], measuredSeconds: readonly number[]): void {
  const rounded = times.map((at) => Math.round(at / 100) / 10);
  const close =
    times.length === measuredSeconds.length &&
    times.every((at, i) => Math.abs(at / 1000 - (measuredSeconds[i] ?? 0)) <= 1);
  expect(close ? measuredSeconds : rounded).toEqual(measuredSeconds);
}

/** Makes a report now, as the button does. */
export function report(device: Device): void {
  device.shell('send');
}
