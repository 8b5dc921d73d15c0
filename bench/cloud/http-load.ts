/**
 * A fleet that posts uplinks over HTTP as fast as they are acknowledged: each device has its own connection, and sends one
 * request at a time. To leave most of the CPU to the service, which is measured on the same machine, the load uses no HTTP
 * library.
 */
import { createConnection, type TcpNetConnectOpts } from 'node:net';
import { FIRST_SERIAL } from './fleet.js';
import { tokenOf } from './token.js';

export interface HttpLoad {
  readonly port: number;
  readonly devices: number;
  /** Number of the first device. Default: 0. */
  readonly first?: number;
  /** Local address of the connections. Default: chosen by the system. */
  readonly from?: string;
  readonly milliseconds: number;
}

/** Resolves with the number of uplinks acknowledged a second. @throws Error if an answer is not 200 */
export async function postUplinks({ port, devices, first = 0, from, milliseconds }: HttpLoad): Promise<number> {
  const began = performance.now();
  const place = { port, host: '127.0.0.1', ...(from !== undefined && { localAddress: from }) };
  const counts = await Promise.all(
    Array.from({ length: devices }, (_, index) => postAs(FIRST_SERIAL + first + index, place, began + milliseconds)),
  );
  const took = performance.now() - began;
  return counts.reduce((sum, count) => sum + count, 0) / (took / 1000);
}

let sequence = 0;

function postAs(serial: number, place: TcpNetConnectOpts, deadline: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(place);
    let acknowledged = 0;
    // An answer is shorter than a TCP segment, so it arrives in one piece.
    socket.on('data', (answer) => {
      if (answer.toString('latin1', 0, ANSWER.length) !== ANSWER) return reject(new Error(answer.toString()));
      acknowledged++;
      if (performance.now() < deadline) socket.write(requestOf(serial, sequence++));
      else {
        socket.end();
        resolve(acknowledged);
      }
    });
    socket.on('connect', () => socket.write(requestOf(serial, sequence++)));
    socket.on('error', reject);
  });
}

const ANSWER = 'HTTP/1.1 200';

/** A request with an uplink of 400 bytes; no two uplinks are equal. */
function requestOf(serial: number, sequence: number): string {
  const body = uplink(serial, sequence);
  return (
    `POST /v2/device/${serial}/uplink HTTP/1.1\r\nHost: localhost\r\nAuthorization: Claim ${tokenOf(serial)}\r\n` +
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
