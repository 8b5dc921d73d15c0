/** Further tests beside tshark.test.ts. */
import { expect, it } from 'vitest';
import { hasTshark, proveWire } from '../../scripts/prove/wire.js';

it('tshark reads plain datagrams and DTLS with and without connection IDs, finds nothing malformed, and checks tags', async ({
  skip,
}) => {
  if (!hasTshark()) skip('tshark is not installed (apt-get install tshark)');
  const verdicts = await proveWire({ devices: 1, hours: 1, leastPackets: 100 });
  expect(verdicts.filter(({ held }) => !held)).toEqual([]);
  expect(verdicts).toHaveLength(5);
});
