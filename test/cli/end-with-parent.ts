/** A program for a test: starts itself again, and both wait. The further process connects to the port that both are given. */
import { connect } from 'node:net';
import { processHost } from '../../src/cli/process-host.js';

const [port = '', role] = process.argv.slice(2);
const host = processHost(process);
if (role === 'further') {
  host.begun();
  connect(Number(port), '127.0.0.1');
} else {
  void host.again([port, 'further']).ended;
}
