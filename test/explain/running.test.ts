/** Explanations of a downlink while its run is in progress. */
import { describe, expect, it } from 'vitest';
import { DeviceExplainer } from '../../src/explain/explain.js';
import type { Explanation } from '../../src/explain/explanation.js';
import type { SituationFault } from '../../src/explain/situation.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { downlinkLife, type Life } from '../trace/fixtures.js';

const NOW = 700_000;
const SHELL: Life = { queued: 0, offered: 600_000, received: 602_000, executed: 603_000, delivered: 604_000 };

const BOOT: TraceEvent = { kind: 'device.boot', at: 360_000, serial: 1, cause: 'power' };

/** The explainer of a device with these events at `NOW`, and its first downlink. */
function startNow(given: readonly TraceEvent[], goesOn = true, faults: readonly SituationFault[] = []) {
  const events: readonly TraceEvent[] = [...given, { kind: 'world.closing', at: NOW }];
  const history = { serial: 1, goesOn, events: [...events].sort((a, b) => a.at - b.at) };
  const explainer = new DeviceExplainer(history, 'cellar-0003', { situation: { fleet: [], faults, settings: [] } });
  const [record] = explainer.downlinks;
  if (record === undefined) throw new Error('the history has no downlink');
  return { explainer, record };
}

/** Explains the downlink `life` of a device that was switched on after six minutes, in a run that is in progress. */
async function explainedNow(life: Life, more: readonly TraceEvent[] = [], goesOn = true): Promise<Explanation> {
  const { explainer, record } = startNow([BOOT, ...downlinkLife(life), ...more], goesOn);
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
  expect((await explainedNow(SHELL)).text).toContain('6m because of the late power-up of the device');
});

describe('a pending downlink while the device sends a report', () => {
  const QUEUED: Life = { queued: 600_000 };
  const outage = (until: number): SituationFault => ({
    ...{
      name: 'outage',
      what: 'outage',
      whom: 'cellar',
      serials: null,
      effect: 'blocks',
      sign: 'outage',
      on: 'datagrams',
    },
    windows: [{ from: 620_000, until }],
  });
  const sending: readonly TraceEvent[] = [
    { kind: 'device.wake', at: NOW - 6_000, serial: 1, why: 'report' },
    { kind: 'uplink.sent', at: NOW - 3_000, serial: 1, uplink: 2, type: 'data' },
  ];
  const nowAt = (events: readonly TraceEvent[], faults: readonly SituationFault[] = []) => {
    const { explainer, record } = startNow([BOOT, ...downlinkLife(QUEUED), ...events], true, faults);
    return explainer.followJourney(record).now;
  };

  it('is in the exchange, which has not failed', () => {
    expect(nowAt(sending)).toBe('exchange');
  });

  it('is in the exchange also after an outage in which reports failed', () => {
    const failed: readonly TraceEvent[] = [
      { kind: 'device.wake', at: 630_000, serial: 1, why: 'report' },
      { kind: 'net.fault', at: 632_000, serial: 1, fault: 'outage', way: 'up' },
      { kind: 'device.repeat', at: 642_000, serial: 1, waited: 10_000 },
      { kind: 'net.fault', at: 642_000, serial: 1, fault: 'outage', way: 'up' },
    ];
    expect(nowAt([...failed, ...sending], [outage(660_000)])).toBe('exchange');
  });

  it('waits for the outage in which the device sends', () => {
    const lost: TraceEvent = { kind: 'net.fault', at: NOW - 3_000, serial: 1, fault: 'outage', way: 'up' };
    expect(nowAt([...sending, lost], [outage(900_000)])).toBe('outage (cellar)');
  });

  it('does not wait for the first start of a device whose history has lost its start', () => {
    const restarted: TraceEvent = { kind: 'device.boot', at: 650_000, serial: 1, cause: 'config' };
    const { explainer, record } = startNow([
      { kind: 'device.wake', at: 500_000, serial: 1, why: 'report' },
      ...[...downlinkLife(QUEUED), restarted],
    ]);
    expect(explainer.followJourney(record).waits.map(({ what }) => what)).not.toContain('not switched on yet');
  });
});
