/** Further tests beside mcp.test.ts. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { program } from '../../scripts/support/program.js';
import { folderOfTest } from '../support/folder-of-test.js';
import { SCENARIO, serve, toolsOf } from './mcp-support.js';

describe('a client without --allow-write', () => {
  it('runs, explains, changes and compares a scenario, and leaves nothing behind', async () => {
    const { call, read, client, folder, end } = await serve();
    const { value: ran } = await call('run_scenario', { text: SCENARIO, seed: 7 });
    expect(ran).toMatchObject({ run: 'run-1', scenario: 'small', seed: 7, passed: true, downlinks: { answered: 3 } });
    const { value: again } = await call('run_scenario', { text: SCENARIO, seed: 8 });
    expect(again).toMatchObject({ run: 'run-2', passed: true });

    const { value: explained } = await call('explain_run', { run: 'run-1', slowest: 1 });
    expect(explained).toMatchObject({ downlinks: [{ causes: expect.arrayContaining([expect.anything()]) }] });
    const { value: changed } = await call('what_if', { run: 'run-1', without: ['outage'] });
    expect(JSON.stringify(changed)).toContain('outage');
    const { value: compared } = await call('compare_runs', { a: 'run-1', b: 'run-2' });
    expect(JSON.stringify(compared)).toContain('downlink.answered');

    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toContain('ghostfleet://runs/run-1/report.txt');
    expect(await read('ghostfleet://runs/run-1/report.txt')).toContain('✓ downlink.answered == 3');
    expect(JSON.parse(await read('ghostfleet://runs/run-2/summary.json'))).toMatchObject({ seed: 8 });
    expect(readdirSync(folder)).toEqual([]);
    expect((await end()).exit).toBe(0);
  });
});

describe('resources', () => {
  it('are the pages of the documentation', async () => {
    const { client, read } = await serve();
    const { resources } = await client.listResources();
    const pages = resources.filter(({ uri }) => uri.startsWith('ghostfleet://docs/'));
    expect(pages[0]).toMatchObject({ uri: 'ghostfleet://docs/README.md', title: 'Documentation' });
    for (const { uri, name } of pages) {
      expect([name, await read(uri)]).toEqual([name, readFileSync(`docs/${name}`, 'utf8')]);
    }
  });
});

it('the program serves a client through its standard streams, wherever it is started', async () => {
  const folder = folderOfTest();
  mkdirSync(join(folder, 'sub'));
  writeFileSync(join(folder, 'sub', 'small.yaml'), SCENARIO);
  const words = ['run', 'sub/small.yaml', '--out', 'runs/of-the-user'];
  expect(spawnSync(process.execPath, [resolve(program()), ...words], { cwd: folder }).status).toBe(0);
  const client = new Client({ name: 'test', version: '1' });
  const { call } = toolsOf(client);
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program(), 'mcp', '--folder', folder],
      stderr: 'inherit',
    }),
  );
  try {
    expect((await call('run_scenario', { scenario: 'sub/small.yaml' })).value).toMatchObject({ passed: true });
    for (const run of ['sub/small.yaml', 'of-the-user']) {
      expect([run, (await call('what_if', { run, without: ['outage'] })).text]).toEqual([
        run,
        expect.stringContaining('"downlinks"'),
      ]);
    }
  } finally {
    await client.close();
  }
});
