/** Limits resets and repeated answers (wire W-42), against floods. A device as slow as the firmware never reaches them. */
import type { Instant } from '../../kernel/time.js';
import type { Source } from './replay-guard.js';

/** Limit of a rate: `burst` answers at once, then `perSecond` answers in each second. */
interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

const PER_SERIAL: Rate = { burst: 20, perSecond: 1 };
/** Many devices may share an address. */
const PER_ADDRESS: Rate = { burst: 2000, perSecond: 200 };

/** Maximum number of tracked addresses, and of tracked serial numbers; the least recently used are forgotten. */
const MOST_TRACKED = 10_000;

interface Bucket {
  left: number;
  at: Instant;
}

export class AnswerLimits {
  readonly #devices = new Map<number | string, Bucket>();
  readonly #hosts = new Map<string, Bucket>();

  /**
   * Whether one more reset or repeated answer may be sent. Counts it if so.
   * @param device serial number, or another name for a device whose answers are counted separately
   */
  admit(device: number | string, host: string, now: Instant): boolean {
    const ofSerial = bucketOf(this.#devices, device, PER_SERIAL, now);
    const ofHost = bucketOf(this.#hosts, host, PER_ADDRESS, now);
    if (ofSerial.left < 1 || ofHost.left < 1) return false;
    ofSerial.left--;
    ofHost.left--;
    return true;
  }
}

/** Maximum number of bytes sent to an unproven address for each byte that came from it. */
const AMPLIFICATION = 3;

/** Limits the bytes sent to an unproven address (wire W-43): an attacker may have forged it to flood its owner. */
export class GuestAllowance {
  #from: Source | undefined;
  #left = 0;

  /** Counts a datagram from the address. A datagram from another address resets the allowance first. */
  received({ host, port }: Source, bytes: number): void {
    if (this.#from?.host !== host || this.#from.port !== port) this.#left = 0;
    this.#from = { host, port };
    this.#left += AMPLIFICATION * bytes;
  }

  /** Whether an answer of this size may be sent. Counts it if so. */
  admit(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

function bucketOf<Key>(buckets: Map<Key, Bucket>, key: Key, { burst, perSecond }: Rate, now: Instant): Bucket {
  const known = buckets.get(key);
  const left = known ? Math.min(burst, known.left + ((now - known.at) / 1000) * perSecond) : burst;
  const bucket = { left, at: now };
  // Moved to the end: the first entry is the oldest.
  buckets.delete(key);
  buckets.set(key, bucket);
  if (buckets.size > MOST_TRACKED) {
    const { value: oldest } = buckets.keys().next();
    if (oldest !== undefined) buckets.delete(oldest);
  }
  return bucket;
}
