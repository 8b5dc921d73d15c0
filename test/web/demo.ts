/** A running `ghostfleet demo` with a console of its own. */
import { ghostfleet, type Outcome } from '../support/host.js';

export interface RunningDemo {
  /** The address that signs in. */
  readonly link: string;
  end(): Promise<Outcome>;
}

/** @param webConsole folder with the built console @param options of the command */
export async function startDemo(webConsole: string, options: readonly string[]): Promise<RunningDemo> {
  let interrupt = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    interrupt = resolve;
  });
  return new Promise((resolve, reject) => {
    const ended = ghostfleet(['demo', ...options], {
      ...{ webConsole, interruptWhen },
      watch: (text) => {
        const [, link] = /console at (\S+)/.exec(text) ?? [];
        if (link === undefined) return;
        const end = () => {
          interrupt();
          return ended;
        };
        resolve({ link, end });
      },
    });
    ended.then(({ err }) => reject(new Error(`the demo has ended: ${err}`)), reject);
  });
}
