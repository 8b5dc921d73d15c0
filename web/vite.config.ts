/** Builds the console to dist/web: static files that the service serves. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Sets the time of index.html to the start of the build, because a source that changes during the build may not be in it. */
function timeOfBuild(): Plugin {
  const began = new Date();
  return { name: 'time-of-build', writeBundle: ({ dir = '' }) => utimesSync(join(dir, 'index.html'), began, began) };
}

export default defineConfig({
  plugins: [timeOfBuild()],
  root: path('.'),
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: {
      // The API client and the protocol run unchanged; these files replace the modules that browsers do not have.
      undici: path('./src/api/pool.ts'),
      'node:crypto': path('./src/platform/crypto.ts'),
      'node:perf_hooks': path('./src/platform/timers.ts'),
      'node:timers': path('./src/platform/timers.ts'),
    },
  },
  build: {
    outDir: path('../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy of the service forbids inline code and data, so no file is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Licences of the packages whose code is in the files.
    license: { fileName: 'licences.md' },
  },
  server: { host: '127.0.0.1', proxy: { '/v2': process.env.GHOSTFLEET_API ?? 'http://127.0.0.1:8080' } },
});
