/** Serves the metrics of a run to Prometheus while the run lasts, on the loopback interface only. */
import type { ServerResponse } from 'node:http';
import type { RunControl } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { serveLocally } from './local-server.js';
import { runMetrics } from './run-metrics.js';

export interface LiveMetrics {
  readonly url: string;
  /** Serves the metrics of this run from now on; before this call, `/metrics` is empty. */
  readonly follow: (control: RunControl) => void;
  readonly close: () => void;
}

/** @param port 0 for any free port @throws UsageError if the port cannot be used */
export async function serveMetrics(port: number, plan: Plan): Promise<LiveMetrics> {
  let followed: RunControl | undefined;
  const answer = async (response: ServerResponse): Promise<void> => {
    if (followed === undefined) return void response.end();
    const registry = runMetrics(plan, followed);
    response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  };
  const { origin, close } = await serveLocally(port, '--metrics-port', ({ url, method }, response) => {
    if (url?.replace(/\?.*$/s, '') !== '/metrics')
      response.writeHead(404, { 'content-type': 'text/plain' }).end('the metrics are at /metrics\n');
    // Node leaves the body out of an answer to HEAD.
    else if (method === 'GET' || method === 'HEAD') void answer(response);
    else response.writeHead(405, { allow: 'GET, HEAD' }).end();
  });
  const follow = (control: RunControl): void => {
    followed = control;
  };
  return { url: `${origin}/metrics`, follow, close };
}
