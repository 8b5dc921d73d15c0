/**
 * The text of dist/main.js. It checks the version of Node.js before anything is imported, because an older one cannot read the
 * program, and its error names neither the cause nor the version that is needed. So this file has only syntax that Node.js 10
 * reads: no static import and no `await`.
 *
 * Node.js 21 lacks functions that later versions of 20 have. Bun calls itself a version of Node.js, but lacks others.
 */
export const MAIN_ENTRY = `#!/usr/bin/env node
const [major, minor] = process.versions.node.split('.').map(Number);
const bun = process.versions.bun;
if (bun === undefined && (major > 21 || (major === 20 && minor >= 19))) {
  // As Node.js itself does it for a main module that does not end; the program sets its own exit code at its end.
  process.exitCode = 13;
  import('./program/main.mjs');
} else {
  const found = bun === undefined ? 'Node.js ' + process.versions.node : 'Bun ' + bun + ': use npx in place of bunx';
  process.stderr.write('ghostfleet: Node.js 20.19, or 22 or newer, is required; this is ' + found + '\\n');
  process.exitCode = 2;
}
`;
