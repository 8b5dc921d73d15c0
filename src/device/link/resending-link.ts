/**
 * The link of hio devices: the transfer layer sends an unanswered datagram again, and changes to the next address of the cloud
 * after several failures in a row (timing T-36, T-44).
 *
 * A change of the address begins the message again. The active address and the counters are in RAM: a reboot begins with
 * `addr`.
 */
import type { Alarm } from '../../kernel/clock.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { LinkFormat } from '../../protocol/flap/envelope.js';
import type { SendError } from '../modem/pending-send.js';
import { FlapDialogue } from './flap-link.js';
import { HttpDialogue } from './http-link.js';
import type { FailoverState } from './link.js';
import { type DeviceEnd, type Dialogue, RadioLink } from './radio-link.js';

/** Parameters with addresses; an empty one is skipped. */
const ADDRESSES = ['addr', 'addr2', 'addr3'] as const;

interface Resend {
  readonly unanswered: Millis;
  readonly unconnected: Millis;
}

class ResendingLink extends RadioLink {
  readonly #resend: Resend;
  /** Index among the addresses that are not empty. */
  #address = 0;
  #failures = 0;
  #failovers = 0;
  /** When the time limit of the present datagram is over. */
  #until: Instant = 0;
  #pause: Alarm | undefined;

  constructor(device: DeviceEnd, dialogue: Dialogue, resend: Resend) {
    super(device, dialogue);
    this.#resend = resend;
  }

  override get failover(): FailoverState {
    return {
      address: this.addresses[this.#address]?.text ?? '',
      index: this.#address,
      failures: this.#failures,
      count: this.#failovers,
    };
  }

  override reset(): void {
    super.reset();
    this.#pause?.cancel();
    this.#address = 0;
    this.#failures = 0;
    this.#failovers = 0;
  }

  override socketOpened(): number {
    super.socketOpened();
    return this.addresses[this.#address]?.number ?? 1;
  }

  protected override sends(): void {
    this.#until = this.device.clock.now + this.current().budget;
  }

  protected override succeeded(): void {
    this.#failures = 0;
  }

  protected override failed(error: SendError): void {
    if (this.switched()) {
      const step = this.dialogue.startOver('another address');
      return step ? this.perform(step) : this.again();
    }
    // A datagram that needs no answer is sent only once.
    if (!this.listens || this.device.clock.now >= this.#until) return super.failed(error);
    const { unanswered, unconnected } = this.#resend;
    const pause = error === 'no answer in time' ? unanswered : unconnected;
    this.#pause = this.device.clock.after(pause, 'the repetition of a datagram', () => this.again());
  }

  private again(): void {
    this.device.modem.send(this, this.current().budget);
  }

  /** Counts a failure; returns whether the next datagram goes to another address. */
  private switched(): boolean {
    this.#failures++;
    const limit = this.device.config.number('cloud', 'failover');
    const { length } = this.addresses;
    if (limit === 0 || length < 2 || this.#failures < limit) return false;
    this.#address = (this.#address + 1) % length;
    this.#failures = 0;
    this.#failovers++;
    this.device.modem.readdress();
    return true;
  }

  /** The addresses that are not empty, with their numbers from 1. */
  private get addresses(): readonly { readonly text: string; readonly number: number }[] {
    const { config } = this.device;
    return ADDRESSES.map((name, i) => ({ text: config.text('cloud', name), number: i + 1 })).filter(
      ({ text }) => text !== '',
    );
  }
}

/**
 * Opens the link of a device. The wire format decides the dialogue; the family of the firmware decides whether the modem or the
 * link repeats datagrams.
 */
export function openLink(device: DeviceEnd, format: LinkFormat): RadioLink {
  const dialogue = format === 'http' ? new HttpDialogue(device) : new FlapDialogue(device, format);
  const { resend } = device.policy.transfers;
  return resend ? new ResendingLink(device, dialogue, resend) : new RadioLink(device, dialogue);
}
