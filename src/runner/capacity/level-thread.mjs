// The first module of a thread. A thread does not inherit the module loader of its process. So if the thread is started from
// the sources, as in tests, it has to register the loader for TypeScript itself.
if (import.meta.url.endsWith('/src/runner/capacity/level-thread.mjs')) (await import('tsx/esm/api')).register();
await import('./level-thread-main.js');
