/** The folder of a run, which users keep and pass on, contains no secret in clear. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../src/cloud/open-store.js';
import { foundIn } from '../cloud/store/planted.js';
import { ghostfleet } from '../support/host.js';

const SCENARIO = `
name: guarded
duration: 2h
fleet: [{ name: clime, profile: clime, count: 2, config: { interval-report: 900 } }]
setup:
  - tag: { name: all }
  - variable: { name: password, value: VARIABLE-5f1c, secure: true }
  - connector: { name: out, tags: [all], triggers: [data], script: "function main() { return null; /* HEADER-88aa */ }" }
steps:
  - { at: 10m, commands: [info show, ble config passkey 914207, ble config show] }
expect: [uplink.stored >= 1]
`;

it('a run writes no secret in clear to its folder, not even to its database, and only the owner may read the folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-guarded-'));
  try {
    const file = join(folder, 'guarded.yaml');
    writeFileSync(file, SCENARIO);
    const out = join(folder, 'run');
    const { exit, err } = await ghostfleet(['run', file, '--store', 'sqlite', '--out', out]);
    expect(exit, err).toBe(0);
    const store = await openStore(join(out, 'cloud.db'));
    const [space] = await store.spaces({ limit: 1 });
    const spaceId = space?.id ?? '';
    const listed = await store.devices(spaceId, { limit: 9, sortBy: 'id', order: 'asc' });
    // Devices in a list have no claim tokens, so each is also read by its id.
    const ids = Array.isArray(listed) ? listed.map(({ id }) => id) : [];
    const devices = await Promise.all(ids.map((id) => store.device(spaceId, id)));
    const answers = await store.messages(spaceId, { limit: 9, types: ['shell'], direction: 'up' });
    const variables = await store.records('variable', spaceId, { limit: 9 });
    await store.close();
    expect(JSON.stringify(answers)).toContain('914207');
    expect(JSON.stringify(variables)).toContain('VARIABLE-5f1c');
    const tokens = devices.map((device, n) => [`token ${n}`, device?.token ?? '']);
    expect(tokens.map(([, token]) => token?.length)).toEqual([32, 32]);
    const secrets = {
      ...Object.fromEntries(tokens),
      passkey: '914207',
      variable: 'VARIABLE-5f1c',
      header: 'HEADER-88aa',
    };
    expect(foundIn(out, secrets)).toEqual([]);
    const modes = ['.', 'cloud.db', 'cloud.db-key'].map((name) => statSync(join(out, name)).mode & 0o777);
    expect(modes).toEqual([0o700, 0o600, 0o600]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
