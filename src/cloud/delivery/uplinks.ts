/**
 * Stores uplink messages. One commit stores the message, changes its device, marks the downlinks that the message answers, and
 * queues the downlinks that the cloud sends in response (wire W-35 to W-39; cloud C-31).
 */
import { noteConfig, noteContact } from '../../contract/health.js';
import { isBytes } from '../../kernel/bytes.js';
import type { Clock } from '../../kernel/clock.js';
import { containsConfig, readReported } from '../../kernel/config-lines.js';
import type { Log } from '../../kernel/log.js';
import { hours } from '../../kernel/time.js';
import type { Codec } from '../../protocol/codec.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import { type DecodedData, firmwareJson } from '../../protocol/http/uplinks.js';
import {
  type CreateSession,
  MessageError,
  parseUp,
  type UploadData,
  type UploadFirmware,
  type UpMessage,
} from '../../protocol/messages/index.js';
import { uuidText } from '../../protocol/uuid.js';
import type { Trace, UplinkType } from '../../trace/events.js';
import type { UpdateJob } from '../firmware/job.js';
import type { Updates } from '../firmware/updates.js';
import type { Forwarding } from '../interfaces/forwarding.js';
import { EncodedBody } from '../store/encoded-body.js';
import type { Ids } from '../store/ids.js';
import { inOrder } from '../store/in-order.js';
import { newMessage } from '../store/new-message.js';
import { untilUndisturbed } from '../store/records.js';
import {
  type Change,
  ConflictError,
  type DeviceChange,
  type DeviceRow,
  type Id,
  type MessageRow,
  type Store,
} from '../store/store.js';
import type { Codecs } from './codecs.js';
import { currentRules } from './current-rules.js';
import type { DeviceSession } from './device-session.js';
import type { SessionBody } from './down-messages.js';

/** How long a repeated data message is recognised as a copy (wire W-39). */
const COPY_WINDOW = hours(48);

/** Seconds by which the clock of a device may be late just after the start of its session. */
const CLOCK_ERROR = 2;

/** The id of an earlier data message with this fingerprint, for a run that judges copies; undefined if none or not needed. */
export type EarlierCopy = (device: DeviceRow, fingerprint: string) => Promise<Id | undefined> | undefined;

interface UplinkHandlerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly trace: Trace;
  readonly log: Log;
  readonly codecs: Codecs;
  readonly updates: Updates;
  readonly forwarding?: Forwarding | undefined;
  readonly earlierCopy?: EarlierCopy | undefined;
}

/** A message as it arrives: bytes, or what JSON has in another form: numbers of modem and SIM keep their zeros as text. */
export type Received = Uint8Array | DecodedData | CreateSession;

/** How a message has arrived. */
export interface Arrival {
  /** Fingerprint of the request, by which a repetition is recognised. Default: the message has its own fingerprint. */
  readonly request?: string | null;
  /** Number of packets, of which each has a signature of its own. Default 1. */
  readonly parts?: number;
  /** Set if its sender may be another one with a recording (gateway/replay-guard.ts). */
  readonly from?: 'guest' | 'visitor' | 'doubted home' | undefined;
  /** Called if its content proves that the device has sent it now. */
  readonly onProof?: (() => void) | undefined;
}

/** Consequences of a stored uplink. */
interface UplinkResult {
  readonly type: UplinkType;
  /** Downlinks that the cloud has queued in response; already stored. */
  readonly queue: readonly MessageRow[];
  /** The firmware update that the uplink has changed. */
  readonly update: UpdateJob | undefined;
}

/** Everything that is committed for one uplink. */
interface PreparedUplink extends UplinkResult {
  readonly row: MessageRow;
  readonly device: DeviceChange;
  readonly changes: readonly Change[];
  /** Ids of the downlinks that, as this message proves, the device has carried out. */
  readonly answers: readonly string[];
  /** New value of the session's `configUnchecked`; undefined: unchanged. */
  readonly configUnchecked: boolean | undefined;
}

/** Content of a data message: the decoded body, or the raw bytes in hex if it could not be decoded. */
interface Content {
  readonly body: unknown;
  readonly codecHash: string | null;
  readonly raw: string | null;
}

type Extras = Omit<PreparedUplink, 'type' | 'row'>;

export class UplinkHandler {
  readonly #options: UplinkHandlerOptions;

