import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';
import { afterEach, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/cloud/service.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { QUIET } from '../../support/cloud.js';

const KEY = 'a-key-for-the-client';
const CLIENT = fileURLToPath(new URL('generated/client.ts', import.meta.url));
const TYPES = fileURLToPath(new URL('generated/api.d.ts', import.meta.url));

let running: Service | undefined;
afterEach(async () => {
  await running?.close();
  running = undefined;
});

it('a client generated from the OpenAPI document compiles, and works with the service', async () => {
  running = await startService({
    ...{ db: 'memory', host: '127.0.0.1', port: 0, udpPort: null, udpRawPort: null, apiKey: KEY },
    ...{ clock: new RealClock(), random: seededRandom('client'), trace: { emit: () => {} }, log: QUIET },
  });
  const document = await (await fetch(`${running.api}/v2/documentation/json`)).text();
  expect(problemsWith(astToString(await openapiTS(document, { silent: true })))).toEqual([]);

  // Because the compiler of the project leaves this file out.
  const { useService }: { useService(api: string, key: string): Promise<unknown> } = await import(CLIENT);
  expect(await useService(running.api, KEY)).toEqual({
    serials: ['2159017985'],
    state: 'pending',
    unknown: 404,
    misspelt: expect.stringContaining('did you mean "sort_by"'),
  });
}, 60_000);

/** Compiles the client with these types. */
function problemsWith(types: string): readonly string[] {
  const options: ts.CompilerOptions = {
    ...{ strict: true, noEmit: true, skipLibCheck: true, exactOptionalPropertyTypes: true },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext, types: ['node'] },
    lib: ['lib.es2022.d.ts'],
  };
  const host = ts.createCompilerHost(options);
  const { readFile, fileExists } = host;
  const withTypes: ts.CompilerHost = {
    ...host,
    readFile: (file) => (file === TYPES ? types : readFile(file)),
    fileExists: (file) => file === TYPES || fileExists(file),
    getSourceFile: (file, languages) => {
      const text = file === TYPES ? types : readFile(file);
      return text === undefined ? undefined : ts.createSourceFile(file, text, languages);
    },
  };
  const program = ts.createProgram([CLIENT], options, withTypes);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
