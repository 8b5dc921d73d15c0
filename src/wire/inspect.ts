/** The dialogues of devices with the cloud in a capture, also in one of real devices. */
import { isCalendarTime } from '../kernel/calendar.js';
import type { Millis, UnixMillis } from '../kernel/time.js';
import {
  type Envelope,
  type EnvelopeFormat,
  hasValidTag,
  open,
  type PacketFormat,
  USUAL_PORTS,
} from '../protocol/flap/envelope.js';
import { ACK, decodePacket, FIRST, keepPacket, LAST, type Packet, POLL, samePacket } from '../protocol/flap/packet.js';
import { parseDown, TYPE } from '../protocol/messages/index.js';
import type { Endpoint } from './addresses.js';
import { FORMATS, INTERFACE, TIMES_FROM } from './capture.js';
import type { Entry } from './dialogue-text.js';
import { DtlsReader } from './dtls-reader.js';
import { SHORT, type UdpDatagram, udpIn } from './link-layers.js';
import { BrokenCapture, type Captured, type CapturedPacket } from './read-capture.js';

export interface InspectOptions {
  /** Claim tokens to check the tags of envelopes; each device has the one that fits. */
  readonly tokens: readonly Uint8Array[];
  /** Pre-shared keys of devices with DTLS. */
  readonly secrets: readonly Uint8Array[];
}

/** A device in a capture. */
export interface InspectedDevice {
  readonly serial: number;
  /** From the session, or from the comments of our own captures; undefined if neither is in the capture. */
  readonly name: string | undefined;
  readonly format: PacketFormat;
  readonly entries: readonly Entry[];
  /** `unfit`: tokens were given, but none is that of the device, so no tag was checked. */
  readonly tags: 'checked' | 'unchecked' | 'unfit';
}

export interface Inspection {
  /** In the order of their first packets. */
  readonly devices: readonly InspectedDevice[];
  /** Calendar time from which the times of the entries count; undefined if no packet has a time. */
  readonly start: UnixMillis | undefined;
  /** Whether {@link start} is the start of a run, rather than the earliest packet. */
  readonly isOfRun: boolean;
  /** Packets in the capture, of any kind. */
  readonly packets: number;
  /** Packets that are in no dialogue, by what they are. */
  readonly others: ReadonlyMap<string, number>;
  /** Why the capture is not whole; undefined if it is. */
  readonly broken: string | undefined;
  /** Packets whose time the capture does not say, or says beyond the calendar. They have the time of the packet before. */
  readonly timeless: number;
}

const CUT = 'datagrams that the capture has cut off (tcpdump -s 0 keeps them whole)';
const FRAGMENTED = 'datagrams in fragments of IP, which are not joined';
/** Packets in {@link Inspection.others} that may be missing in a dialogue. */
const GAPS = [CUT, FRAGMENTED] as const;

/** Why dialogues are not whole, in clauses; none if they are. */
export function gapsIn({ broken, others }: Pick<Inspection, 'broken' | 'others'>): readonly string[] {
  return [
    ...(broken === undefined ? [] : [`${broken}; the result covers only what comes before`]),
    ...GAPS.flatMap((what) => (others.has(what) ? [`without ${others.get(what)} ${what}`] : [])),
  ];
}

/** The formats by the usual ports of the cloud. */
const PORTS: ReadonlyMap<number, PacketFormat> = new Map(FORMATS.map((format) => [USUAL_PORTS[format], format]));

/** Reads all packets. @throws UsageError like `readCapture` */
export function inspectCapture(captured: Iterable<Captured>, options: InspectOptions): Inspection {
  const reader = new Reader(options);
  let broken: string | undefined;
  try {
    for (const item of captured) reader.take(item);
  } catch (error) {
    if (!(error instanceof BrokenCapture)) throw error;
    broken = error.message;
  }
  return { ...reader.result(), broken };
}