  constructor(options: UplinkHandlerOptions) {
    this.#options = options;
  }

  /**
   * Commits a message and its consequences. Returns 'refused' for a malformed or unacceptable message, and 'copy' if it is
   * stored already.
   * @throws ConflictError `device` if the device has been deleted
   */
  async accept(
    session: DeviceSession,
    message: Received,
    arrival: Arrival,
  ): Promise<UplinkResult | 'copy' | 'refused'> {
    const { log } = this.#options;
    try {
      const parsed = isBytes(message) ? parseUp(message) : message;
      const isUnproven = arrival.from === 'guest' || arrival.from === 'visitor';
      if (isUnproven && isKnown(session, parsed)) return 'copy';
      return await this.#untilUndisturbed(session, async () => {
        // Most messages are prepared without waiting; an `await` would cost memory until the commit is durable.
        const preparing = this.#prepare(session, parsed, message);
        const prepared = preparing instanceof Promise ? await preparing : preparing;
        const { row } = prepared;
        const { from, onProof } = arrival;
        const request = arrival.request ?? (isUnproven ? unprovenFingerprint(session, parsed, message) : null);
        const uplink = request === null ? prepared : { ...prepared, row: { ...row, fingerprint: request } };
        const content = from && (await this.#judge(session, row, arrival));
        if (content === 'copy' && isUnproven) return 'copy';
        if (!(await this.#write(session, uplink))) return 'copy';
        if (content === 'new') onProof?.();
        return uplink;
      });
    } catch (error) {
      if (!(error instanceof MessageError)) throw error;
      log.warn({ serial: session.device.serial, why: error.message }, 'uplink rejected');
      return 'refused';
    }
  }

  /** Repeats `work` if a concurrent change was committed first, or if a message of the device was out of sequence. */
  #untilUndisturbed<T>(session: DeviceSession, work: () => Promise<T>): Promise<T> {
    const options = this.#options;
    return untilUndisturbed(work, {
      order: inOrder(options, session.device.id),
      rules: currentRules(options, session),
    });
  }

