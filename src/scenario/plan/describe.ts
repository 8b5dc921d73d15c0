/** A plan as text (`ghostfleet plan`), and its digest. The digest includes claim tokens; the text never shows them. */
import { countOf, humanCount } from '../../kernel/quantity.js';
import { withoutSecrets } from '../../kernel/shell-secrets.js';
import { formatDuration, type Instant, sinceStart } from '../../kernel/time.js';
import { contentFingerprint } from '../../protocol/hashes.js';
import type { Expectation } from '../expect/expectation.js';
import { describeFault, kindOf, wayOf } from '../faults/index.js';
import type { LoadCall, Pace, RatePiece } from '../load/load.js';
import { listChanges } from '../load/ready.js';
import { describeSkipped } from '../load/recorded.js';
import { describeCloud } from '../model/cloud.js';
import type { Plan, PlannedAction, PlannedGroup, PlannedLoad, PlannedWait } from '../model/plan.js';
import { describeSetup } from '../setup/index.js';
import { describeStep } from '../steps/index.js';
import { needsOneThread, needsOneWorld } from './divide.js';
import { listSteps, type StepActions } from './steps-of.js';

/** Width of a column that holds a time. */
const COLUMN = 18;

/** 16 hex digits; equal plans have the same digest. */
export function planDigest(plan: Plan): string {
  // Left out of the digest: regions of groups, which are labels, and the list of secrets. They do not change a run.
  const groups = plan.groups.map(({ region: _, ...group }) => group);
  const { secrets: _, ...rest } = plan;
  const said = { ...rest, groups };
  return contentFingerprint(JSON.stringify(said));
}

/** The text of `ghostfleet plan`. @param warnings sentences for the end of the text */
export function describePlan(plan: Plan, warnings: readonly string[] = []): string {
  const parts = [
    `plan of ${plan.scenario} · seed ${plan.seed} · plan ${planDigest(plan)}`,
    ...(plan.about === '' ? [] : [plan.about.trim()]),
    '',
    `time      from ${new Date(plan.start).toISOString()} for ${formatDuration(plan.duration)}, then up to ${formatDuration(plan.settle)} to settle`,
    '',
    ...writeSection('threads', [describeThreads(plan)]),
    ...writeSection('cloud', plan.cloud ? describeCloud(plan.cloud) : []),
    ...writeSection('setup', (plan.setup ?? []).map(describeSetup)),
    ...writeSection('fleet', describeFleet(plan)),
    ...writeSection('network', [...describeRelease(plan), ...describeFaults(plan, 'network')]),
    ...writeSection('service', describeFaults(plan, 'service')),
    ...writeSection('steps', describeActions(plan)),
    ...writeSection('load', plan.loads.map(describeLoad)),
    ...writeSection('expect', plan.expectations.map(describeExpectation)),
    ...writeSection('warnings', warnings),
  ];
  return `${parts.join('\n').trimEnd()}\n`;
}

function describeThreads(plan: Plan): string {
  const virtual = needsOneWorld(plan);
  const real = needsOneThread(plan);
  if (real !== undefined) return `one, because ${real}`;
  return virtual === undefined ? 'any number' : `any number in real time; one in virtual time, because ${virtual}`;
}

/** An expectation with its effect on the run. */
export function describeExpectation({ line, abort }: Expectation): string {
  if (abort === undefined) return line;
  return `${line}   ends the run when it fails${abort === 0 ? '' : `, from ${formatDuration(sinceStart(abort))} on`}`;
}

function writeSection(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return [];
  return [...lines.map((line, i) => `${(i === 0 ? title : '').padEnd(10)}${line}`), ''];
}

