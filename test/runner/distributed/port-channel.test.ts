import { MessageChannel } from 'node:worker_threads';
import { PortChannel } from '../../../src/runner/distributed/threads/port-channel.js';
import { channelContract } from '../../contracts/channel/channel.js';

channelContract(() => {
  const { port1, port2 } = new MessageChannel();
  const run = new PortChannel(port1, () => {});
  return Promise.resolve({ run, part: new PortChannel(port2, () => port2.close()) });
});