  /** Returns false if the message is a copy of a stored one. */
  async #write(session: DeviceSession, uplink: PreparedUplink): Promise<boolean> {
    const { store, clock, trace, codecs, forwarding, earlierCopy } = this.#options;
    const { row } = uplink;
    const { serial } = session.device;
    const now = clock.wall;
    const change: DeviceChange = { lastSeen: now, ...noteContact(session.device, now), ...uplink.device };
    const deciding = forwarding?.deliveries(session.device, row);
    const forwarded = deciding instanceof Promise ? await deciding : deciding;
    const searching =
      uplink.type === 'data' && row.fingerprint !== null ? earlierCopy?.(session.device, row.fingerprint) : undefined;
    const again = searching && (await searching);
    try {
      await store.commit([
        // This change is first, so that the commit rejects a copy before it writes anything else.
        { kind: 'message.insert', row, newSince: now - COPY_WINDOW },
        ...uplink.changes,
        ...uplink.queue.map((downlink): Change => ({ kind: 'message.insert', row: downlink })),
        { kind: 'device.change', id: session.device.id, change },
        ...uplink.answers.flatMap((id): Change[] => [
          { kind: 'message.answered', id, at: now },
          { kind: 'timeline.add', row: { messageId: id, at: now, what: 'answered', detail: row.id } },
        ]),
        ...(forwarded?.changes ?? []),
      ]);
    } catch (error) {
      if (!(error instanceof ConflictError && error.field === 'fingerprint' && row.fingerprint !== null)) throw error;
      const original = await store.copyOf(session.device.id, row.fingerprint, now - COPY_WINDOW);
      const message = original ?? row.id;
      trace.emit({ kind: 'cloud.stored', at: clock.now, serial, type: uplink.type, message, copy: true });
      return false;
    }
    if (forwarded?.isWanted) forwarding?.wake();
    for (const written of uplink.changes) if (written.kind === 'codec.put') codecs.stored(written.row.hash);
    session.device = { ...session.device, ...change };
    session.configUnchecked = uplink.configUnchecked ?? session.configUnchecked;
    const at = clock.now;
    trace.emit({
      kind: 'cloud.stored',
      at,
      serial,
      type: uplink.type,
      message: row.id,
      copy: false,
      ...(again !== undefined && { again }),
    });
    for (const downlink of uplink.answers) trace.emit({ kind: 'downlink.answered', at, serial, downlink });
    return true;
  }

  /**
   * Whether this content is new: then it cannot come from a recording of earlier datagrams. Whether it was received is not
   * enough, because earlier messages may have been deleted, and packets of several messages make one that was never sent. So it
   * must be from the present session, to which the clock of the device was set, and that of a visitor from after its other data.
   */
  async #judge(
    session: DeviceSession,
    { fingerprint, body }: MessageRow,
    { parts = 1, from }: Arrival,
  ): Promise<'new' | 'copy' | 'old'> {
    const { store } = this.#options;
    const { device } = session;
    if (fingerprint === null) return 'old';
    if ((await store.copyOf(device.id, fingerprint, 0)) !== undefined) return 'copy';
    const made = readTimestamp(body);
    // Otherwise, a device without a clock could never prove a new address.
    if (made === undefined) return 'new';
    const latest = from === 'visitor' ? await this.#findLatest(session) : 0;
    session.latestMade = Math.max(latest, session.latestMade ?? 0, made);
    if (made < (device.sessionId ?? 0) - CLOCK_ERROR) return 'old';
    return made > latest || (made === latest && parts === 1) ? 'new' : 'old';
  }

  /** The device's time of its latest data: of those stored last, but these may be old data of an unproven address. */
  async #findLatest({ device, latestMade = 0 }: DeviceSession): Promise<number> {
    const newest = { deviceId: device.id, types: ['data'], direction: 'up', limit: 1 } as const;
    const [before] = await this.#options.store.messages(device.spaceId, newest);
    const made = before === undefined ? (device.lastSeen ?? 0) / 1000 : (readTimestamp(before.body) ?? 0);
    return Math.max(made, latestMade);
  }

  /** @param received the bytes or the JSON from which `message` was parsed */
  #prepare(
    session: DeviceSession,
    message: UpMessage | DecodedData,
    received: Received,
  ): PreparedUplink | Promise<PreparedUplink> {
    switch (message.kind) {
      case 'create-session':
        return this.#takeSession(session, message);
      case 'upload-config':
        return this.#takeConfig(session, message);
      case 'upload-decoder':
      case 'upload-encoder':
        return this.#takeCodec(session, message);
      case 'upload-data':
        return this.#takeEncodedData(session, computeFingerprint(received), message);
      case 'decoded-data':
        return this.#takeData(session, computeFingerprint(received), {
          body: message.body,
          codecHash: null,
          raw: null,
        });
      case 'upload-shell':
        return this.#takeShell(session, message);
      case 'upload-stats':
        return prepareUplink('stats', this.#makeRow(session, 'stats', message.stats));
      case 'upload-firmware':
        return this.#takeFirmware(session, message);
      case 'get-timestamp': {
        const { clock, ids } = this.#options;
        const row = this.#makeRow(session, 'session', null);
        const answer = newMessage(ids, clock, session.device, 'down', 'timestamp', null);
        return prepareUplink('session', row, { queue: [answer] });
      }
      default:
        return message satisfies never;
    }
  }

  async #takeSession(
    session: DeviceSession,
    message: Extract<UpMessage, { kind: 'create-session' }>,
  ): Promise<PreparedUplink> {
    const { clock, ids, updates } = this.#options;
    const { device } = session;
    const second = Math.floor(clock.wall / 1000);
    const sessionId = second === device.sessionId ? second + 1 : second;
    const row = this.#makeRow(session, 'session', message.session);
    const body: SessionBody = {
      session_id: sessionId,
      decoder_hash: device.decoderHash,
      encoder_hash: device.encoderHash,
      config_hash: device.configHash,
      device_id: device.id,
      device_name: device.name,
    };
    const answer = newMessage(ids, clock, device, 'down', 'session', body);
    const step = await updates.sessionBegan(device, message.session);
    return prepareUplink('session', row, {
      device: { sessionId, session: message.session },
      changes: step?.changes ?? [],
      queue: [answer, ...(step?.queue ?? [])],
      update: step?.job,
      configUnchecked: true,
    });
  }

  async #takeFirmware(session: DeviceSession, message: UploadFirmware): Promise<PreparedUplink> {
    const row = this.#makeRow(session, 'firmware', firmwareJson(message));
    const { changes = [], queue = [], job } = (await this.#options.updates.reported(session.device, message)) ?? {};
    return prepareUplink('firmware', row, { changes, queue, update: job });
  }

  async #takeConfig(
    session: DeviceSession,
    message: Extract<UpMessage, { kind: 'upload-config' }>,
  ): Promise<PreparedUplink> {
    const answers = await this.#findProvedConfigs(session, () => message.lines);
    const row = this.#makeRow(session, 'config', message.lines);
    const device = { configHash: message.hash, ...noteConfig(session.device, message.lines) };
    return prepareUplink('config', row, { device, answers, configUnchecked: false });
  }

  async #takeCodec(
    session: DeviceSession,
    message: Extract<UpMessage, { kind: 'upload-decoder' | 'upload-encoder' }>,
  ): Promise<PreparedUplink> {
    const { hash, document } = message;
    const type = message.kind === 'upload-decoder' ? 'decoder' : 'encoder';
    const row = this.#makeRow(
      session,
      type,
      { hash, ...this.#options.codecs.makeTitle(type, hash, document) },
      { codecHash: hash },
    );
    const device = type === 'decoder' ? { decoderHash: hash } : { encoderHash: hash };
    const changes = await this.#options.codecs.prepareStoring(session.device, { hash, document });
    return prepareUplink('codec', row, { device, changes });
  }

  #takeData(
    session: DeviceSession,
    fingerprint: string | null,
    content: Content,
  ): PreparedUplink | Promise<PreparedUplink> {
    const { body, codecHash, raw } = content;
    const row = this.#makeRow(session, 'data', body, { codecHash, raw, fingerprint });
    const uplink = prepareUplink('data', row, { configUnchecked: false });
    if (session.update?.unproven) return this.#disproveUpdate(session, uplink);
    return this.#noteStart(session, uplink);
  }

  #noteStart(session: DeviceSession, uplink: PreparedUplink): PreparedUplink | Promise<PreparedUplink> {
    // Application data show that the start of the device is complete. Before its data, the device would have uploaded a changed
    // configuration. So the last configuration that it reported is still valid.
    return session.configUnchecked ? this.#proveConfigs(session, uplink) : uplink;
  }

  #takeEncodedData(
    session: DeviceSession,
    fingerprint: string | null,
    data: UploadData,
  ): PreparedUplink | Promise<PreparedUplink> {
    const codec = this.#options.codecs.get(data.hash, session.device.id);
    if (!(codec instanceof Promise)) return this.#decodeWithCodec(session, fingerprint, data, codec);
    return codec.then((read) => this.#decodeWithCodec(session, fingerprint, data, read));
  }

  #decodeWithCodec(
    session: DeviceSession,
    fingerprint: string | null,
    { hash, body }: UploadData,
    codec: Codec | undefined,
  ): PreparedUplink | Promise<PreparedUplink> {
    try {
      if (codec)
        return this.#takeData(session, fingerprint, { body: new EncodedBody(codec, body), codecHash: hash, raw: null });
    } catch {
      // A body that cannot be decoded is stored as raw bytes (wire W-64).
    }
    return this.#takeData(session, fingerprint, {
      body: null,
      codecHash: hash,
      raw: Buffer.from(body).toString('hex'),
    });
  }

  async #disproveUpdate(session: DeviceSession, uplink: PreparedUplink): Promise<PreparedUplink> {
    const { changes = [], job } = (await this.#options.updates.dataArrived(session.device)) ?? {};
    return this.#noteStart(session, { ...uplink, changes, update: job });
  }

  async #proveConfigs(session: DeviceSession, uplink: PreparedUplink): Promise<PreparedUplink> {
    return { ...uplink, answers: await this.#findProvedConfigs(session, () => this.#findLastConfig(session)) };
  }

  async #takeShell(
    session: DeviceSession,
    message: Extract<UpMessage, { kind: 'upload-shell' }>,
  ): Promise<PreparedUplink> {
    const messageId = uuidText(message.messageId);
    const responses = message.responses.map(({ command, result, lines }) => ({
      command,
      result,
      // The firmware puts an empty output line at the start of the following line (wire W-56).
      outputs: lines.map((line) => line.replace(/^[\r\n]+/, '')),
    }));
    const row = this.#makeRow(session, 'shell', { message_id: messageId, responses });
    const open = await this.#options.store.unansweredDownlinks(session.device.id);
    // The response may arrive before the confirmation of its command, which is then still in flight.
    const asked = [...open, ...session.queue.flatMap(({ row, attempt }) => (attempt > 0 ? [row] : []))].map(
      ({ id }) => id,
    );
    return prepareUplink('shell', row, { answers: asked.includes(messageId) ? [messageId] : [] });
  }

  /**
   * Ids of the config downlinks whose lines are all contained in the reported configuration.
   * @param report returns its lines; called only if a config downlink is open, because most boots of a fleet have none
   */
  async #findProvedConfigs(
    session: DeviceSession,
    report: () => readonly string[] | Promise<readonly string[]>,
  ): Promise<readonly string[]> {
    const open = (await this.#options.store.unansweredDownlinks(session.device.id)).filter(
      ({ type }) => type === 'config',
    );
    if (open.length === 0) return [];
    const settings = readReported(await report());
    return open.filter(({ body }) => containsConfig(settings, body as readonly string[])).map(({ id }) => id);
  }

  async #findLastConfig(session: DeviceSession): Promise<readonly string[]> {
    const { id, spaceId } = session.device;
    const query = { deviceId: id, types: ['config'], direction: 'up', limit: 1 } as const;
    const [last] = await this.#options.store.messages(spaceId, query);
    return (last?.body as readonly string[] | undefined) ?? [];
  }

  #makeRow(
    session: DeviceSession,
    type: string,
    body: unknown,
    more: Parameters<typeof newMessage>[6] = {},
  ): MessageRow {
    return newMessage(this.#options.ids, this.#options.clock, session.device, 'up', type, body, more);
  }
}

