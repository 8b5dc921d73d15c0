/** What mcp.test.ts and mcp.long.test.ts share. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { folderOfTest } from '../support/folder-of-test.js';
import { ghostfleet } from '../support/host.js';
import { until } from '../support/until.js';

export const SCENARIO = `name: small
duration: 3h
fleet:
  - { name: cellar, profile: clime, count: 3 }
network:
  faults:
    - { outage: both, from: 30m, until: 90m }
steps:
  - { at: 40m, to: cellar, commands: [info show] }
expect:
  - downlink.answered == 3
`;

export const TOKEN = 'a-token-of-the-tests';

interface Answer {
  readonly isError: boolean;
  /** The JSON value in the only part of the answer. */
  readonly value: never;
  readonly text: string;
}

/** A server in memory with a folder, and a client of it. */
export async function serve(flags: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const folder = folderOfTest();
  let url = '';
  let stop = () => {};
  const interruptWhen = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const watch = (err: string) => {
    url = /MCP at (\S+),/.exec(err)?.[1] ?? url;
  };
  const started: string[][] = [];
  const ended = ghostfleet(['mcp', '--http', '0', '--folder', folder, ...flags], {
    env: { GHOSTFLEET_MCP_TOKEN: TOKEN, XDG_RUNTIME_DIR: folder, ...env },
    watch,
    interruptWhen,
    started: (args) => started.push([...args]),
  });
  const end = () => {
    stop();
    return ended;
  };
  onTestFinished(async () => void (await end()));
  await until(() => url !== '');
  const client = new Client({ name: 'test', version: '1' });
  const authorization = `Bearer ${env.GHOSTFLEET_MCP_TOKEN ?? TOKEN}`;
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization } } }),
  );
  return { ...toolsOf(client), client, folder, url, end, started };
}

export function toolsOf(client: Client) {
  const call = async (name: string, args: object = {}): Promise<Answer> => {
    const { content, isError = false } = await client.callTool({ name, arguments: { ...args } });
    const [part, ...more] = content;
    if (part?.type !== 'text' || more.length > 0) throw new Error('not one text');
    // The SDK complains of arguments itself, with a sentence.
    const value = part.text.startsWith('{') ? (JSON.parse(part.text) as never) : (undefined as never);
    return { isError, text: part.text, value };
  };
  const read = async (uri: string) => {
    const [part] = (await client.readResource({ uri })).contents;
    return part !== undefined && 'text' in part ? part.text : '';
  };
  return { call, read };
}
