/**
 * A fleet that posts uplinks over HTTP as fast as they are acknowledged, one at a time for each device. It writes requests and
 * counts answers without an HTTP library, because what is measured is the service, on a machine that it shares with this.
 */
import { createConnection } from 'node:net';
import { FIRST_SERIAL, TOKEN } from './fleet.js';

export interface HttpLoad {
  readonly port: number;
  readonly devices: number;
  /** Each carries its share of the devices, one request after the other without waiting (pipelining). */
  readonly connections: number;
  readonly milliseconds: number;
}

/** Resolves with the uplinks that were acknowledged in a second. @throws when an answer is not 200 */
export async function postUplinks({ port, devices, connections, milliseconds }: HttpLoad): Promise<number> {
  const perConnection = Math.floor(devices / connections);
  const began = performance.now();
  const counts = await Promise.all(
    Array.from({ length: connections }, (_, index) =>
      postOver(port, FIRST_SERIAL + index * perConnection, perConnection, began + milliseconds),
    ),
  );
  const took = performance.now() - began;
  return counts.reduce((sum, count) => sum + count, 0) / (took / 1000);
}

function postOver(port: number, firstSerial: number, devices: number, deadline: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(port, '127.0.0.1');
    const sent = new Array<number>(devices).fill(0);
    let acknowledged = 0;
    let underWay = 0;
    let next = 0;
    let carried = '';
    const post = (): string => {
      const device = next;
      next = (next + 1) % devices;
      underWay++;
      const sequence = sent[device] ?? 0;
      sent[device] = sequence + 1;
      return requestOf(firstSerial + device, sequence);
    };
    socket.on('connect', () => {
      let requests = '';
      for (let device = 0; device < devices; device++) requests += post();
      socket.write(requests);
    });
    socket.on('data', (chunk) => {
      const text = carried + chunk.toString('latin1');
      let requests = '';
      let at = text.indexOf(ANSWER);
      let last = -1;
      for (; at >= 0 && at + STATUS_END <= text.length; at = text.indexOf(ANSWER, at + STATUS_END)) {
        if (!text.startsWith('200', at + ANSWER.length)) return reject(new Error(text.slice(at, at + 600)));
        last = at;
        acknowledged++;
        underWay--;
        if (performance.now() < deadline) requests += post();
      }
      carried = text.slice(last < 0 ? 0 : last + STATUS_END);
      if (requests !== '') socket.write(requests);
      else if (underWay === 0) {
        socket.end();
        resolve(acknowledged);
      }
    });
    socket.on('error', reject);
  });
}

const ANSWER = 'HTTP/1.1 ';
const STATUS_END = ANSWER.length + 3;

/** An uplink with a body of 400 bytes; no two are the same. */
function requestOf(serial: number, sequence: number): string {
  const body = uplink(serial, sequence);
  return (
    `POST /v2/device/${serial}/uplink HTTP/1.1\r\nHost: localhost\r\nAuthorization: Claim ${TOKEN}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  );
}

function uplink(serial: number, sequence: number): string {
  const text = JSON.stringify({
    type: 'data',
    body: {
      message: { version: 2, sequence, timestamp: 1_767_225_600 + sequence },
      attribute: { vendor_name: 'HARDWARIO', product_name: 'CHESTER-M', hw_variant: 'CDGLS', serial_number: serial },
      system: { uptime: 100 + sequence, voltage_rest: 3.6, voltage_load: 3.55, current_load: 31 },
      network: { imei: 351358811234567, parameter: { eest: 7, ecl: 0, rsrp: -95, rsrq: -9, snr: 4, band: 20 } },
      fill: '',
    },
  });
  return text.replace('"fill":""', `"fill":"${'x'.repeat(Math.max(0, 400 - text.length))}"`);
}
