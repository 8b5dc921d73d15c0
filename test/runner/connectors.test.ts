/** Connectors of the cloud that a run brings along. */
import { afterEach, describe, expect, it } from 'vitest';
import { receiver } from '../cloud/connectors/receiver.js';
import { runText } from './run-text.js';

let receiving: Awaited<ReturnType<typeof receiver>> | undefined;
afterEach(() => receiving?.close());

/** A fleet of one device, whose sessions are forwarded to this machine. */
async function forward(cloud: string) {
  receiving = await receiver();
  const script = `function main(job) { return { url: \\"${receiving.url}\\", data: job.message.type } }`;
  const result = await runText(`
name: forwarding
duration: 1h
cloud: ${cloud}
setup: [{ connector: { name: here, tags: [cold], triggers: [session], retry-delays: [], script: "${script}" } }]
fleet: [{ name: clime, profile: clime, count: 1, tags: [cold] }]
`);
  return { result, received: receiving.received.map(({ text }) => text) };
}

describe('a connector in a run', () => {
  it('sends to this machine when the scenario allows it', async () => {
    const { result, received } = await forward('{ allow-private: true }');
    expect(result.failure).toBeNull();
    expect(received).toEqual(['session']);
  });

  it('does not send to this machine by default', async () => {
    expect((await forward('{ rate-limit: 600/m }')).received).toEqual([]);
  });
});
