/** The report of the public surface, docs/api/ghostfleet.api.md: every export of the package with its signature. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import { writeOutTypes } from '../support/written-types.js';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Creates the report from the sources and compares it with the committed one.
 * @param update writes the new report in place of the committed one
 * @returns whether the committed report was different
 */
export async function apiReport(update: boolean): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'gf-api-'));
  try {
    emitDeclarations(folder);
    await writeOutTypes(folder);
    const path = join(ROOT, 'api-extractor.json');
    const file = ExtractorConfig.loadFile(path);
    const config = ExtractorConfig.prepare({
      configObject: {
        ...file,
        mainEntryPointFilePath: join(folder, 'index.d.ts'),
        projectFolder: ROOT,
        apiReport: { enabled: true, ...file.apiReport, reportTempFolder: join(folder, 'report') },
      },
      configObjectFullPath: path,
      packageJsonFullPath: join(ROOT, 'package.json'),
    });
    const { apiReportChanged } = Extractor.invoke(config, {
      localBuild: update,
      messageCallback: (message) => {
        // API Extractor prints errors itself. Other messages are not printed.
        if (message.logLevel !== 'error') message.handled = true;
      },
    });
    return apiReportChanged;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Writes the declarations of the sources that the public surface uses.
 * @throws Error with the messages of the compiler
 */
function emitDeclarations(folder: string): void {
  const compiler = join(ROOT, 'node_modules/tsc/bin/tsc');
  const settings = join(folder, 'tsconfig.json');
  // `npm run types` checks the types, so this run does not.
  const content = {
    extends: join(ROOT, 'tsconfig.build.json'),
    compilerOptions: {
      noCheck: true,
      rootDir: join(ROOT, 'src'),
      outDir: folder,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    },
    files: [join(ROOT, 'src/index.ts')],
    include: [],
  };
  writeFileSync(settings, JSON.stringify(content));
  // Several threads would take a third more CPU for so few files, and end at the same time.
  const args = [compiler, '-p', settings, '--singleThreaded'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(stdout);
}