/** A single datagram. @param bytes an envelope, raw or as base64 text */
export function inspectDatagram(bytes: Uint8Array, { tokens }: InspectOptions): InspectedDevice | undefined {
  const format = (['base64', 'raw'] as const).find((each) => open(bytes, each) !== undefined);
  const envelope = format && open(bytes, format);
  if (format === undefined || envelope === undefined) return undefined;
  const device = new Device(envelope.serial, format, tokens);
  const sent = { at: 0, way: guessWay(envelope.packet), packet: envelope.packet, size: bytes.length };
  device.add({ ...sent, passage: undefined }, envelope);
  return device.result(0);
}

interface Seen {
  readonly at: UnixMillis;
  readonly way: 'up' | 'down';
  readonly packet: Packet;
  readonly size: number;
  /** The token that fits; undefined for DTLS, which has no tags. */
  readonly token: Uint8Array | undefined;
  /** Undefined if the datagram is certainly no copy of another one. */
  readonly passage: Passage | undefined;
}

/** What is different if a host has sent the same datagram twice, rather than passed it on. */
interface Passage {
  /** Addresses and ports of both ends. */
  readonly ends: string;
  /** Identification of the IP packet; 0 if it has none. */
  readonly id: number;
}

/** Whether a datagram is the same as `first`, and a machine has captured it on another interface. */
function isCopy(seen: Seen, first: Seen): boolean {
  if (seen.at - first.at > AT_ONCE || seen.way !== first.way || !seen.passage || !first.passage) return false;
  // A host that sends a datagram again gives it another identification. A router keeps it, but a proxy changes the addresses, too.
  if (seen.passage.ends === first.passage.ends && seen.passage.id !== first.passage.id) return false;
  return samePacket(keepPacket(first.packet), keepPacket(seen.packet));
}

/** Most datagrams between two copies of one. */
const MOST_BETWEEN = 16;

class Device {
  readonly serial: number;
  /** From the comments. */
  name: string | undefined;
  #nameInSession: string | undefined;
  readonly #format: PacketFormat;
  readonly #tokens: readonly Uint8Array[];
  #seen: (Seen | { readonly at: UnixMillis; readonly text: string })[] = [];

  constructor(serial: number, format: PacketFormat, tokens: readonly Uint8Array[]) {
    this.serial = serial;
    this.#format = format;
    this.#tokens = tokens;
  }

  note(at: UnixMillis, text: string): void {
    this.#seen.push({ at, text });
  }

  /** @param envelope undefined for DTLS */
  add(sent: Omit<Seen, 'token'>, envelope: Envelope | undefined): void {
    const { way, packet } = sent;
    const token = envelope && this.#tokens.find((each) => hasValidTag(envelope, each));
    // A copy: the data share the memory of the piece of the file.
    this.#seen.push({ ...sent, token, packet: { ...packet, data: Uint8Array.from(packet.data) } });
    if (way === 'down') this.#nameInSession ??= nameIn(packet);
  }

  /** Puts the packets into the order of time, and removes copies from other interfaces. Returns the number of copies. */
  settle(): number {
    const sorted = [...this.#seen].sort((a, b) => a.at - b.at);
    const last: Seen[] = [];
    this.#seen = sorted.filter((each) => {
      if (!('packet' in each)) return true;
      if (last.some((first) => isCopy(each, first))) return false;
      last.push(each);
      if (last.length > MOST_BETWEEN) last.shift();
      return true;
    });
    return sorted.length - this.#seen.length;
  }

  result(start: UnixMillis): InspectedDevice {
    const own = this.#seen.flatMap((each) => ('token' in each && each.token) || []).at(0);
    const entries = this.#seen.map((each): Entry => {
      const at = each.at - start;
      if ('text' in each) return { kind: 'note', at, text: each.text };
      const { way, packet, size, token } = each;
      return { kind: 'packet', at, way, packet, size, isForged: own !== undefined && token !== own };
    });
    const unchecked = this.#tokens.length === 0 || this.#format === 'dtls';
    const tags = own !== undefined ? 'checked' : unchecked ? 'unchecked' : 'unfit';
    return { serial: this.serial, name: this.#nameInSession ?? this.name, format: this.#format, entries, tags };
  }
}

/** Time in which a packet passes the interfaces of a machine. Devices wait for seconds before they send it again. */
const AT_ONCE: Millis = 100;

