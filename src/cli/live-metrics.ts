/** The metrics of a run for Prometheus to scrape, for as long as the run goes on. On this machine only. */
import { createServer, type Server } from 'node:http';
import { portRefused } from '../kernel/listen-failure.js';
import { EXPOSITION_TYPE } from '../report/exposition.js';
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
      const known = request.url === '/metrics' && request.method === 'GET';
      response.writeHead(known ? 200 : 404, { 'content-type': known ? EXPOSITION_TYPE : 'text/plain' });
      response.end(known ? this.#text() : 'the metrics are at /metrics\n');
    });
  }

  /** @throws UsageError when the port is taken */
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

  follow(control: RunControl): void {
    this.#control = control;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #text(): string {
    return this.#control === undefined ? '' : runMetrics(this.#plan, this.#control);
  }
}
