/** A virtual device on a virtual clock. The test receives its datagrams. */
import { Device } from '../../src/device/device.js';
import { POLICIES } from '../../src/device/family/index.js';
import type { SendRequest } from '../../src/device/modem/pending-send.js';
import type { ModemBoard } from '../../src/device/modem/state.js';
import { ASSUMED_TIMINGS, type ModemTimings } from '../../src/device/modem/timing.js';
import { deviceType } from '../../src/device/type/device-type.js';
import type { Clock } from '../../src/kernel/clock.js';
import { seededRandom } from '../../src/kernel/random.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { Profile } from '../../src/profile/profile.js';
import {
  type Datagram,
  type EnvelopeFormat,
  hasValidTag,
  type LinkFormat,
  open,
  seal,
  tokenBytes,
} from '../../src/protocol/flap/envelope.js';
import type { Packet } from '../../src/protocol/flap/packet.js';
import { makeFlashSettings } from '../../src/runner/world/flash-settings.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { SERIAL, TOKEN } from './cloud.js';

const profiles = packagedProfiles();

export interface TestDeviceOptions {
  readonly clock?: VirtualClock;
  readonly profile?: string;
  readonly config?: readonly string[];
  readonly seed?: string;
  readonly events?: TraceEvent[];
  readonly format?: LinkFormat;
  readonly serial?: number;
  /** Durations of the modem and of its network. */
  readonly modemTimings?: ModemTimings;
  /** Called whenever the device has a new socket. */
  readonly reopen?: (server?: number, started?: boolean) => void;
  /** Called whenever the modem loses its RAM. */
  readonly reset?: () => void;
  /** Returns the device type to use in place of the packaged one. */
  readonly change?: (profile: Profile) => Profile;
  /** Called for each datagram that the device sends; `answer` delivers a datagram to the device after 1 ms. */
  readonly network: (datagram: Datagram, answer: (datagram: Datagram) => void) => void;
}

export interface TestDevice {
  readonly clock: VirtualClock;
  readonly device: Device;
  readonly events: TraceEvent[];
  /** The events of this kind. */
  of<K extends TraceEvent['kind']>(kind: K): readonly Extract<TraceEvent, { readonly kind: K }>[];
}

export function testDevice(options: TestDeviceOptions): TestDevice {
  const { clock = new VirtualClock(), profile = 'clime', config = [], seed = 'test', events = [] } = options;
  const { format = 'base64', serial = SERIAL, change = (known) => known } = options;
  const known = profiles.get(profile);
  if (known === undefined) throw new Error(`no profile ${profile}`);
  const type = deviceType(change(known), options.modemTimings);
  const device = new Device({
    type,
    serial,
    claimToken: TOKEN,
    flash: makeFlashSettings(type.layout, [
      ...(type.layout.find('app', 'mode') ? ['app config mode lte'] : []),
      ...config,
    ]),
    world: { clock, trace: { emit: (event) => events.push(event) } },
    random: seededRandom(seed),
    format,
    connect: (device) => ({
      send: (datagram) => options.network(datagram, (answer) => clock.after(1, 'answer', () => device.receive(answer))),
      reopen: options.reopen ?? (() => {}),
      reset: options.reset ?? (() => {}),
    }),
  });
  return {
    clock,
    device,
    events,
    // The cast is needed because `filter` does not narrow the type by a generic kind.
    of: (kind) => events.filter((event) => event.kind === kind) as never,
  };
}

/** The packet in a datagram of the device. */
export function packetIn(datagram: Datagram, format: EnvelopeFormat = 'base64'): Packet {
  const envelope = open(datagram, format);
  if (envelope === undefined || !hasValidTag(envelope, tokenBytes(TOKEN))) throw new Error('not a valid datagram');
  return { ...envelope.packet, data: Uint8Array.from(envelope.packet.data) };
}

/** A datagram for the device. */
export function datagramOf(
  packet: Packet,
  serial = SERIAL,
  token = TOKEN,
  format: EnvelopeFormat = 'base64',
): Uint8Array {
  return seal(packet, serial, tokenBytes(token), format);
}

/** A request to send, for tests of the modem alone. It waits for no answer; `left` is called when the datagram is sent. */
export function sending(left: () => void = () => {}): SendRequest {
  return { listens: false, releases: false, transmit: left, listening: () => {}, ended: () => {} };
}

/** A board for tests of the modem alone, whose supply never breaks down. @param change members to replace */
export function testBoard(clock: Clock, change: Partial<ModemBoard> = {}): ModemBoard {
  return {
    clock,
    modemTimings: ASSUMED_TIMINGS,
    policy: POLICIES.chester,
    attachPolicy: () => 'periodic-2h',
    spent: () => {},
    paused: () => {},
    unixTime: () => 0,
    faded: () => {},
    socketOpened: () => {},
    switchedOff: () => {},
    feedRadio: () => true,
    ...change,
  };
}
