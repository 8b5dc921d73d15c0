/** A cloud other than the embedded one: its time is real, and the run deletes what it creates. */
import {
  type ClientOptions,
  type Device,
  DeviceCloudClient,
  type FirmwareUpdate,
  type Gate,
  isMessage,
  type Message,
  type NewDevice,
} from '../../client/client.js';
import { isMachineFailure } from '../../client/errors.js';
import type { EdgeClock } from '../../kernel/clock.js';
import { foreignJson, foreignNumber } from '../../kernel/json-text.js';
import type { Log } from '../../kernel/log.js';
import { RealClock } from '../../kernel/real-clock.js';
import type { Profile } from '../../profile/profile.js';
import { USUAL_PORTS } from '../../protocol/flap/envelope.js';
import type { DownlinkType, Trace } from '../../trace/events.js';
import { openHttp } from '../../transport/http.js';
import type { Failed, Transport } from '../../transport/transport.js';
import { TargetAudit } from './audit/audit.js';
import { openSockets } from './dtls-wire.js';
import { Observer } from './observer.js';
import type { Patience } from './paced.js';
import { openApi, type TargetCloud } from './remote-api.js';
import { SilentGateway } from './silent-gateway.js';
import type { Target } from './target.js';
import { TargetClock } from './target-clock.js';
import { isUndecidedError } from './undecided.js';

interface RemoteOptions {
  readonly cloud: TargetCloud;
  /** Texts that no error may show. Default: none besides the keys. */
  readonly secrets?: readonly string[] | undefined;
  /** Serial numbers of the devices of the run. */
  readonly serials: ReadonlySet<number>;
  /** Simulated milliseconds of the devices per real millisecond; the cloud's time is real. */
  readonly speed: number;
  /** Profiles of the devices, whose codecs the audit needs. */
  readonly profiles: Iterable<Profile>;
  readonly clock: EdgeClock;
  readonly trace: Trace;
  readonly failed: Failed;
  readonly patience: Patience;
  readonly log: Log;
}

/** Connects to another cloud. @throws UsageError if its API cannot be used */
export async function openRemoteTarget(options: RemoteOptions): Promise<Target> {
  const { cloud, serials, profiles, speed, clock, trace, patience } = options;
  // A real clock, because the time of the run stands still during the provisioning.
  const times = new TargetClock({ time: new RealClock(), run: clock, speed });
  const { options: usual, limit, openSpace, closeSpaces } = await openApi(cloud, times, patience, options.secrets);
  const own = { ...usual, gate: reportFailures(usual.gate, options.failed) };
  const opened = times.now;
  const audit = new TargetAudit(clock, profiles, speed, times);
  const observer = new Observer(clock, trace, serials, speed, audit, times);
  const api = new ReportingClient(own, observer, audit, times);
  const silent = new SilentGateway((sentence) => options.log.error({}, sentence));
  const wire = await openWire(options, silent);
  observer.follow(api);
  return {
    api,
    address: { baseUrl: cloud.api, apiKey: cloud.apiKey },
    openSpace,
    limit,
    accepted: (answer, asked) => {
      const message = parseMessage(answer);
      if (message) observer.noteQueued(message, { body: foreignJson(asked), asked: undefined, at: undefined });
      return message !== undefined;
    },
    wire,
    format: cloud.gateway === null ? 'http' : 'base64',
    speed,
    trace: observer,
    audit,
    clockOffset: () => times.offset,
    remarks: () => silent.sentences,
    outlivesRun: true,
    unsure: api.unsure,
    since: () => times.findStampBefore(opened),
    begin: () => {},
    end: () => {},
    lastLook: () => observer.takeLastLook(api, patience.signal),
    close: async () => {
      observer.stop();
      await wire.close();
      await Promise.all([api.close(), closeSpaces()]);
    },
  };
}

