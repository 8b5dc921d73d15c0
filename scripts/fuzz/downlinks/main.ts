/** The part of `npm run fuzz` for `--downlinks` and `--case`: prints a line for each kind of case, and how to repeat what failed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { packagedProfiles } from '../../../src/profile/library.js';
import {
  type DownlinkVerdict,
  fuzzDevice,
  fuzzFleet,
  fuzzLongLife,
  playMoves,
  SUBJECTS,
  type Subject,
} from './index.js';
import type { Move } from './moves.js';

/** The other device types get this share of the messages. */
const SHARE_OF_OTHERS = 0.01;

/** @param count messages for each version, once against single devices and once against fleets @returns the number of faults */
export async function fuzzDownlinks(seed: string, count: number): Promise<number> {
  let faults = 0;
  const note = (what: string, subject: Subject, verdict: DownlinkVerdict) => {
    const { cases, messages, datagrams, cutOff } = verdict;
    const figures = [
      `${messages} messages in ${cases} lives`,
      `${datagrams} datagrams`,
      `${cutOff} cut off by the rules`,
    ];
    console.log(`${verdict.faults.length === 0 ? 'ok' : 'FAILED'}  ${nameOf(subject)}, ${what}: ${figures.join(', ')}`);
    for (const { why, moves } of verdict.faults) {
      const repeat = moves
        ? `--case '${JSON.stringify({ ...subject, moves })}'`
        : `--downlinks ${count} --seed '${seed}'`;
      console.log(`FAULT ${why}\n  npm run fuzz -- ${repeat}`);
    }
    faults += verdict.faults.length;
  };
  for (const subject of SUBJECTS) {
    note('single devices', subject, await fuzzDevice(subject, seed, count));
    note('fleets', subject, await fuzzFleet(subject, seed, count));
    note('one long life', subject, await fuzzLongLife(subject, seed, heapUsed));
  }
  const known = new Set(SUBJECTS.map(({ profile }) => profile));
  for (const profile of packagedProfiles().keys()) {
    if (!known.has(profile))
      note('single devices', { profile }, await fuzzDevice({ profile }, seed, count * SHARE_OF_OTHERS));
  }
  console.log(`${faults === 0 ? 'ok' : 'FAILED'}: ${faults} faults, seed ${seed}`);
  return faults;
}

/** Repeats a case that was printed. @returns the number of faults */
export async function repeatCase(text: string): Promise<number> {
  // The cast is safe for a case that this program has printed.
  const { moves, ...subject } = JSON.parse(text) as Subject & { readonly moves: readonly Move[] };
  const why = await playMoves(subject, moves);
  console.log(why ?? 'ok: the case does not fail');
  return why === undefined ? 0 : 1;
}

function nameOf({ profile, version = 'newest' }: Subject): string {
  return `${profile} ${version}`;
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}
