/** `kernel thread` and `kernel heap` (shell S-29): made up, in Zephyr's layout, the same for every device. */
import type { Command } from '../shell/command.js';
import { ok } from './results.js';

interface Thread {
  readonly address: number;
  readonly name: string;
  readonly priority: number;
  readonly state: string;
  readonly stack: number;
  readonly used: number;
}

const THREADS: readonly Thread[] = [
  { address: 0x2000_3a60, name: 'shell_rtt', priority: 14, state: 'queued', stack: 4096, used: 1624 },
  { address: 0x2000_3418, name: 'cloud', priority: 10, state: 'pending', stack: 8192, used: 3104 },
  { address: 0x2000_2f90, name: 'lte', priority: 10, state: 'pending', stack: 4096, used: 1712 },
  { address: 0x2000_2c08, name: 'work', priority: 14, state: 'pending', stack: 4096, used: 1288 },
  { address: 0x2000_2740, name: 'sysworkq', priority: -1, state: 'pending', stack: 2048, used: 712 },
  { address: 0x2000_22b8, name: 'logging', priority: 14, state: 'pending', stack: 1024, used: 520 },
  { address: 0x2000_1e30, name: 'idle', priority: 15, state: '', stack: 320, used: 92 },
  { address: 0x2000_1988, name: 'main', priority: 0, state: 'suspended', stack: 8192, used: 2856 },
];

/** Bytes. */
const HEAP = { free: 5208, allocated: 2888, most: 4416 };

export const thread: Command = {
  word: 'thread',
  help: 'Threads.',
  children: [
    {
      word: 'list',
      help: 'List the threads.',
      args: [0, 0],
      run: () => ok('Scheduler: 3 since last call', 'Threads:', ...THREADS.flatMap(details)),
    },
    {
      word: 'stacks',
      help: 'Show how much of their stacks the threads have used.',
      args: [0, 0],
      run: () => ok(...THREADS.map(stackLine)),
    },
  ],
};

export const heap: Command = {
  word: 'heap',
  help: 'Show how much of the heap is used.',
  args: [0, 0],
  run: () => ok(`free:           ${HEAP.free}`, `allocated:      ${HEAP.allocated}`, `max. allocated: ${HEAP.most}`),
};

/** The asterisk marks the thread that runs the command: the first one. */
function details({ address, name, priority, state, stack, used }: Thread, index: number): readonly string[] {
  return [
    `${index === 0 ? '*' : ' '}0x${address.toString(16)} ${name.padEnd(10)}`,
    `\toptions: 0x0, priority: ${priority} timeout: 0`,
    `\tstate: ${state}, entry: 0x${(address - 0x1fff_0000).toString(16)}`,
    `\tstack size ${stack}, unused ${stack - used}, usage ${used} / ${stack} (${percent(used, stack)} %)`,
    '',
  ];
}

function stackLine({ address, name, stack, used }: Thread): string {
  const sizes = `unused ${pad(stack - used)}\tusage ${pad(used)} / ${pad(stack)} (${percent(used, stack)} %)`;
  return `0x${address.toString(16)} ${name.padEnd(32)} (real size ${pad(stack)}):\t${sizes}`;
}

function percent(part: number, whole: number): string {
  return String(Math.floor((100 * part) / whole)).padStart(2);
}

function pad(bytes: number): string {
  return String(bytes).padStart(4);
}
