/** The requests below `/run` and `/scenarios`, for the web console. docs/reference/console.md describes them. */
import { ApiFault } from '../cloud/http/errors.js';
import type { Explanation } from '../explain/explanation.js';
import { pause } from '../kernel/deadline.js';
import { foreignNumber } from '../kernel/json-text.js';
import { durationIn, type RunControls, type WantedDownlink } from './controls.js';
import { optionalText, type Request, type Route, text } from './route.js';
import { SCENARIO_ROUTES } from './scenario-routes.js';
import type { RunComparison, TimeTravel } from './travel.js';

/** Interval of the states in a stream, in real milliseconds. */
const STATE_EVERY = 500;
/** Longest wait for the output of a line, in real milliseconds. */
const LONGEST_LINE = 60_000;

/** Real time in ms after which the events of an instant of the run are complete, unless the run is very busy. */
const INSTANT = 300;

/** Maximum number of downlinks whose waits one request reads. The run pauses while the events of their devices are read. */
const MOST_WAITS = 50;

export const ROUTES: readonly Route[] = [
  { method: 'GET', path: '/run', status: 200, handle: ({ controls }) => controls.state() },
  { method: 'GET', path: '/run/states', status: 200, handle: states },
  {
    method: 'GET',
    path: '/run/devices',
    status: 200,
    handle: ({ controls, query }) => controls.devices(query.on ?? 'all'),
  },
  {
    method: 'GET',
    path: '/run/devices/',
    status: 200,
    handle: ({ controls, id }) => {
      const doing = controls.doing(Number(id));
      if (!doing) throw new ApiFault(404, 'device not found');
      return doing;
    },
  },
  {
    method: 'GET',
    path: '/run/selection',
    status: 200,
    handle: ({ controls, query }) => controls.selection(query.on ?? 'all'),
  },
  { method: 'GET', path: '/run/explanations/', status: 200, handle: explanation },
  {
    method: 'POST',
    path: '/run/waits',
    status: 200,
    handle: ({ controls, body }) => controls.waits(downlinksIn(body)),
  },
  { method: 'POST', path: '/run/lines', status: 200, handle: line },
  {
    method: 'POST',
    path: '/run/complete',
    status: 200,
    handle: ({ controls, body }) => ({ words: controls.complete(text(body, 'on'), text(body, 'line')) }),
  },
  changing('pause', ({ controls }) => controls.pause()),
  changing('resume', ({ controls }) => controls.resume()),
  changing('step', ({ controls, body }) => controls.step(optionalText(body, 'for'))),
  changing('speed', ({ controls, body }) => controls.setSpeed(foreignNumber(body.speed))),
  { method: 'GET', path: '/run/faults', status: 200, handle: ({ controls }) => controls.kinds() },
  {
    method: 'POST',
    path: '/run/faults',
    status: 201,
    handle: ({ controls, body }) => ({
      id: controls.inject(text(body, 'fault'), optionalText(body, 'to'), optionalText(body, 'for')),
    }),
  },
  {
    method: 'DELETE',
    path: '/run/faults/',
    status: 204,
    handle: ({ controls, id }) => {
      if (!controls.lift(id)) throw new ApiFault(404, 'fault not found');
    },
  },
  {
    method: 'POST',
    path: '/run/faults/restored',
    status: 204,
    handle: ({ controls, body }) => {
      if (!controls.restore(text(body, 'id'))) throw new ApiFault(404, 'the fault was not lifted, or its time is over');
    },
  },
  { method: 'GET', path: '/run/past', status: 200, handle: ({ controls }) => travelOf(controls).all },
  {
    method: 'POST',
    path: '/run/past',
    status: 201,
    handle: ({ controls, body }) => travelOf(controls).back(durationIn(text(body, 'at'))),
  },
  { method: 'POST', path: '/run/comparisons', status: 200, handle: comparison },
  ...SCENARIO_ROUTES,
];

