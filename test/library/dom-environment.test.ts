/** The library in test environments with a DOM (jsdom, happy-dom), which replace global classes by those of another realm. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { runScenario, startDevice, startService, virtualTime } from '../../src/index.js';
import { bundled } from '../support/bundled.js';

/** A signal as those environments have it: no `EventTarget` of Node. */
class ForeignSignal {
  aborted = false;
  reason: unknown;
  readonly #listeners = new Set<() => void>();

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  end(reason: unknown): void {
    if (this.aborted) return;
    Object.assign(this, { aborted: true, reason });
    for (const listener of this.#listeners) listener();
  }
}

class ForeignController {
  readonly signal = new ForeignSignal();

  abort(reason: unknown = new Error('aborted')): void {
    this.signal.end(reason);
  }
}

beforeEach(() => {
  for (const name of ['Uint8Array', 'Uint32Array', 'Float64Array', 'ArrayBuffer'])
    vi.stubGlobal(name, runInNewContext(name));
  vi.stubGlobal('AbortController', ForeignController);
  vi.stubGlobal('AbortSignal', ForeignSignal);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

it('a scenario runs although the classes of signals and bytes are not those of Node', async () => {
  const scenario = 'name: dom\nduration: 2h\nfleet: [{ name: cell, profile: clime, count: 2 }]\n';
  const { passed } = await runScenario(`${scenario}expect: [device.ready == fleet.devices]`, { seed: 7 });
  expect(passed).toBe(true);
});

it('a device reaches its service and sleeps although the classes of bytes are not those of Node', async () => {
  const time = virtualTime();
  const service = await startService({ time });
  const device = await startDevice({ profile: 'clime', service });
  await time.until(() => device.state === 'asleep', { within: '10m' });
  const { id } = await service.client.sendCommands(device.id, ['info show']);
  await time.advance('2h');
  expect((await service.client.timeline(id)).map(({ what }) => what)).toContain('answered');
  await service.close();
});

it('a scenario and a service with a database work although other classes have replaced the global ones before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-test-'));
  const program = bundled(new URL('./dom-program.ts', import.meta.url));
  const printed = execFileSync(process.execPath, [program, join(folder, 'cloud.db')], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect(JSON.parse(printed)).toEqual({
    passed: true,
    events: ['queued', 'contact', 'offered', 'sent', 'answered'],
  });
});
