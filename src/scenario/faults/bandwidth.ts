import { type Check, complain, formed } from '../../input/checks.js';
import type { NetworkFaultKind } from './kind.js';

const BANDWIDTH = /^(\d+(?:\.\d+)?) ?(k|M)?bit\/s$/;
const FACTORS: Readonly<Record<string, number>> = { k: 1000, M: 1_000_000 };

/** `25kbit/s`, as bits per second. */
const bitRate: Check<number> = formed(
  () => ({ type: 'string', pattern: BANDWIDTH.source }),
  (node, problems) => {
    const [, digits, factor = ''] = (node.kind === 'scalar' && BANDWIDTH.exec(node.source.trim())) || [];
    const bitsPerSecond = Number(digits) * (FACTORS[factor] ?? 1);
    if (digits !== undefined && bitsPerSecond >= 1) return bitsPerSecond;
    return complain(node, problems, 'a bandwidth such as "600bit/s", "25kbit/s" or "1Mbit/s"');
  },
);

/** The option is the limit in bits per second, for each device and direction: datagrams wait until the earlier ones are sent. */
export const bandwidth: NetworkFaultKind<number> = {
  part: 'network',
  about: 'limits the bits per second of each device and direction; datagrams queue up',
  example: 'bandwidth: 25kbit/s',
  check: bitRate,
  describe: (bitsPerSecond) => `bandwidth ${bitsPerSecond} bit/s`,
  datagrams: {
    sign: null,
    strike(bitsPerSecond, verdict, _draws, delivery) {
      const takes = Math.ceil((delivery.size * 8000) / bitsPerSecond);
      for (let i = 0; i < verdict.length; i++) {
        delivery.freeAt = Math.max(delivery.freeAt, delivery.now) + takes;
        verdict[i] = (verdict[i] ?? 0) + delivery.freeAt - delivery.now;
      }
      return false;
    },
  },
  effect: () => 'hinders',
  isNetworkKey: true,
};
