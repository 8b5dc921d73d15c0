/**
 * A server in front of a service. Its stream of events contains as many invented reports as wanted. Simulated devices, which
 * would send these reports otherwise, would take most of the CPU time from the browser that is measured.
 */
import { createServer, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ManyEvents {
  /** `http://127.0.0.1:41234` */
  readonly address: string;
  /** Starts the stream of reports. */
  start(): void;
  /** Number of reports since the start. */
  sent(): number;
  close(): Promise<void>;
}

/** Number of writes a second: each has an equal part of the events. */
const PIECES = 20;

export async function manyEvents(target: string, ids: readonly string[], rate: number): Promise<ManyEvents> {
  const readers = new Set<ServerResponse>();
  let count = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  const server = createServer((incoming, outgoing) => {
    if (incoming.url?.includes('/events')) {
      outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
      outgoing.write('event: hello\ndata: {"resumed":false,"heartbeat_seconds":15}\n\n');
      readers.add(outgoing);
      outgoing.on('close', () => readers.delete(outgoing));
      return;
    }
    const passed = request(
      target + (incoming.url ?? '/'),
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast is safe because a server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  const piece = () => {
    let text = '';
    for (let i = 0; i < rate / PIECES; i++) text += reportText(ids[(count * 7919) % ids.length] ?? '', count++);
    for (const reader of readers) reader.write(text);
  };
  return {
    address: `http://127.0.0.1:${port}`,
    start: () => {
      timer = setInterval(piece, 1000 / PIECES);
    },
    sent: () => count,
    close: async () => {
      clearInterval(timer);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reportText(deviceId: string, n: number): string {
  const at = new Date().toISOString();
  const windows = Array.from({ length: 6 }, (_, i) => ({
    timestamp: i,
    min: 20,
    max: 22,
    avg: 21 + (n % 10) / 10,
    mdn: 21,
  }));
  const body = {
    message: { version: 2, sequence: n, timestamp: 1_767_231_775 },
    system: { uptime: 6177, voltage_load: 3.52, voltage_rest: 3.64, current_load: 35 },
    network: {
      parameter: { eest: 8, ecl: 0, rsrp: -94, rsrq: -14, snr: 5, plmn: 23003, cid: 936_687, band: 20, earfcn: 6447 },
    },
    thermometer: { temperature: 21 + (n % 7) / 10 },
    hygrometer: { temperature: { events: [], measurements: windows }, humidity: { measurements: windows } },
  };
  const message = {
    ...{
      id: `019b7738-f654-77fa-a7a5-${n.toString(16).padStart(12, '0')}`,
      created_at: at,
      type: 'data',
      direction: 'up',
      body,
    },
    ...{ device_id: deviceId, device_name: 'x', device_serial_number: '2159000000', codec_hash: null, raw: null },
    ...{ down_state: null, down_state_at: null, down_scheduled_at: null, down_attempt: 0 },
  };
  return `id: ${n}\nevent: message\ndata: ${JSON.stringify(message)}\n\n`;
}
