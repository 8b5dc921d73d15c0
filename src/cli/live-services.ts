/** What users can do with a run while it lasts: see its progress, read its metrics, use its API and consoles, press Ctrl-C. */
import { ApiError, DeviceCloudClient } from '../client/client.js';
import type { Fleet } from '../console/member.js';
import type { ConsoleServer } from '../console/server.js';
import { RunControls } from '../control/controls.js';
import type { RunEnded } from '../control/run-state.js';
import { Scenarios } from '../control/scenarios.js';
import { type Place, RunServer } from '../control/server.js';
import { TargetDoor } from '../control/target-door.js';
import type { TimeTravel } from '../control/travel.js';
import { isoTime } from '../kernel/calendar.js';
import { entropy } from '../kernel/entropy.js';
import { GhostfleetError, InterruptedError, messageOf } from '../kernel/errors.js';
import type { Pace } from '../kernel/pace.js';
import { RealClock } from '../kernel/real-clock.js';
import { type Millis, sinceStart } from '../kernel/time.js';
import { shownAddress } from '../kernel/web-address.js';
import type { RunResult } from '../report/result.js';
import type { RunControl, RunOptions } from '../runner/run.js';
import type { RequestWait } from '../runner/targets/paced.js';
import type { Plan } from '../scenario/model/plan.js';
import type { TelemetrySettings } from '../telemetry/settings.js';
import type { Telemetry } from '../telemetry/telemetry.js';
import type { TraceEvent } from '../trace/events.js';
import { openToConsoles } from './attachable.js';
import type { Host } from './host.js';
import { type LiveMetrics, serveMetrics } from './live-metrics.js';
import { WEB_CONSOLE } from './package-files.js';
import { describeVerdict, PageScenarios } from './page-scenarios.js';
import { type Again, PastRuns } from './past-runs.js';
import { ProgressDisplay } from './progress-display.js';
import { SecretFile } from './secret-file.js';

interface LiveOptions {
  readonly host: Host;
  readonly plan: Plan;
  readonly metricsPort: number | undefined;
  /** Where to send telemetry; undefined for none. */
  readonly telemetry: TelemetrySettings | undefined;
  /** The clock of the run. */
  readonly clock: RunOptions['clock'];
  /** Whether consoles can attach. They cannot attach to a run that is as fast as possible: it ends before a user could type. */
  readonly consoles: boolean;
  /** Whether to serve the web console, and to print the address of the API of the embedded cloud. */
  readonly api: boolean;
  /** Address of the API of another cloud; left out for the embedded one. */
  readonly target?: string | undefined;
  /** Where the web console listens; a run that cannot listen there ends. Default: a free port of the loopback interface. */
  readonly place?: Place;
  /** Whether the web console begins with the guided tour. Default: false */
  readonly tour?: boolean;
  /** Called with the address of the web console, if the run has one. */
  readonly onConsole?: (link: string) => void;
  /** Returns the message about the leftovers of the run if the user quits immediately. */
  readonly leftBehind: () => string | undefined;
}

type World = NonNullable<RunControl['world']>;

interface WebConsoleOptions {
  readonly door?: TargetDoor | undefined;
  readonly travel?: TimeTravel | undefined;
  readonly hasHistory?: boolean;
  /** The moment of a run of the past. */
  readonly pastOf?: Millis;
  readonly place?: Place | undefined;
  readonly signedOut?: () => void;
}

export class LiveServices {
  readonly #options: LiveOptions;
  readonly #progress: ProgressDisplay;
  readonly #metrics: LiveMetrics | undefined;
  readonly #telemetry: typeof import('./run-telemetry.js') | undefined;
  #exporting: Telemetry | undefined;
  /** The file with the key of the API; deleted after the run. */
  #key: SecretFile | undefined;
  #consoles: Promise<ConsoleServer | undefined> | undefined;
  #attached: ConsoleServer | undefined;
  #webConsole: Promise<RunServer | undefined> | undefined;
  #forgetInterrupts = (): void => {};
  #last: RunEnded = { ended: 'The run has ended without a result.', verdict: null };

  private constructor(
    options: LiveOptions,
    metrics: LiveMetrics | undefined,
    telemetry: typeof import('./run-telemetry.js') | undefined,
  ) {
    const { host, plan } = options;
    this.#options = options;
    this.#metrics = metrics;
    this.#telemetry = telemetry;
    this.#progress = new ProgressDisplay(host, plan);
  }

  /** @throws UsageError if the port for the metrics cannot be used */
  static async open(options: LiveOptions): Promise<LiveServices> {
    const { host, plan, metricsPort } = options;
    const metrics = metricsPort === undefined ? undefined : await serveMetrics(metricsPort, plan);
    if (metrics) host.err.write(`metrics at ${metrics.url}\n`);
    if (options.telemetry?.destinations.traces && options.clock === 'virtual') {
      host.err.write(`traces have simulated times, from ${isoTime(plan.start)} on\n`);
    }
    // Loaded only when it is used.
    const telemetry = options.telemetry && (await import('./run-telemetry.js'));
    return new LiveServices(options, metrics, telemetry);
  }

