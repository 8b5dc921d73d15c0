/** `kernel`: the commands of Zephyr itself (shell S-29). */
import { days, hours, type Millis, minutes, seconds } from '../../kernel/time.js';
import { EIO } from '../../protocol/errno.js';
import type { Command, CommandResult } from '../shell/command.js';
import { ok, refused } from './results.js';
import { heap, thread } from './threads.js';

/** Zephyr version of current firmware. */
const ZEPHYR_VERSION = '4.4.0';
/** The system timer of the nRF52 counts the cycles of a 32,768 Hz crystal in 32 bits. */
const CYCLES_PER_SECOND = 32_768;
const CYCLE_COUNTER_RANGE = 4_294_967_296;

const restart = (): CommandResult => ({ ...ok(), reboot: 'shell' });

export const kernel: Command = {
  word: 'kernel',
  help: 'Kernel commands.',
  children: [
    {
      word: 'cycles',
      help: 'Show the cycle counter.',
      args: [0, 0],
      run: (host) => {
        const cycles = Math.floor((host.uptime * CYCLES_PER_SECOND) / 1000) % CYCLE_COUNTER_RANGE;
        return ok(`cycles: ${cycles} hw cycles`);
      },
    },
    heap,
    {
      word: 'reboot',
      help: 'Reboot at once; unsaved configuration is lost.',
      run: restart,
      children: [
        { word: 'cold', help: 'Cold reboot.', run: restart },
        { word: 'warm', help: 'Warm reboot.', run: restart },
      ],
    },
    thread,
    {
      word: 'uptime',
      help: 'Show the time since boot: [-p | --pretty]',
      args: [0, 1],
      run: (host, [option]) => {
        const uptime = Math.floor(host.uptime);
        if (option === undefined) return ok(`Uptime: ${uptime} ms`);
        if (option !== '-p' && option !== '--pretty') return refused(EIO, `Unsupported option: ${option}`);
        return ok(`uptime: ${spelledOut(uptime)}`);
      },
    },
    {
      word: 'version',
      help: 'Show the version of Zephyr.',
      args: [0, 0],
      run: () => ok(`Zephyr version ${ZEPHYR_VERSION}`),
    },
  ],
};

/** `1 days, 2 hours, 3 minutes, 4 seconds, 5 milliseconds` */
function spelledOut(duration: Millis): string {
  const parts = [
    `${Math.floor(duration / days(1))} days`,
    `${Math.floor((duration % days(1)) / hours(1))} hours`,
    `${Math.floor((duration % hours(1)) / minutes(1))} minutes`,
    `${Math.floor((duration % minutes(1)) / seconds(1))} seconds`,
    `${duration % seconds(1)} milliseconds`,
  ];
  return parts.join(', ');
}
