import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { processHost } from '../../src/cli/process-host.js';

/** A process, its complaints, and its standard output in trouble. */
function made() {
  const complaints: string[] = [];
  const stdout = new EventEmitter();
  const stderr = Object.assign(new EventEmitter(), { write: (text: string) => complaints.push(text) });
  const self = Object.assign(new EventEmitter(), { argv: [], env: {}, exitCode: 0, stdout, stderr });
  // Because nothing else of the process is used.
  processHost(self as unknown as NodeJS.Process);
  const trouble = (code: string) => stdout.emit('error', Object.assign(new Error(code), { code }));
  return { self, complaints, trouble };
}

it('output that is lost is told of once, and the exit code is not 0', () => {
  const { self, complaints, trouble } = made();
  trouble('ENOSPC');
  trouble('ENOSPC');
  self.emit('exit');
  expect(complaints).toEqual(['ghostfleet: what was printed is not complete: the disk is full\n']);
  expect(self.exitCode).toBe(2);
});

it('a reader that has seen enough is no trouble', () => {
  const { self, complaints, trouble } = made();
  trouble('EPIPE');
  self.emit('exit');
  expect([complaints, self.exitCode]).toEqual([[], 0]);
});
