/**
 * A small load balancer for several nodes. Connections and datagrams from one address go to one node, as with a Kubernetes
 * service with `sessionAffinity: ClientIP`. A node that refuses connections receives nothing until it accepts them again.
 * The balancer listens on one port for TCP and UDP, and prints this port. Its arguments are the ports of the nodes, `HTTP:UDP`
 * each.
 */
import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';

const LOOPBACK = '127.0.0.1';
/** Pause between two test connections to a node. */
const LOOK_MS = 100;
const BUFFER = 4 * 1024 * 1024;

interface Node {
  readonly http: number;
  readonly udp: number;
  alive: boolean;
}

const nodes = process.argv.slice(2).map((ports): Node => {
  const [http, udp] = ports.split(':').map(Number) as [number, number];
  return { http, udp, alive: true };
});

let turn = 0;
const living = () => nodes.filter(({ alive }) => alive);
/** The node of each address. */
const nodeOf = new Map<string, Node>();

function nodeFor(address: string): Node | undefined {
  const before = nodeOf.get(address);
  if (before?.alive) return before;
  const node = living()[turn++ % living().length];
  if (node) nodeOf.set(address, node);
  return node;
}

setInterval(() => {
  for (const node of nodes) {
    const probe = createConnection(node.http, LOOPBACK);
    probe.once('connect', () => {
      node.alive = true;
      probe.destroy();
    });
    probe.once('error', () => {
      node.alive = false;
    });
  }
}, LOOK_MS);

const server = createServer((client: Socket) => {
  client.setNoDelay(true);
  client.on('error', () => {});
  const node = nodeFor(client.remoteAddress ?? '');
  if (node === undefined) return client.destroy();
  const behind = createConnection(node.http, LOOPBACK);
  behind.setNoDelay(true);
  behind.on('error', () => client.destroy());
  client.on('close', () => behind.destroy());
  behind.on('close', () => client.destroy());
  client.pipe(behind).pipe(client);
});
await once(server.listen(0, LOOPBACK), 'listening');
const { port } = server.address() as AddressInfo;

/** The node of each source of datagrams, and the socket from which the balancer forwards them. */
const flows = new Map<string, { readonly node: Node; readonly socket: Datagrams }>();
const front = createSocket({ type: 'udp4', recvBufferSize: BUFFER });

function flowOf(address: string, source: number): Datagrams | undefined {
  const node = nodeFor(address);
  if (node === undefined) return undefined;
  const name = `${address}:${source}`;
  const known = flows.get(name);
  if (known?.node === node) return known.socket;
  known?.socket.close();
  const socket = createSocket({ type: 'udp4', recvBufferSize: BUFFER });
  socket.on('message', (datagram) => front.send(datagram, source, address));
  socket.on('error', () => {});
  flows.set(name, { node, socket });
  return socket;
}

front.on('message', (datagram, { address, port: source }) => {
  const flow = flowOf(address, source);
  if (flow) flow.send(datagram, nodeOf.get(address)?.udp, LOOPBACK);
});
front.bind(port, LOOPBACK, () => console.log(port));