  /**
   * Starts the services when the run begins.
   * @param again repeats a run in virtual time, for time travel
   * @throws UsageError if the folder for the key of the API cannot be created
   */
  follow(control: RunControl, again?: Again): void {
    const { host, leftBehind } = this.#options;
    const { world } = control;
    if (this.#options.api && world !== undefined && this.#options.target === undefined) {
      const { baseUrl, spaceId, apiKey } = world.api;
      this.#key = new SecretFile('api-key', apiKey);
      host.err.write(`API at ${baseUrl}/v2/spaces/${spaceId}, its key in ${this.#key.path}\n`);
    }
    if (this.#options.api && world !== undefined) this.#webConsole = this.#openAnnounced(control, world, again);
    if (this.#options.consoles && world !== undefined) this.#consoles = this.#openToConsoles(world.fleet);
    this.#forgetInterrupts = host.onInterrupt((signal) => {
      control.stop(new InterruptedError(signal));
      this.#exporting?.interrupt();
    }, leftBehind);
    this.#progress.follow(control);
    this.#metrics?.follow(control);
    const { telemetry: settings, plan, clock } = this.#options;
    const complain = (sentence: string) => this.#progress.say(`ghostfleet: ${sentence}`);
    this.#exporting = settings && this.#telemetry?.beginRunTelemetry({ settings, plan, control, clock, complain });
  }

  /** Opens the port for the web console. If this fails, the run continues without a web console. */
  async #openAnnounced(control: RunControl, world: World, again: Again | undefined): Promise<RunServer | undefined> {
    try {
      const past = again && world.pace && this.#makePastRuns(world, world.pace, again);
      const door = this.#openDoor(world);
      const opened = await this.#openWebConsole(control, {
        door,
        travel: past,
        hasHistory: await this.#hasHistory(world),
        place: this.#options.place,
        signedOut: () => {
          const link = door ? door.link() : world.consoleLink();
          if (link !== undefined && opened) this.#say(opened.server.link(link));
        },
      });
      if (!opened) return undefined;
      const link = this.#options.tour ? opened.link.replace('#', '?tour#') : opened.link;
      this.#say(link);
      this.#options.onConsole?.(link);
      return opened.server;
    } catch (error) {
      if (this.#options.place !== undefined && error instanceof GhostfleetError) control.stop(error);
      else this.#options.host.err.write(`ghostfleet: the web console cannot be opened: ${messageOf(error)}\n`);
      return undefined;
    }
  }

  #makePastRuns({ happened }: World, pace: Pace, again: Again): PastRuns {
    return new PastRuns({
      again,
      happened: () => happened().plan,
      now: () => sinceStart(pace.now),
      speed: () => pace.speed,
      openConsole: async (control, pastOf) => {
        const opened = await this.#openWebConsole(control, { pastOf });
        return opened && { link: opened.link, close: (why) => opened.server.close({ ended: why, verdict: null }) };
      },
    });
  }

  /** False for another cloud that has only the API that all clouds have. */
  async #hasHistory({ api }: World): Promise<boolean> {
    if (this.#options.target === undefined) return true;
    const client = new DeviceCloudClient({ ...api, connections: 1 });
    try {
      await client.history();
      return true;
    } catch (error) {
      return !(error instanceof ApiError && error.status === 404);
    } finally {
      await client.close();
    }
  }

  /** The way to another cloud; undefined for the embedded one. */
  #openDoor({ api: { apiKey, spaceId }, noteQueued: queued, over }: World): TargetDoor | undefined {
    const { target } = this.#options;
    if (target === undefined) return undefined;
    return new TargetDoor({ api: target, apiKey, spaceId, clock: new RealClock(), random: entropy, queued, over });
  }

  async #openWebConsole(
    { world, ...control }: RunControl,
    { door, travel, pastOf, hasHistory = true, ...rest }: WebConsoleOptions,
  ) {
    const link = door ? door.link() : world?.consoleLink();
    if (link === undefined || world?.pace === undefined) return undefined;
    const { host, plan } = this.#options;
    const { fleet, faults, pace, api, hasSession } = world;
    const target = this.#options.target === undefined ? undefined : shownAddress(this.#options.target);
    const controls = new RunControls(
      plan,
      { ...control, world },
      {
        ...{ fleet, faults, pace, travel, pastOf, target, hasHistory },
      },
    );
    const server = await RunServer.open({
      controls,
      hasSession,
      cloud: door ?? api.baseUrl,
      webConsole: host.webConsole ?? WEB_CONSOLE,
      scenarios: new Scenarios(new PageScenarios(host)),
      ...rest,
    });
    return { server, link: server.link(link) };
  }

  #say(link: string): void {
    this.#options.host.err.write(`console at ${link} (opens once, within 10 minutes)\n`);
  }

  /** Shows that the cloud has rejected requests, so that they wait; undefined: they go on. */
  showWait(wait: RequestWait | undefined): void {
    this.#progress.showWait(wait);
  }

  /** Passes an event of the run to the consoles. */
  take(event: TraceEvent): void {
    this.#attached?.take(event);
  }

  /**
   * Ends the display of the progress, and sends the last telemetry. The promise resolves when this is over, and never rejects.
   * @param result for the pages of the web console, which learn it from {@link close}
   */
  async end(result: RunResult): Promise<void> {
    this.#last = { ended: 'The run has ended.', verdict: describeVerdict(result) };
    this.#progress.end();
    await this.#exporting?.end();
  }

  async close(): Promise<void> {
    this.#progress.end();
    this.#metrics?.close();
    await this.#exporting?.close();
    this.#key?.close();
    this.#forgetInterrupts();
    await (await this.#webConsole)?.close(this.#last);
    (await this.#consoles)?.close('the run has ended');
  }

  async #openToConsoles(fleet: Fleet): Promise<ConsoleServer | undefined> {
    this.#attached = await openToConsoles(this.#options.host, fleet);
    return this.#attached;
  }
}
