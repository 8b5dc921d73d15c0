/** CPU time and memory of processes on this machine, read from /proc. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** CPU time that a process and its ended children have used, in milliseconds. */
export function cpuOf(pid: number): number {
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fieldsOf(pid).slice(11, 15).map(Number);
  return (user + system + childUser + childSystem) * TICK_MS;
}

/** CPU time of a process and its direct children, in milliseconds. Further descendants count when they have ended. */
export function cpuOfFamily(pid: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
  return [pid, ...children].map(cpuOf).reduce((sum, cpu) => sum + cpu, 0);
}

/** Parent of a process; 0 if the process has ended. */
export function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1] ?? 0);
}

/** Peak memory of a process so far, in MiB. */
export function peakMemory(pid: number): number {
  const [, kilobytes = '0'] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The third and all later fields of /proc/PID/stat, which follow the program's name; empty if the process has ended. */
function fieldsOf(pid: number): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
