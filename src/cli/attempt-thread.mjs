// Entry point of the thread. A thread does not inherit the module loader of its process, so it has to register the one for
// TypeScript when it is started from the sources, as in tests.
if (import.meta.url.endsWith('/src/cli/attempt-thread.mjs')) (await import('tsx/esm/api')).register();
await import('./attempt-thread-main.js');
