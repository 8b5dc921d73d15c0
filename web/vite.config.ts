/** Builds the console to dist/web: static files that the service serves. */
import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Gives index.html the time at which the build began: a source that changes later may not be in it. */
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
      // The client of the API and the protocol run unchanged; these replace what they take from Node.
      undici: path('./src/api/pool.ts'),
      'node:crypto': path('./src/platform/crypto.ts'),
    },
  },
  build: {
    outDir: path('../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the service forbids inline code and data: all files stay files.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Licences of the packages whose code is in the files.
    license: { fileName: 'licences.md' },
  },
  server: { host: '127.0.0.1', proxy: { '/v2': process.env.GHOSTFLEET_API ?? 'http://127.0.0.1:8080' } },
});
