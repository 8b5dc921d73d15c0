/**
 * Computes every metric from a list of events, as directly as possible: it filters the list again for every metric, where the
 * folds of `src/trace/metrics/` count events one by one. Works for events in which no device receives the same content twice.
 */
import { USER_TYPES } from '../../src/trace/downlinks/ledger.js';
import type { TraceEvent } from '../../src/trace/events.js';

type Kind = TraceEvent['kind'];
type Of<K extends Kind> = Extract<TraceEvent, { readonly kind: K }>;

/** The value of each metric by name; for durations, their number. */
export function recompute(events: readonly TraceEvent[], devices: number): ReadonlyMap<string, number> {
  // The cast is safe because the filter keeps only events of this kind.
  const all = <K extends Kind>(kind: K) => events.filter((event) => event.kind === kind) as unknown as readonly Of<K>[];
  const end = events.findIndex(({ kind }) => kind === 'world.closing');
  const before = end < 0 ? events : events.slice(0, end);
  const serialsOf = (list: readonly TraceEvent[]) =>
    new Set(list.map((event) => ('serial' in event ? event.serial : 0)));
  const values = new Map<string, number>([['fleet.devices', devices]]);
  const set = (name: string, value: number) => void values.set(name, value);

  const boots = all('device.boot');
  const wakes = all('device.wake');
  const life = events.filter(({ kind }) => kind === 'device.boot' || kind === 'device.ready');
  const lifeOf = (serial: number) => life.filter((event) => 'serial' in event && event.serial === serial);
  set('device.session', serialsOf(before.filter((e) => e.kind === 'downlink.received' && e.type === 'session')).size);
  set('device.ready', serialsOf(before.filter(({ kind }) => kind === 'device.ready')).size);
  set('device.up', [...serialsOf(life)].filter((serial) => lifeOf(serial).at(-1)?.kind === 'device.ready').length);
  set('device.failed', all('device.failed').length);
  set('device.boots', boots.length);
  set('device.wakes', wakes.length);
  const startups = [...serialsOf(life)].map((serial) => {
    const own = lifeOf(serial);
    return own.filter(({ kind }, i) => kind === 'device.ready' && own[i - 1]?.kind === 'device.boot').length;
  });
  set('device.startup', sum(startups));
  for (const cause of ['power', 'shell', 'button', 'config', 'watchdog', 'brown-out', 'claim-token', 'update']) {
    set(`boot.${cause}`, boots.filter((boot) => boot.cause === cause).length);
  }
  for (const why of ['boot', 'report', 'event', 'poll', 'shell', 'button', 'answer']) {
    set(`wake.${why}`, wakes.filter((wake) => wake.why === why).length);
  }
  set('wake.peak', busiest(wakes));
  set('device.repeats', all('device.repeat').length);
  set(
    'device.repetition-gaps',
    [...serialsOf(all('device.repeat'))].reduce(
      (n, s) => n + gaps(all('device.repeat').filter(({ serial }) => serial === s)),
      0,
    ),
  );
  set('device.restarts', all('device.restart').length);
  set('poll.failed', all('poll.failed').length);

  for (const [family, types] of [
    ['uplink', ['data']],
    ['message', undefined],
  ] as const) {
    const own = <E extends { readonly type: string }>(list: readonly E[]) =>
      list.filter(({ type }) => types === undefined || (types as readonly string[]).includes(type));
    const [made, acked, dropped] = [own(all('uplink.made')), own(all('uplink.acked')), own(all('uplink.dropped'))];
    set(`${family}.made`, made.length);
    set(`${family}.acked`, acked.length);
    set(`${family}.dropped`, dropped.length);
    set(`${family}.waiting`, made.length - acked.length - dropped.length);
    set(`${family}.stored`, own(all('cloud.stored')).filter(({ copy }) => !copy).length);
    set(`${family}.copies`, own(all('cloud.stored')).filter(({ copy }) => copy).length);
    set(`${family}.sent`, new Set(own(all('uplink.sent')).map(({ serial, uplink }) => `${serial}/${uplink}`)).size);
    if (family === 'uplink') set('uplink.delay', acked.length);
    else set('message.peak', busiest(all('cloud.stored')));
  }
  set('uplink.copies-after-restart', copiesAfterRestart(events));

  for (const [family, types] of [
    ['downlink', USER_TYPES],
    ['chunk', ['firmware']],
  ] as const) {
    const queued = all('downlink.queued').filter(({ type }) => (types as readonly string[]).includes(type));
    const records = queued.map((downlink) => {
      const id = downlink.downlink;
      const has = (
        kind:
          | 'downlink.contact'
          | 'downlink.delivered'
          | 'downlink.answered'
          | 'downlink.cancelled'
          | 'downlink.expired',
      ) => all(kind).some((event) => event.downlink === id);
      const print = all('downlink.offered').find((event) => event.downlink === id)?.print;
      const same = (event: { readonly serial: number; readonly print: string }) =>
        event.serial === downlink.serial && event.print === print;
      const received = all('downlink.received').filter(same);
      const executed = all('downlink.executed').find(same);
      return {
        ...{ type: downlink.type, contact: has('downlink.contact'), offered: print !== undefined },
        ...{ received: received.length > 0, delivered: has('downlink.delivered'), executed: executed?.ok === true },
        ...{ answered: has('downlink.answered'), refused: executed?.ok === false, twice: received.length > 1 },
        ended: has('downlink.cancelled') ? 'cancelled' : has('downlink.expired') ? 'expired' : undefined,
      };
    });
    const number = (test: (record: (typeof records)[number]) => boolean) => records.filter(test).length;
    set(`${family}.queued`, queued.length);
    for (const stage of ['contact', 'offered', 'received', 'delivered'] as const) {
      set(
        `${family}.${stage}`,
        number((record) => record[stage]),
      );
    }
    const open = (record: (typeof records)[number]) => !record.answered && !record.delivered;
    set(
      `${family}.pending`,
      number((record) => open(record) && record.ended === undefined),
    );
    set(
      `${family}.cancelled`,
      number((record) => open(record) && record.ended === 'cancelled'),
    );
    set(
      `${family}.expired`,
      number((record) => open(record) && record.ended === 'expired'),
    );
    set(
      `${family}.unreceived`,
      number(({ delivered, received }) => delivered && !received),
    );
    set(
      `${family}.received-twice`,
      number(({ twice }) => twice),
    );
    if (family === 'chunk') continue;
    set(
      'downlink.executed',
      number(({ executed }) => executed),
    );
    set(
      'downlink.answered',
      number(({ answered }) => answered),
    );
    set(
      'downlink.unanswered',
      number(({ type, delivered, answered }) => type !== 'data' && delivered && !answered),
    );
    set(
      'downlink.refused',
      number(({ refused }) => refused),
    );
    for (const cause of ['asleep', 'radio', 'transfer', 'service', 'device'])
      set(
        `wait.${cause}`,
        number(({ delivered }) => delivered),
      );
  }
  const rejected = all('downlink.rejected');
  set('downlink.rejected', rejected.filter(({ type }) => type !== 'firmware').length);
  set('update.rejected', rejected.filter(({ type }) => type === 'firmware').length);

  const moves = all('update.moved');
  const updates = [...new Set(moves.map(({ update }) => update))].map((id) =>
    moves.filter(({ update }) => update === id),
  );
  const last = (state: string) => updates.filter((own) => own.at(-1)?.state === state);
  set('update.scheduled', updates.length);
  for (const state of ['succeeded', 'failed', 'cancelled']) set(`update.${state}`, last(state).length);
  set('update.open', sum(['scheduled', 'downloading', 'swapping'].map((state) => last(state).length)));
  set('update.reverted', last('failed').filter((own) => own.at(-1)?.why.startsWith('reverted')).length);
  set('update.given-up', last('failed').filter((own) => own.at(-1)?.why.startsWith('given up')).length);
  set(
    'update.restarts',
    sum(updates.map((own) => own.filter(({ offset }, i) => offset < (own[i - 1]?.offset ?? 0)).length)),
  );
  const newest = new Map(updates.map((own) => [own[0]?.serial, own.at(-1)?.state]));
  set('device.updated', [...newest.values()].filter((state) => state === 'succeeded').length);

  const done = all('call.done');
  const isAnswer = ({ status, why, expected }: (typeof done)[number]) =>
    why === '' && ((status >= 200 && status <= 299) || expected === true);
  const answered = done.filter(isAnswer).length;
  const began = events.filter(
    (e) => e.kind === 'call.waits' || ((e.kind === 'call.sent' || e.kind === 'call.dropped') && !e.waited),
  );
  set('call.planned', began.length);
  const isSingle = (e: TraceEvent) => !('chain' in e);
  const dropped = all('call.dropped').filter(isSingle).length;
  const ended = all('chain.ended');
  const answers = done.filter((e) => isSingle(e) && isAnswer(e)).length;
  const planned = began.filter(isSingle).length + all('chain.began').length;
  const iterations = answers + ended.filter(({ ok }) => ok).length;
  const failed = done.filter(isSingle).length - answers + dropped + ended.filter(({ ok }) => !ok).length;
  set('iteration.planned', planned);
  for (const name of ['done', 'time']) set(`iteration.${name}`, iterations);
  set('iteration.failed', failed);
  set('iteration.open', planned - iterations - failed);
  set('call.sent', all('call.sent').length);
  for (const name of ['answered', 'latency', 'service']) set(`call.${name}`, answered);
  set('call.failed', done.length - answered);
  set('call.refused', done.filter(({ status }) => status === 429).length);
  set('call.in-flight', all('call.sent').length - done.length);
  set('call.dropped', all('call.dropped').length);

  set('net.faults', all('net.fault').length);
  set('service.faults', all('service.fault').length);
  set('service.crashes', all('service.process').filter(({ runs }) => !runs).length);
  set('service.refused', all('cloud.refused').length);
  set('message.pruned', sum(all('cloud.pruned').map(({ messages }) => messages)));
  set('step.done', all('step').filter(({ ok }) => ok).length);
  set('step.failed', all('step').filter(({ ok }) => !ok).length);
  set('console.actions', all('console.action').length);
  return values;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function busiest(events: readonly TraceEvent[]): number {
  const seconds = events.map(({ at }) => Math.floor(at / 1000));
  return Math.max(0, ...seconds.map((second) => seconds.filter((other) => other === second).length));
}

/** Datagrams of a device that were repeated at least twice. */
function gaps(repeats: readonly Of<'device.repeat'>[]): number {
  const follows = (i: number) => {
    const [one, before] = [repeats[i], repeats[i - 1]];
    return one !== undefined && before !== undefined && Math.abs(one.at - one.waited - before.at) < 1;
  };
  return repeats.filter((_, i) => follows(i) && !follows(i - 1)).length;
}

/** Copies of a device that are its first message in the cloud since a restart of a transfer. */
function copiesAfterRestart(events: readonly TraceEvent[]): number {
  return events.filter((event, i) => {
    if (event.kind !== 'cloud.stored' || !event.copy) return false;
    const own = events.slice(0, i).filter((e) => 'serial' in e && e.serial === event.serial);
    return own.findLast(({ kind }) => kind === 'device.restart' || kind === 'cloud.stored')?.kind === 'device.restart';
  }).length;
}