/** Whether the run itself answers requests to this path, and not its cloud. */
export function isOfRun(path: string): boolean {
  return ['/run', '/scenarios'].some((begin) => path === begin || path.startsWith(`${begin}/`));
}

/** @throws ApiFault 404 or 405 */
export function findRoute(method: string, path: string): Route & { readonly id: string } {
  const known = ROUTES.filter((route) =>
    route.path.endsWith('/') ? path.startsWith(route.path) : path === route.path,
  );
  const route = known.find((each) => each.method === method);
  if (route) return { ...route, id: path.slice(path.lastIndexOf('/') + 1) };
  if (known.length > 0) throw new ApiFault(405, `${method} is not possible here`);
  throw new ApiFault(404, `Route ${method}:${path} not found`);
}

/** A route that changes the pace of the run, and answers with the new state of the run. */
function changing(name: string, change: (request: Request) => void): Route {
  const handle = (request: Request) => {
    change(request);
    return request.controls.state();
  };
  return { method: 'POST', path: `/run/${name}`, status: 200, handle };
}

/** @throws ApiFault 409 if the run has no time travel */
function travelOf({ travel }: RunControls): TimeTravel {
  if (travel) return travel;
  throw new ApiFault(409, 'time travel needs virtual time: ghostfleet run --clock virtual --pace 60', 'no-travel');
}

async function comparison({ controls, body }: Request): Promise<RunComparison> {
  const lasts = optionalText(body, 'for');
  const found = await travelOf(controls).compare(text(body, 'id'), lasts === undefined ? undefined : durationIn(lasts));
  if (!found) throw new ApiFault(404, 'run of the past not found');
  return found;
}

async function explanation({ controls, clock, query, id }: Request): Promise<Explanation> {
  const ask = () => controls.explain(Number(query.serial), id, query['what-if'] === 'true');
  const found = await ask();
  if (found) return found;
  // A downlink that was queued just now is known when the events of its instant are complete.
  await pause({ clock, limit: INSTANT, what: 'the events of an instant' });
  const later = await ask();
  if (!later) throw new ApiFault(404, 'downlink not found');
  return later;
}

/** @throws ApiFault 400 */
function downlinksIn({ downlinks }: Request['body']): readonly WantedDownlink[] {
  const wanted: readonly unknown[] = Array.isArray(downlinks) ? downlinks : [];
  const read = wanted.flatMap((each) => {
    if (typeof each !== 'object' || each === null || !('id' in each && 'serial' in each)) return [];
    const serial = foreignNumber(each.serial);
    return typeof each.id === 'string' && Number.isInteger(serial) ? [{ id: each.id, serial }] : [];
  });
  if (read.length > 0 && read.length === wanted.length && read.length <= MOST_WAITS) return read;
  throw new ApiFault(400, `body/downlinks must be a list of 1 to ${MOST_WAITS} objects {id, serial}`);
}

/** Sends the state every half second until the client disconnects. */
async function states({ controls, clock, lines }: Request): Promise<void> {
  while (!lines.isOver) {
    lines.send(controls.state());
    await pause({ clock, limit: STATE_EVERY, what: 'the next state for a console' });
  }
}

/** Executes a line; the parts of the output are sent as they arrive, and at the end the number of devices. */
async function line({ controls, clock, body, lines }: Request): Promise<void> {
  const open = new Set<string>();
  let allOut = () => {};
  const everythingOut = new Promise<void>((resolve) => {
    allOut = resolve;
  });
  let asked: number | undefined;
  asked = await controls.line(text(body, 'on'), text(body, 'line'), (part) => {
    lines.send(part);
    if (part.more) open.add(part.from);
    else open.delete(part.from);
    if (asked !== undefined && open.size === 0) allOut();
  });
  // The wait is limited, because a device that restarts drops the rest of its output.
  const alarm = clock.after(LONGEST_LINE, 'the output of a line', () => allOut());
  if (open.size > 0) await everythingOut;
  alarm.cancel();
  lines.send({ done: asked, ...(open.size > 0 && { unfinished: [...open] }) });
}
