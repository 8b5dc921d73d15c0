/** How long devices need until exchanges work again after a fault, by the rules of their firmware. */
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../src/explain/family-rules.js';
import { recovered } from '../../src/explain/recovery.js';
import { seconds } from '../../src/kernel/time.js';

const CHESTER = rulesOf({ family: 'chester' }).modem;
const HIO = rulesOf({ family: 'hio' }).modem;
const ATTACH = 22;

describe('after a time without network', () => {
  // CHESTER notices the loss at once: its modem is off for 10 s and boots in 7 s. The attach windows last 300, 300 and 3000 s,
  // with 5 s + 7 s between them; then it pauses for 3600 s.
  const chesterLast = 10 + 7 + 300 + 12 + 300 + 12;
  // An hio device waits 120 s for a connection first, and starts its modem in 3.7 s.
  const hioLast = 120 + 10 + 3.7 + 300 + 8.7 + 300 + 8.7;

  it('an hio device is still in its third attach window and attaches at once when CHESTER already pauses', () => {
    const end = seconds(3700);
    expect(chesterLast + 3000).toBeLessThan(3700);
    expect(hioLast + 3000).toBeGreaterThan(3700);
    expect(recovered('attaches', 0, end, HIO)).toBeCloseTo(end + seconds(ATTACH));
    expect(recovered('attaches', 0, end, CHESTER)).toBeCloseTo(seconds(chesterLast + 3000 + 3600 + 12 + ATTACH));
  });

  it('a device waits for the end of the pause after the third window', () => {
    const end = seconds(5400);
    expect(recovered('attaches', 0, end, HIO)).toBeCloseTo(seconds(hioLast + 3000 + 3600 + 8.7 + ATTACH));
  });

  it('the modem of an hio device attaches again by itself if the device has not noticed the loss', () => {
    expect(recovered('attaches', 0, seconds(100), HIO)).toBe(seconds(100 + ATTACH));
  });
});

it('a failing modem of an hio device works again sooner than that of CHESTER, because it starts faster', () => {
  // The modem starts (in 7 s for CHESTER), and its first error shows 7 s later. Then follow a pause of 10 s and another start.
  expect(recovered('backs-off', 0, 1, CHESTER)).toBe(seconds(7 + 7 + 10 + 7 + ATTACH));
  expect(recovered('backs-off', 0, 1, HIO)).toBeCloseTo(seconds(7 + 3.7 + 10 + 3.7 + ATTACH));
});
