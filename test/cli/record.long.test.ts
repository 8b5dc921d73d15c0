/** Further tests beside record.test.ts. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { DeviceCloudClient } from '../../src/client/client.js';
import { RealClock } from '../../src/kernel/real-clock.js';
import { QUIET } from '../support/cloud.js';
import { ghostfleet } from '../support/host.js';
import { until } from '../support/until.js';
import { KEY, useService } from './record-support.js';

const { serve, path } = useService();

describe('record', () => {
  it('writes a complete file with a note when it is interrupted', async () => {
    let pages = 0;
    const info = (request: { readonly method?: string; readonly route?: string }) => {
      if (request.method === 'GET' && request.route?.endsWith('/messages')) pages++;
    };
    const { api, spaceId } = await serve({ operated: true, log: { ...QUIET, info } });
    const client = new DeviceCloudClient({ baseUrl: api, apiKey: KEY, spaceId });
    const token = '00112233445566778899aabbccddeeff';
    const device = await client.createDevice({ name: 'a-device', serial_number: '2159017985', token });
    for (let i = 0; i < 101; i++) await client.sendCommands(device.id, ['info show']);
    await client.close();
    const aSecondLater = () => new Promise<void>((resolve) => new RealClock().after(1000, 'Ctrl-C', resolve));
    // At this rate, the second page is requested four seconds after the first one.
    const args = ['--space', spaceId, '--out', path('a.jsonl'), '--rate', '0.25'];
    const { exit, out } = await ghostfleet(['record', '--target', api, '--api-key', KEY, ...args], {
      interruptWhen: until(() => pages === 1).then(aSecondLater),
    });
    expect(exit).toBe(130);
    expect(out).toContain('1 device, 0 uplinks and 100 downlinks in ');
    expect(out).toContain('(cut short: interrupted by SIGINT)');
    expect(readFileSync(path('a.jsonl'), 'utf8')).toContain('"cut":"interrupted by SIGINT"');
    expect((await ghostfleet(['replay', path('a.jsonl')])).out).toContain('the recording is incomplete');
    expect(existsSync(path('a.jsonl.part'))).toBe(false);
  });
});
