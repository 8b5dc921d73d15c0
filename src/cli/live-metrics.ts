/** Serves the metrics of a run to Prometheus while the run lasts, on the loopback interface only. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { isHost, LOCAL_HOSTS, SAFE_HEADERS } from '../cloud/http/host-guard.js';
import { answerHalfClosed } from '../cloud/http/sockets.js';
import { portRefused } from '../kernel/system-errors.js';
import type { RunControl } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { runMetrics } from './run-metrics.js';

const HOST = '127.0.0.1';

export class LiveMetrics {
  readonly #server: Server;
  readonly #plan: Plan;
  #control: RunControl | undefined;

  private constructor(plan: Plan) {
    this.#plan = plan;
    this.#server = createServer((request, response) => {
      const { url, method, headers } = request;
      response.setHeaders(new Map(Object.entries(SAFE_HEADERS)));
      if (!isHost(headers.host, LOCAL_HOSTS)) response.writeHead(403).end();
      else if (url?.replace(/\?.*$/s, '') === '/metrics') {
        // Node leaves the body out of an answer to HEAD.
        if (method === 'GET' || method === 'HEAD') void this.#serve(response);
        else response.writeHead(405, { allow: 'GET, HEAD' }).end();
      } else response.writeHead(404, { 'content-type': 'text/plain' }).end('the metrics are at /metrics\n');
    });
    answerHalfClosed(this.#server);
  }

  /** @param port 0 for any free port @throws UsageError if the port cannot be used */
  static async open(port: number, plan: Plan): Promise<LiveMetrics> {
    const live = new LiveMetrics(plan);
    await new Promise<void>((resolve, reject) => {
      live.#server.once('error', (error) => reject(portRefused(`--metrics-port ${port}`, HOST, error)));
      live.#server.listen(port, HOST, resolve);
    });
    return live;
  }

  get url(): string {
    const address = this.#server.address();
    return `http://${HOST}:${typeof address === 'object' && address !== null ? address.port : '?'}/metrics`;
  }

  /** Serves the metrics of this run from now on; before this call, `/metrics` is empty. */
  follow(control: RunControl): void {
    this.#control = control;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #serve(response: ServerResponse): Promise<void> {
    if (this.#control === undefined) return void response.end();
    const registry = runMetrics(this.#plan, this.#control);
    response.writeHead(200, { 'content-type': registry.contentType }).end(await registry.metrics());
  }
}
