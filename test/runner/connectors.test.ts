/** Connectors of the embedded cloud of a run. */
import { afterEach, describe, expect, it } from 'vitest';
import { receiver } from '../cloud/connectors/receiver.js';
import { runText } from './run-text.js';

let receiving: Awaited<ReturnType<typeof receiver>> | undefined;
afterEach(() => receiving?.close());

/** Runs a fleet of one device with a connector that forwards its sessions to this machine. */
async function forward(cloud: string, options: Parameters<typeof runText>[1] = {}) {
  receiving = await receiver();
  const script = `function main(job) { return { url: \\"${receiving.url}\\", data: job.message.type } }`;
  const result = await runText(
    `
name: forwarding
duration: 1h
cloud: ${cloud}
setup: [{ connector: { name: here, tags: [cold], triggers: [session], retry-delays: [], script: "${script}" } }]
fleet: [{ name: clime, profile: clime, count: 1, tags: [cold] }]
`,
    options,
  );
  return { result, received: receiving.received.map(({ text }) => text) };
}

/**
 * Number of deliveries to this machine. The first attempt goes to a public host. If the run permits this host, the attempt
 * fails, and a second attempt goes to this machine. Otherwise, there is only one attempt.
 */
async function retried(options: Parameters<typeof runText>[1]) {
  receiving = await receiver();
  const script = `function main(job) { return { url: job.attempt === 0 ? 'http://[3ffe::1]:1/' : '${receiving.url}' } }`;
  await runText(
    `
name: forwarding
duration: 1h
cloud: { allow-private: true }
setup: [{ connector: { name: out, tags: [cold], triggers: [session], retry-delays: [1s], script: "${script}" } }]
fleet: [{ name: clime, profile: clime, count: 1, tags: [cold] }]
`,
    { allowPrivate: true, ...options },
  );
  return receiving.received.length;
}

describe('a connector in a run', () => {
  it('sends to this machine when the scenario allows it', async () => {
    const { result, received } = await forward('{ allow-private: true }', { allowPrivate: true });
    expect(result.failure).toBeNull();
    expect(received).toEqual(['session']);
  });

  it('does not send to this machine by default', async () => {
    const { result, received } = await forward('{ rate-limit: 600/m }');
    expect(received).toEqual([]);
    expect(result.warnings).toEqual(['connector "here": 1 delivery, of which 1 failed; last attempt: no response']);
  });

  it('whose target fails is named in a warning, with its failed and unfinished deliveries', async () => {
    receiving = await receiver((_, response) => response.writeHead(500).end());
    const script = `function main(job) { return { url: '${receiving.url}', data: job.message.type } }`;
    const result = await runText(
      `
name: forwarding
duration: 1h
cloud: { allow-private: true }
setup: [{ connector: { name: here, tags: [cold], triggers: [session, data], retry-delays: [45m], script: "${script}" } }]
fleet: [{ name: clime, profile: clime, count: 1, tags: [cold], config: { interval-report: 1800 } }]
`,
      { allowPrivate: true },
    );
    expect(result.warnings).toEqual([
      expect.stringMatching(
        /^connector "here": \d deliveries, of which \d failed, \d not finished; last attempt: status 500$/,
      ),
    ]);
  });

  it('does not send to a public host that the run does not permit', async () => {
    expect(await retried({})).toBe(0);
    expect(await retried({ allowHosts: ['hooks.example.com'] })).toBe(0);
  });
});