function describeFleet(plan: Plan): readonly string[] {
  return plan.groups.flatMap((group, index) => {
    const devices = plan.devices.filter((device) => device.group === index);
    const { first, last } = bootTimes(plan, index);
    const serials = `${devices[0]?.serial} … ${devices.at(-1)?.serial}`;
    const notes = [
      `boot ${first === last ? `at ${formatMoment(first)}` : `from ${formatMoment(first)} to ${formatMoment(last)}`}`,
      ...(group.tags.length === 0 ? [] : [`tags ${group.tags.join(', ')}`]),
      ...(group.register ? [] : ['not in the cloud at the start']),
    ];
    return [
      `${group.count} × ${group.name} (${describeType(group)}), serial numbers ${serials}`,
      `  ${notes.join(' · ')}`,
      ...group.config.map((line) => `  ${withoutSecrets(line)}`),
    ];
  });
}

/** First and last boot of a group. @param index index of the group */
export function bootTimes({ devices }: Plan, index: number): { readonly first: Instant; readonly last: Instant } {
  const boots = devices.flatMap(({ group, bootAt }) => (group === index ? [bootAt] : []));
  return {
    first: boots.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    last: boots.reduce((a, b) => Math.max(a, b), 0),
  };
}

function describeType({ profile, firmware }: PlannedGroup): string {
  return `profile ${profile}${firmware === undefined ? '' : `, firmware ${firmware}`}`;
}

function describeRelease({ radioRelease }: Plan): readonly string[] {
  if (radioRelease === undefined) return [];
  const [shortest, longest] = radioRelease.map(formatDuration);
  const length = shortest === longest ? shortest : `${shortest} to ${longest}`;
  return [`${'always'.padEnd(COLUMN)} radio release after ${length}`];
}

/** One line for each time of each fault of the network or of the service. Faults of devices are listed as steps. */
function describeFaults(plan: Plan, part: 'network' | 'service'): readonly string[] {
  return plan.faults.flatMap((fault) => {
    if (kindOf(fault).part !== part) return [];
    const { to, devices, windows } = fault;
    const whom = to === null ? '' : ` · ${to} (${countOf(devices?.length ?? 0, 'device')})`;
    const way = wayOf(fault);
    const direction = way === 'both' ? '' : ` · only ${way}`;
    return windows.map(({ from, until }) => {
      const isAlways = part === 'network' && from === 0 && until === null;
      const when = isAlways ? 'always' : `${formatMoment(from)} to ${until === null ? 'the end' : formatMoment(until)}`;
      return `${when.padEnd(COLUMN)} ${describeFault(fault)}${whom}${direction}`;
    });
  });
}

function describeLoad({ name, call, from, until, pace, devices, data }: PlannedLoad): string {
  const when = `${formatMoment(from)} to ${formatMoment(until)}`.padEnd(COLUMN);
  const about = devices.length === 0 ? '' : `, ${countOf(devices.length, 'device')}`;
  const rows = data === undefined ? '' : ` · ${countOf(data.rows.rows.length, 'row')} of ${data.file}, ${data.order}`;
  const changes = listChanges(call);
  const effect = changes.length === 0 ? '' : ` · changes the cloud: ${changes.join(', ')}`;
  return `${when} ${`${name}${about}`.padEnd(2 * COLUMN)} ${describePace(pace)}${describeChains(call)}${rows}${effect}`;
}

/** ` · 3 requests each`, ` · one of 2 chains` */
function describeChains(call: LoadCall): string {
  if (call.kind === 'recorded') return describeSkipped(call.skipped);
  if (call.kind !== 'chains') return '';
  const [first] = call.chains;
  if (call.chains.length > 1) return ` · one of ${call.chains.length} chains`;
  const { length = 1 } = first?.requests ?? [];
  return length === 1 ? '' : ` · ${length} requests each`;
}

