/**
 * A device that sends numbered data messages over UDP one after the other, repeats each until it is acknowledged, and fetches
 * its downlinks. Tests compare its acknowledgements and its received downlinks with the contents of the store.
 */
import { createSocket } from 'node:dgram';
import { type DeviceStep, DeviceTransfer } from '../../src/protocol/flap/device-transfer.js';
import { FRAGMENT_SIZE, hasValidTag, open, seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { LONGEST_MESSAGE, type Packet } from '../../src/protocol/flap/packet.js';
import { encodeUp, parseDown } from '../../src/protocol/messages/index.js';
import { uuidText } from '../../src/protocol/uuid.js';
import { numberedBody } from './numbered.js';

/** How long the device waits for an answer. A real device waits longer, but a test may have 300 crashes. */
const PATIENCE_MS = 100;
const FORMAT = 'base64';
/** Unanswered repetitions of a packet after which the device uses the next node. */
const REPETITIONS = 5;

export class UdpDevice {
  readonly serial: number;
  /** Number of acknowledged messages. All messages with a lower number are acknowledged. */
  acknowledged = 0;
  /** Ids of the received shell commands, each once, in the order in which they arrived first. */
  readonly received = new Set<string>();
  /** Number of commands that arrived again. */
  repeated = 0;
  readonly #token: Uint8Array;
  readonly #turn: () => Promise<void>;
  /** UDP ports of the nodes of the service. */
  #ports: readonly number[] = [];
  #node = 0;
  readonly #socket = createSocket('udp4');
  readonly #transfer = new DeviceTransfer(FRAGMENT_SIZE[FORMAT].up, LONGEST_MESSAGE);
  #stopping = false;
  #arrived: ((answer: Packet | undefined) => void) | undefined;

  /** @param turn resolves when the device may send its next message; default: at once */
  constructor(serial: number, token: string, turn: () => Promise<void> = async () => {}) {
    this.serial = serial;
    this.#turn = turn;
    this.#token = tokenBytes(token);
    this.#socket.on('message', (datagram) => {
      const envelope = open(datagram, FORMAT);
      if (envelope && hasValidTag(envelope, this.#token)) this.#arrived?.(envelope.packet);
    });
    this.#socket.on('error', () => {});
  }

  /** Sends and fetches until {@link stop}; resolves when the last message is acknowledged and no downlink is waiting. */
  async run(ports: readonly number[]): Promise<void> {
    this.#ports = ports;
    let more = false;
    while (!this.#stopping || more || (await this.#fetch())) {
      if (more) more = await this.#fetch();
      else more = await this.#send();
    }
    await new Promise<void>((resolve) => this.#socket.close(() => resolve()));
  }

  /** Sends no new message; the present one is finished. */
  stop(): void {
    this.#stopping = true;
  }

  /** Sends the next message; returns whether a downlink is waiting. */
  async #send(): Promise<boolean> {
    await this.#turn();
    const body = numberedBody(this.serial, this.acknowledged);
    const message = encodeUp({ kind: 'upload-data', hash: '0000000000000000', body });
    const step = await this.#untilDone(() => this.#transfer.startUplink(message));
    this.acknowledged++;
    return step.kind === 'uplink-done' && step.poll;
  }

  /** Fetches a downlink; returns whether there was one. */
  async #fetch(): Promise<boolean> {
    const step = await this.#untilDone(() => this.#transfer.startPoll());
    if (step.kind !== 'poll-done' || step.message.length === 0) return false;
    if (step.finalAck) this.#write(step.finalAck);
    const message = parseDown(step.message);
    if (message.kind === 'download-shell') {
      const id = uuidText(message.messageId);
      if (this.received.has(id)) this.repeated++;
      this.received.add(id);
    }
    return true;
  }

  async #untilDone(start: () => DeviceStep): Promise<Exclude<DeviceStep, { kind: 'send' | 'failed' }>> {
    let unanswered = 0;
    for (let step = start(); ; ) {
      if (step.kind === 'failed') step = start();
      else if (step.kind === 'send') {
        const answer = await this.#exchange(step.packet);
        unanswered = answer ? 0 : unanswered + 1;
        // A device repeats a packet unchanged, and begins the transfer again on another node.
        if (answer) step = this.#transfer.answered(answer);
        else if (unanswered % REPETITIONS === 0 && this.#ports.length > 1) {
          this.#node++;
          step = start();
        }
      } else return step;
    }
  }

  async #exchange(packet: Packet): Promise<Packet | undefined> {
    let timer: NodeJS.Timeout | undefined;
    const answer = new Promise<Packet | undefined>((resolve) => {
      this.#arrived = resolve;
      timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
    });
    this.#write(packet);
    const result = await answer;
    clearTimeout(timer);
    this.#arrived = undefined;
    return result;
  }

  #write(packet: Packet): void {
    this.#socket.send(
      seal(packet, this.serial, this.#token, FORMAT),
      this.#ports[this.#node % this.#ports.length],
      '127.0.0.1',
    );
  }
}
