import { describe, expect, it } from 'vitest';
import { dropsIn } from '../../../src/cloud/operator/udp-drops.js';

const TABLE = `   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops
  409: 0100007F:138B 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 27841 2 0000000000000000 12
  410: 00000000:138A 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 27842 2 0000000000000000 3
 2411: 0100007F:0035 00000000:0000 07 00000000:00000000 00:00000000 00000000     0        0 27843 2 0000000000000000 99
`;

describe('drops of receive buffers', () => {
  it('are summed over the sockets of the given ports', () => {
    expect(dropsIn(TABLE, [5003])).toBe(12);
    expect(dropsIn(TABLE, [5003, 5002])).toBe(15);
    expect(dropsIn(TABLE, [1])).toBe(0);
    expect(dropsIn('', [5003])).toBe(0);
  });
});