async function openWire(
  { cloud: { api, gateway }, clock, failed }: RemoteOptions,
  silent: SilentGateway,
): Promise<Transport> {
  if (gateway !== null) {
    const { host, port: base64, rawPort: raw = USUAL_PORTS.raw, dtlsPort: port = USUAL_PORTS.dtls } = gateway;
    const wire = await openSockets({ host, ports: { base64, raw, dtls: port }, clock, failed });
    return silent.watch(wire, (format) => {
      if (format === 'raw') return `${host}, port ${raw} (--udp-raw-port)`;
      return format === 'dtls' ? `${host}, port ${port} (--udp-dtls-port)` : `${host}, port ${base64} (--udp)`;
    });
  }
  return openHttp(api, clock, failed);
}

/** Reports the requests that this machine could not send. */
function reportFailures(gate: Gate = (request) => request(), failed: Failed): Gate {
  return async (request) => {
    try {
      return await gate(request);
    } catch (error) {
      if (isMachineFailure(error)) failed('request', error.cause);
      throw error;
    }
  };
}

/** The message in the body of a response; undefined if the text is not a message of a device as JSON. */
function parseMessage(answer: string): Message | undefined {
  const value = foreignJson(answer);
  return isMessage(value) && Number.isInteger(foreignNumber(value.device_serial_number)) ? value : undefined;
}

/** A client that reports to the observer and to the audit which downlinks and firmware updates it queues. */
class ReportingClient extends DeviceCloudClient {
  readonly #observer: Observer;
  readonly #audit: TargetAudit;
  readonly #times: TargetClock;
  /** Serial numbers of the devices that this client created, by their ids. */
  readonly #serials = new Map<string, number>();
  /** Names of the devices, by their serial numbers, for which the answer to the creation was lost. */
  readonly unsure = new Map<number, string>();

  constructor(options: ClientOptions, observer: Observer, audit: TargetAudit, times: TargetClock) {
    super(options);
    this.#observer = observer;
    this.#audit = audit;
    this.#times = times;
  }

  override async createDevice(device: NewDevice): Promise<Device> {
    const sent = this.#times.now;
    const serial = Number(device.serial_number);
    const created = await super.createDevice(device).catch((error: unknown) => {
      if (isUndecidedError(error)) this.unsure.set(serial, device.name);
      throw error;
    });
    this.unsure.delete(serial);
    this.#times.noteCreated(created.created_at, sent);
    this.#serials.set(created.id, foreignNumber(created.serial_number));
    return created;
  }

  override deleteDevice(id: string): Promise<void> {
    const serial = this.#serials.get(id);
    if (serial !== undefined) this.#observer.leaves(serial);
    return super.deleteDevice(id);
  }

  override async updateFirmware(deviceId: string, firmwareId: string): Promise<FirmwareUpdate> {
    const update = await super.updateFirmware(deviceId, firmwareId);
    this.#observer.noteUpdate(this.#serials.get(deviceId) ?? 0, update);
    return update;
  }

  override async sendConfig(deviceId: string, lines: readonly string[]): Promise<Message> {
    return this.#report(deviceId, 'config', lines, () => super.sendConfig(deviceId, lines));
  }

  override async sendCommands(deviceId: string, commands: readonly string[]): Promise<Message> {
    return this.#report(deviceId, 'shell', commands, () => super.sendCommands(deviceId, commands));
  }

  override async sendData(deviceId: string, body: Readonly<Record<string, unknown>>): Promise<Message> {
    return this.#report(deviceId, 'data', body, () => super.sendData(deviceId, body));
  }

  async #report(deviceId: string, type: DownlinkType, body: unknown, send: () => Promise<Message>): Promise<Message> {
    const asked = this.#audit.noteAsked(body);
    const serial = this.#serials.get(deviceId);
    try {
      const sent = this.#times.now;
      const message = await send();
      this.#times.noteCreated(message.created_at, sent);
      this.#observer.noteQueued(message, asked, serial);
      return message;
    } catch (error) {
      if (serial !== undefined && isUndecidedError(error)) this.#audit.noteUnanswered(serial, type, body);
      throw error;
    }
  }
}
