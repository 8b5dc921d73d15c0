/** The guided tour of a run: what to look at, in six steps. */
import type { RunState } from '../../../src/control/run-state.js';
import { counted } from './count.js';
import { faultName, isLasting } from './faults.js';
import type { Row } from './fleet.js';
import { lengthText } from './length.js';

export interface TourStep {
  readonly title: string;
  readonly text: string;
  /** The page of the step: its name and arguments in the address. */
  readonly path: readonly string[];
}

/** @param rows the devices; the third step shows one of them */
export function tourSteps(state: RunState, rows: readonly Pick<Row, 'id' | 'name'>[]): readonly TourStep[] {
  const shown = rows.find(({ name }) => name.startsWith('office')) ?? rows[0];
  return [
    {
      title: 'A fleet that sleeps',
      text:
        `Each square is one of ${counted(state.devices, 'device')}. It sleeps to save its battery, wakes up to report, and flashes. ` +
        `${paceText(state)} The curves show the last hour.`,
      path: ['overview'],
    },
    {
      title: 'An outage',
      text:
        `${outageText(state)} A square turns yellow when one contact is missing by the rhythm of its device, and red when ` +
        'three are missing.',
      path: ['overview'],
    },
    {
      title: 'A command to a sleeping device',
      text:
        'Queue a command here, such as "info show". The cloud cannot wake the device: the command waits for its next ' +
        'report or poll, and the page says how long each part of the way took.',
      path: shown ? ['devices', shown.id, 'queue'] : ['fleet'],
    },
    {
      title: 'What downlinks wait for',
      text:
        'All waiting downlinks, grouped by the cause of the wait, and how long the delivered ones took. During an ' +
        'outage, the fault has a group of its own.',
      path: ['downlinks'],
    },
    {
      title: 'Expectations, faults and time travel',
      text:
        'What the scenario expects, and whether it holds so far. Inject a fault, or go back to a moment before the ' +
        'outage, lift it there, and compare both runs.',
      path: ['run'],
    },
    {
      title: 'Your own scenario',
      text:
        'Change a scenario, or write one: the plan appears beside it, and a run takes seconds. A firmware roll-out, a ' +
        'connector with a failing target and the users of this demo are on the page Administration.',
      path: ['scenario'],
    },
  ];
}

function paceText({ speed }: RunState): string {
  if (speed === 1) return 'Time passes as in reality.';
  return `Each second, ${lengthText(speed * 1000)} of its time pass.`;
}

/** The outage of now, or else the next one, or the last one. */
function outageText({ faults, now_ms, speed }: RunState): string {
  const passing = faults.filter((fault) => !isLasting(fault));
  const active = passing.find(({ state }) => state === 'active');
  if (active) {
    const rest = active.until === null ? 'until it is lifted' : `for another ${lengthText(active.until - now_ms)}`;
    return `Now in force: ${faultName(active)}, ${rest}.`;
  }
  const next = passing.filter(({ state }) => state === 'planned').sort((a, b) => a.from - b.from)[0];
  if (next) {
    const wait = next.from - now_ms;
    return `In ${lengthText(wait)}, ${faultName(next)} begins: ${lengthText(wait / speed)} at this speed.`;
  }
  const over = passing.at(-1);
  return over ? `Over: ${faultName(over)}.` : 'This run has no fault yet: inject one on the page Run.';
}
