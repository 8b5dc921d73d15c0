/** Explanations of a downlink while its run is in progress. */
import { describe, expect, it } from 'vitest';
import { DeviceExplainer } from '../../src/explain/explain.js';
import type { Explanation } from '../../src/explain/explanation.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, type Life } from '../trace/fixtures.js';

const NOW = 700_000;
const SHELL: Life = { queued: 0, offered: 600_000, received: 602_000, executed: 603_000, delivered: 604_000 };

/** Explains the downlink `life` of a device that was switched on after six minutes, in a run that is in progress. */
async function explainedNow(life: Life, more: readonly TraceEvent[] = [], goesOn = true): Promise<Explanation> {
  const events: readonly TraceEvent[] = [
    { kind: 'device.boot', at: 360_000, serial: 1, cause: 'power' },
    ...downlinkLife(life),
    ...more,
    { kind: 'world.closing', at: NOW },
  ];
  const history = { serial: 1, goesOn, events: [...events].sort((a, b) => a.at - b.at) };
  const explainer = new DeviceExplainer(history, 'cellar-0003', { situation: { fleet: [], faults: [], settings: [] } });
  const [record] = explainer.downlinks;
  if (record === undefined) throw new Error('the history has no downlink');
  return explainer.explain(record);
}

const answering: TraceEvent = { kind: 'uplink.sent', at: 606_000, serial: 1, uplink: 1, type: 'shell' };

describe('the answer that is due', () => {
  it('is reported as outstanding while the device sends it', async () => {
    const { text, noAnswer, awaitsAnswer } = await explainedNow(SHELL, [answering]);
    expect([noAnswer, awaitsAnswer]).toEqual([undefined, true]);
    expect(text).toContain('No answer has come yet.');
    expect(text).not.toMatch(/No answer came|failed/);
  });

  it('is reported as outstanding before the device sends it', async () => {
    expect((await explainedNow(SHELL)).text).toContain('No answer has come yet.');
  });

  it('is reported as outstanding after a failed attempt, and the text gives the reason for the failure', async () => {
    const given: TraceEvent = {
      ...{ kind: 'uplink.dropped', at: 650_000, serial: 1, uplink: 1, type: 'shell', why: 'timeout' },
    };
    expect((await explainedNow(SHELL, [answering, given])).text).toContain('No answer has come yet: timeout.');
  });

  it('is reported as missing at the end of the run', async () => {
    const { text, awaitsAnswer } = await explainedNow(SHELL, [answering], false);
    expect(text).toContain('No answer came: no acknowledgement.');
    expect(awaitsAnswer).toBeUndefined();
  });
});

it('the text of an explanation names a wait for the first power-up', async () => {
  expect((await explainedNow(SHELL)).text).toContain('6m 00s because of the late power-up of the device');
});