function prepareUplink(
  type: UplinkType,
  row: MessageRow,
  { device = {}, changes = [], queue = [], update, answers = [], configUnchecked }: Partial<Extras> = {},
): PreparedUplink {
  return { type, row, device, changes, queue, update, answers, configUnchecked };
}

/** Whether this configuration or codec is the last upload, which a device repeats only for a lost acknowledgement. */
function isKnown({ device }: DeviceSession, message: UpMessage | DecodedData): boolean {
  switch (message.kind) {
    case 'upload-config':
      return message.hash === device.configHash;
    case 'upload-decoder':
      return message.hash === device.decoderHash;
    case 'upload-encoder':
      return message.hash === device.encoderHash;
    default:
      return false;
  }
}

/**
 * Fingerprint of a message other than data from an unproven address: it is stored once, until the configuration changes. Null for
 * what needs an answer each time.
 */
function unprovenFingerprint(
  { device }: DeviceSession,
  { kind }: UpMessage | DecodedData,
  message: Received,
): string | null {
  if (!isBytes(message) || kind === 'upload-data' || kind === 'create-session' || kind === 'get-timestamp') return null;
  return contentFingerprint(`${device.configHash} ${Buffer.from(message).toString('hex')}`);
}

/** The device's time of a data message in seconds; undefined if it has none, or its clock was not set. */
function readTimestamp(body: unknown): number | undefined {
  const { message } = (body instanceof EncodedBody ? body.toJSON() : (body ?? {})) as { readonly message?: unknown };
  const { timestamp } = (message ?? {}) as { readonly timestamp?: unknown };
  return typeof timestamp === 'number' && timestamp > 0 ? timestamp : undefined;
}

/**
 * Fingerprint by which a repeated data message is recognised. The firmware puts a sequence number and a timestamp into each
 * body. The result is null for a JSON body with neither, because two such messages may legitimately be equal. A timestamp of 0
 * comes from a clock that is not set, so it distinguishes no messages.
 */
function computeFingerprint(message: Received): string | null {
  if (isBytes(message)) return contentFingerprint(message);
  if (message.kind !== 'decoded-data') return null;
  const { message: head } = message.body;
  if (typeof head !== 'object' || head === null) return null;
  const { sequence = null, timestamp = null } = head as { readonly sequence?: unknown; readonly timestamp?: unknown };
  const isDated = sequence !== null || (timestamp !== null && timestamp !== 0);
  return isDated ? contentFingerprint(JSON.stringify(message.body)) : null;
}