/** `50/s, Poisson` */
export function describePace(pace: Pace): string {
  if (pace.kind === 'closed') {
    const patience = pace.patient ? ', obey Retry-After' : '';
    const users = pace.pieces === undefined ? `${pace.users}` : describeSpans(pace.pieces, String);
    const limit = pace.iterations === undefined ? '' : `, ${humanCount(pace.iterations)} iterations in all`;
    const think = [pace.think, ...(pace.longestThink === undefined ? [] : [pace.longestThink])].map(formatDuration);
    return `${users} users, one request at a time each, think time ${think.join(' to ')}${patience}${limit}`;
  }
  if (pace.kind === 'replay') return `${countOf(pace.trace.times.length, 'request')}, replayed from ${pace.file}`;
  if (pace.kind === 'each') {
    const spread = pace.over === 0 ? 'all at once' : `within ${formatDuration(pace.over)}`;
    return `once for each of ${countOf(pace.count, 'device')}, ${spread}`;
  }
  return `${describeSpans(pace.pieces, formatRate)}, ${pace.spacing === 'even' ? 'evenly' : 'Poisson'}`;
}

function describeSpans(pieces: readonly RatePiece[], write: (value: number) => string): string {
  const spans = pieces.map(({ first, last }) => (first === last ? write(first) : `${write(first)}..${write(last)}`));
  return spans.join(', then ');
}

function formatRate(perSecond: number): string {
  return perSecond >= 1 || perSecond === 0 ? `${round(perSecond)}/s` : `${round(perSecond * 3600)}/h`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** One line for each step of the scenario, even if it is spread over many devices. */
function describeActions({ actions, devices, waits }: Plan): readonly string[] {
  const rows = timeSteps(actions, waits).map(({ first, devices: indices, from, until, after }) => {
    const span = from === until ? formatMoment(from) : `${formatMoment(from)} to ${formatMoment(until)}`;
    const when = after === undefined ? span : `${span} or later`;
    const whom = describeWhom(indices.map((index) => devices[index]?.name ?? ''));
    return { when, whom, what: `${describeStep(first)}${after === undefined ? '' : ` · ${after}`}` };
  });
  const column = rows.reduce((widest, { when }) => Math.max(widest, when.length), COLUMN);
  return rows.map(({ when, whom, what }) => `${when.padEnd(column)} ${whom.padEnd(2 * COLUMN)} ${what}`);
}

interface TimedStep extends Pick<StepActions, 'first' | 'devices'> {
  /** The times of its first and last action; of a step that waits for a condition, the earliest ones. */
  readonly from: Instant;
  readonly until: Instant;
  /** `after device.ready == 3 within 1h`, `10m after …`; undefined for a step that waits for no condition. */
  readonly after: string | undefined;
}

/** The steps of a plan in the order in which they can begin. */
export function timeSteps(actions: readonly PlannedAction[], waits: readonly PlannedWait[] = []): readonly TimedStep[] {
  const steps = listSteps(actions).map(({ first, last, devices }): TimedStep => {
    const wait = first.wait === undefined ? undefined : waits[first.wait];
    const earliest = findEarliest(first.wait ?? null, waits);
    const delay = first.at === 0 ? '' : `${formatMoment(first.at)} `;
    const after = wait && `${delay}after ${waitText(wait)}`;
    return { first, devices, from: earliest + first.at, until: earliest + last.at, after };
  });
  return steps.sort((a, b) => a.from - b.from);
}

/** The earliest time at which a wait can end; the start of the run for null. */
function findEarliest(index: number | null, waits: readonly PlannedWait[]): Instant {
  const wait = index === null ? undefined : waits[index];
  return wait === undefined ? 0 : findEarliest(wait.wait, waits) + wait.from;
}

/** `60 × cellar-0001 … cellar-0060` @param names names of the devices, in order */
export function describeWhom(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? 'no device') : `${names.length} × ${names[0]} … ${names.at(-1)}`;
}

/** The condition of a step, with its time limit. */
function waitText({ condition, within }: PlannedWait): string {
  return within === null ? condition.line : `${condition.line} within ${formatDuration(within)}`;
}

/** A time, rounded to seconds, because the milliseconds of random times do not help a reader. */
export function formatMoment(at: Instant): string {
  return formatDuration(Math.round(at / 1000) * 1000);
}
