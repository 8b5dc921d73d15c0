/** A program for a test: uses the library where other global classes have replaced those of Node, and prints what it did. */

/** Node takes no objects of another class for addresses of its files, and a bundler rewrites them. */
class WebUrl extends URL {
  constructor(address: string | URL, base?: string | URL) {
    super(address, base);
    if (this.protocol === 'file:') throw new TypeError('The URL must be of scheme http');
  }
}

const replaced = {
  URL: WebUrl,
  structuredClone: undefined,
  performance: { now: () => 0 },
  Event: class {},
  fetch: undefined,
};
for (const [name, value] of Object.entries(replaced))
  Object.defineProperty(globalThis, name, { value, writable: true });

const { runScenario, startDevice, startService, virtualTime } = await import('../../src/index.js');

const [db = ''] = process.argv.slice(2);
const { passed } = await runScenario(`
name: dom
duration: 1h
fleet: [{ name: cell, profile: clime, count: 2 }]
expect: [device.ready == fleet.devices]
`);
const time = virtualTime();
const service = await startService({ db, time });
const device = await startDevice({ profile: 'clime', service });
await time.until(() => device.state === 'asleep');
const { id } = await service.client.sendCommands(device.id, ['info show']);
await time.advance('2h');
const timeline = await service.client.timeline(id);
await service.close();
console.log(JSON.stringify({ passed, events: timeline.map(({ what }) => what) }));