/** The name in a session that consists of one fragment, as it usually does. */
function nameIn({ flags, data }: Packet): string | undefined {
  if (flags >> 2 !== (FIRST | LAST) >> 2 || data[0] !== TYPE['set-session']) return undefined;
  try {
    const message = parseDown(data);
    return message.kind === 'set-session' ? message.deviceName : undefined;
  } catch {
    return undefined;
  }
}

class Reader {
  readonly #tokens: readonly Uint8Array[];
  readonly #dtls: DtlsReader;
  /** Encrypted records, by what is missing to read them. */
  readonly #locked: Readonly<Record<'key' | 'handshake', string>>;
  readonly #devices = new Map<number, Device>();
  readonly #others = new Map<string, number>();
  /** Sockets of the cloud with unusual ports, with the format of their datagrams. */
  readonly #clouds = new Map<string, PacketFormat>();
  #packets = 0;
  #first: UnixMillis | undefined;
  /** The time of the last packet that has one. */
  #last: UnixMillis = 0;
  #timeless = 0;
  #runStart: UnixMillis | undefined;

  constructor({ tokens, secrets }: InspectOptions) {
    this.#tokens = tokens;
    this.#dtls = new DtlsReader(secrets);
    this.#locked = {
      key: `encrypted records ${secrets.length === 0 ? 'without their keys (--secret)' : 'to which no --secret fits'}`,
      handshake: 'encrypted records whose handshake is not whole in the capture',
    };
  }

  take(item: Captured): void {
    if (item.kind === 'keys') this.#dtls.addKeys(item.keyLog);
    else if (item.kind === 'packet') this.#packet(item);
    else {
      const [, time] = new RegExp(`${TIMES_FROM} (\\S+)$`).exec(item.text) ?? [];
      const start = Date.parse(time ?? '');
      if (isCalendarTime(start)) this.#runStart = start;
    }
  }

  result(): Omit<Inspection, 'broken'> {
    const start = this.#runStart ?? this.#first;
    const copies = [...this.#devices.values()].reduce((sum, device) => sum + device.settle(), 0);
    if (copies > 0) this.#others.set('copies of datagrams from several interfaces', copies);
    return {
      devices: [...this.#devices.values()].map((device) => device.result(start ?? 0)),
      ...{ start, isOfRun: this.#runStart !== undefined, packets: this.#packets, others: this.#others },
      timeless: this.#timeless,
    };
  }

  #packet(captured: CapturedPacket): void {
    this.#packets++;
    const { at, isCut } = captured;
    if (at === undefined) this.#timeless++;
    else this.#first = Math.min(this.#first ?? at, at);
    this.#last = at ?? this.#last;
    const found = udpIn(captured.link, captured.bytes);
    if (typeof found === 'string') return this.#count(isCut && found === SHORT ? CUT : found);
    const format = this.#formatOf(found, captured.through);
    if (format === undefined) return this.#count('UDP datagrams of others');
    if (isCut) return this.#count(CUT);
    if (found.isFragmented) return this.#count(FRAGMENTED);
    if (format === 'dtls') this.#record(captured, found);
    else this.#envelope(captured, found, format);
  }

  #envelope(captured: CapturedPacket, udp: UdpDatagram, format: EnvelopeFormat): void {
    const envelope = open(udp.payload, format);
    if (envelope === undefined) return this.#count('unreadable datagrams');
    const { serial, packet } = envelope;
    const device = this.#deviceOf(serial, format, captured);
    const way = this.#wayOf(udp, packet, format);
    device.add({ ...this.#sent(captured, udp), way, packet }, envelope);
  }

  /** What the capture says about the way of a datagram. */
  #sent(
    { at, through }: CapturedPacket,
    { from, to, id, payload }: UdpDatagram,
  ): Pick<Seen, 'at' | 'size' | 'passage'> {
    // A capture of our own has each datagram once, as it was sent.
    const mayBeCopy = at !== undefined && !through?.startsWith(INTERFACE);
    const passage = mayBeCopy ? { ends: `${keyOf(from)} ${keyOf(to)}`, id } : undefined;
    return { at: this.#last, size: payload.length, passage };
  }

  #record(captured: CapturedPacket, udp: UdpDatagram): void {
    const { from, to, payload } = udp;
    const found = this.#dtls.read(keyOf(from), keyOf(to), payload);
    if (found === undefined) return this.#count('unreadable datagrams');
    if (found.length === 0) this.#count('datagrams of DTLS handshakes');
    for (const finding of found) {
      if (finding.kind === 'locked') this.#count(this.#locked[finding.lacks]);
      else {
        const device = this.#deviceOf(finding.serial, 'dtls', captured);
        const packet = finding.kind === 'plain' ? decodePacket(finding.plain) : undefined;
        if (finding.kind === 'handshake') device.note(this.#last, 'DTLS handshake');
        else if (packet === undefined) this.#count('unreadable datagrams');
        else device.add({ ...this.#sent(captured, udp), way: finding.way, packet }, undefined);
      }
    }
  }

  #deviceOf(serial: number, format: PacketFormat, { comment, through }: CapturedPacket): Device {
    const device = this.#devices.get(serial) ?? new Device(serial, format, this.#tokens);
    this.#devices.set(serial, device);
    const name = through?.startsWith(INTERFACE) ? comment?.split(', ')[0] : undefined;
    // A service does not know the name before the first packet.
    if (name !== String(serial)) device.name ??= name;
    return device;
  }

  /** Undefined for a datagram that is not one between a device and the cloud. */
  #formatOf({ from, to, payload }: UdpDatagram, through: string | undefined): PacketFormat | undefined {
    const own = through?.startsWith(INTERFACE) ? through.slice(INTERFACE.length) : undefined;
    return (
      FORMATS.find((format) => format === own) ??
      PORTS.get(to.port) ??
      PORTS.get(from.port) ??
      this.#clouds.get(keyOf(to)) ??
      this.#clouds.get(keyOf(from)) ??
      guessFormat(payload)
    );
  }

  /** The cloud is where the first datagram of a device goes to, unless its port is a usual one. */
  #wayOf({ from, to }: UdpDatagram, packet: Packet, format: PacketFormat): 'up' | 'down' {
    if (PORTS.has(to.port)) return 'up';
    if (PORTS.has(from.port)) return 'down';
    if (this.#clouds.has(keyOf(to))) return 'up';
    if (this.#clouds.has(keyOf(from))) return 'down';
    const way = guessWay(packet);
    // The acknowledgement of a fragment looks the same in both directions.
    if (packet.flags !== ACK) this.#clouds.set(keyOf(way === 'up' ? to : from), format);
    return way;
  }

  #count(what: string): void {
    this.#others.set(what, (this.#others.get(what) ?? 0) + 1);
  }
}

/** The format of a datagram between unusual ports; undefined if it looks like none. */
function guessFormat(payload: Uint8Array): PacketFormat | undefined {
  const [type = 0, major] = payload;
  // A record of DTLS 1.0 or 1.2.
  if (type >= 20 && type <= 25 && major === 0xfe) return 'dtls';
  return (['base64', 'raw'] as const).find((format) => isOfRealDevice(open(payload, format)?.serial ?? 0));
}

/** Whether a serial number is one of CHESTER-M or CHESTER-U1 (wire W-48). */
function isOfRealDevice(serial: number): boolean {
  return serial >= 0x8000_0000 && FAMILIES.has((serial >>> 20) & 0x3ff);
}

const FAMILIES: ReadonlySet<number> = new Set([0x00b, 0x00d]);

/** The direction of a packet on its own: types of downlinks begin at 0x80, and only devices poll (wire W-13, W-44). */
function guessWay({ flags, data }: Packet): 'up' | 'down' {
  if (flags & FIRST && data.length > 0) return (data[0] ?? 0) < 0x80 ? 'up' : 'down';
  if (data.length > 0) return flags & POLL ? 'down' : 'up';
  return flags === POLL ? 'up' : 'down';
}

function keyOf({ address, port }: Endpoint): string {
  return `${address}@${port}`;
}
