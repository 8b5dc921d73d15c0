/** The report of the public surface, docs/api/ghostfleet.api.md: every export of the package with its signature. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Extractor, ExtractorConfig } from '@microsoft/api-extractor';
import ts from 'typescript';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Creates the report from the sources and compares it with the committed one.
 * @param update writes the new report in place of the committed one
 * @returns whether the committed report was different
 */
export function apiReport(update: boolean): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'gf-api-'));
  try {
    emitDeclarations(folder);
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
        // API Extractor prints its messages itself. Errors make the report fail; other messages have no effect.
        if (message.logLevel !== 'error') message.handled = true;
      },
    });
    return apiReportChanged;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Writes the declarations of src/index.ts and of the files that they import: less than a third of the sources.
 * @throws Error with the messages of the compiler
 */
function emitDeclarations(folder: string): void {
  const read = ts.readConfigFile(join(ROOT, 'tsconfig.build.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(read.config, ts.sys, ROOT);
  const entry = join(ROOT, 'src/index.ts');
  const program = ts.createProgram([entry], {
    ...options,
    outDir: folder,
    rootDir: join(ROOT, 'src'),
    emitDeclarationOnly: true,
    // `npm run types` checks the types.
    noCheck: true,
    sourceMap: false,
  });
  const wanted = new Set([entry]);
  for (const source of wanted) {
    const { diagnostics } = program.emit(program.getSourceFile(source), (path, text) => {
      ts.sys.writeFile(path, text);
      for (const { fileName } of ts.preProcessFile(text).importedFiles) {
        if (fileName.startsWith('.')) wanted.add(resolve(dirname(source), fileName.replace(/\.js$/, '.ts')));
      }
    });
    if (diagnostics.length > 0) throw new Error(ts.formatDiagnostics(diagnostics, host()));
  }
}

function host(): ts.FormatDiagnosticsHost {
  return { getCurrentDirectory: () => ROOT, getCanonicalFileName: (name) => name, getNewLine: () => '\n' };
}
