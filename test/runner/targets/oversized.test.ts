/** A run against a cloud whose datagrams do not fit into the buffers of the devices. */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { type Service, startService } from '../../../src/cloud/service.js';
import { seededRandom } from '../../../src/kernel/random.js';
import { RealClock } from '../../../src/kernel/real-clock.js';
import { runPlan } from '../../../src/library/scenario.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import { describeDeviceTypes } from '../../../src/runner/known-types.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';
import { QUIET } from '../../support/cloud.js';
import { unhurried } from '../../support/unhurried.js';

const open: Socket[] = [];
let service: Service | undefined;

afterEach(async () => {
  for (const socket of open.splice(0)) socket.close();
  await service?.close();
  service = undefined;
});

async function bound(): Promise<Socket> {
  const socket = createSocket('udp4');
  open.push(socket);
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket;
}

/**
 * Returns the port of a gateway that passes everything on to the gateway at `port`, and adds `surplus` bytes to the packets of
 * the first `long` answers.
 */
async function padding(port: number, surplus: number, long: number, format: 'base64' | 'latin1'): Promise<number> {
  const front = await bound();
  const backs = new Map<number, Promise<Socket>>();
  let left = long;
  const padded = (answer: Buffer): Buffer => {
    if (left-- <= 0) return answer;
    const packet = Buffer.from(answer.toString('latin1'), format);
    return Buffer.from(Buffer.concat([packet, Buffer.alloc(surplus)]).toString(format), 'latin1');
  };
  const backFor = async ({ port: client, address }: RemoteInfo): Promise<Socket> => {
    const socket = await bound();
    return socket.on('message', (answer) => front.send(padded(answer), client, address));
  };
  front.on('message', async (datagram, from) => {
    const back = backs.get(from.port) ?? backFor(from);
    backs.set(from.port, back);
    (await back).send(datagram, port, '127.0.0.1');
  });
  return front.address().port;
}

it('a run names a cloud whose datagrams are too long, its devices, and the number and the size of these datagrams', async () => {
  const options = { db: 'memory', host: '127.0.0.1', port: 0, udpPort: 0, udpRawPort: 0, space: 'theirs', log: QUIET };
  const theirs = await startService({
    ...options,
    clock: new RealClock(),
    random: seededRandom(1),
    trace: { emit: () => {} },
  });
  service = theirs;
  const scenario = [
    'name: too-long',
    'duration: 90s',
    'settle: 1s',
    'fleet: [{ name: site, profile: clime, count: 5 }, { name: node, profile: hio-node, count: 1 }]',
    "expect: ['device.boots == 6']\n",
  ].join('\n');
  const plan = planScenario(parseScenario(scenario, 'test.yaml', describeDeviceTypes(packagedProfiles())), { seed: 7 });
  const gateway = {
    host: '127.0.0.1',
    // The first answers are acknowledgements with 14 bytes. Packets of 464 bytes take 620 characters in base64.
    port: await padding(Number(theirs.udp), 450, 5, 'base64'),
    rawPort: await padding(Number(theirs.udpRaw), 495, 1, 'latin1'),
  };
  const { api, apiKey } = theirs;
  const cloud = {
    ...{ api, apiKey: String(apiKey), spaceId: null, keyOf: String, gateway },
    pace: { atOnce: 4, perSecond: null },
  };
  const { warnings, fleet } = await runPlan(plan, { clock: 'real', speed: 60, meter: unhurried, cloud });
  const names = 'site-000\\d(, site-000\\d){0,4}';
  const hio = 'a datagram of 509 bytes to node-0001; their buffer holds 508';
  expect(warnings.filter((line) => line.includes('sends datagrams'))).toEqual([
    expect.stringMatching(
      `^the cloud sends datagrams that no CHESTER can receive: 5 datagrams of up to 620 bytes to ${names}; their buffer holds 508$`,
    ),
    `the cloud sends datagrams that no hio device can receive as a whole: ${hio}`,
  ]);
  expect(fleet.overruns).toMatchObject({ datagrams: 5, longest: 620 });
});
