/** The state of a device after some events: in the bin of the events, and in the next bin without events. */
import { describe, expect, it } from 'vitest';
import { FLEET_STATES, FleetStates } from '../../src/trace/metrics/fleet-states.js';

type Step = (states: FleetStates, at: number) => void;

const boot: Step = (states, at) => states.boot(1, at);
const ready: Step = (states, at) => states.noteReady(1, at);
const active: Step = (states, at) => states.noteActivity(1, at);
const woken: Step = (states, at) => states.noteWake(1, at, false);
const polls: Step = (states, at) => states.noteWake(1, at, true);
const heard: Step = (states, at) => states.noteHeard(1, at);
const repeated: Step = (states, at) => states.noteRepeat(1, at);
const gaveUp: Step = (states, at) => states.noteGaveUp(1, at);

/**
 * The state of the device in each of two bins. All steps are in the first bin; the second bin ends after the window of
 * activity.
 */
function statesAfter(...steps: readonly Step[]): readonly string[] {
  const states = new FleetStates(1, 2);
  for (const [n, step] of steps.entries()) step(states, 900 + n);
  states.closeUntil(2, 1000, 500);
  const columns = states.listColumns(2);
  return [0, 1].flatMap((bin) => FLEET_STATES.filter((state) => columns[state][bin] === 1));
}

describe('a device', () => {
  it.each<[string, readonly Step[], string, string]>([
    ['that has booted is starting until it has a session', [boot], 'starting', 'starting'],
    ['that is ready is awake, then asleep', [boot, ready], 'awake', 'asleep'],
    ['that boots again is starting again', [boot, ready, boot], 'starting', 'starting'],
    ['that is starting stays so whatever it sends', [boot, gaveUp, active, heard], 'starting', 'starting'],
    ['that is known without its boot is awake, then asleep', [active], 'awake', 'asleep'],
    ['that repeats a datagram is unheard, until it stops', [ready, repeated], 'unheard', 'asleep'],
    ['that repeats and is heard is awake', [ready, repeated, heard], 'awake', 'asleep'],
    ['that repeats and sends is unheard', [ready, repeated, active], 'unheard', 'asleep'],
    ['that gave up stays unheard', [ready, gaveUp], 'unheard', 'unheard'],
    ['that gave up and sends stays unheard', [ready, gaveUp, active], 'unheard', 'unheard'],
    ['that gave up and is heard is awake', [ready, gaveUp, heard], 'awake', 'asleep'],
    ['that gave up and has a new session is awake', [ready, gaveUp, ready], 'awake', 'asleep'],
    ['that wakes once is awake', [ready, woken], 'awake', 'asleep'],
    ['that wakes twice without sending is unheard', [ready, woken, woken], 'unheard', 'unheard'],
    ['that wakes three times without sending is unheard', [ready, woken, woken, woken], 'unheard', 'unheard'],
    ['that sends between two wakes is awake', [ready, woken, active, woken], 'awake', 'asleep'],
    ['that sends after two wakes is awake', [ready, woken, woken, active], 'awake', 'asleep'],
    ['that polls after two wakes is awake', [ready, woken, woken, polls], 'awake', 'asleep'],
    ['that polls twice is awake', [ready, polls, polls], 'awake', 'asleep'],
    ['that gave up and wakes once is awake', [ready, gaveUp, woken], 'awake', 'asleep'],
    ['that repeats and wakes once is awake', [ready, repeated, woken], 'awake', 'asleep'],
  ])('%s', (_, steps, first, second) => {
    expect(statesAfter(...steps)).toEqual([first, second]);
  });
});

describe('the columns', () => {
  it('count each device of the plan in one state', () => {
    const states = new FleetStates(5, 1);
    states.boot(1, 0);
    states.noteReady(2, 0);
    states.noteGaveUp(3, 0);
    states.closeUntil(1, 1000, 1000);
    expect(states.listColumns(1)).toEqual({ asleep: [0], awake: [1], unheard: [1], starting: [1], off: [2] });
  });

  it('keep the states of a closed bin', () => {
    const states = new FleetStates(1, 3);
    states.boot(1, 500);
    states.closeUntil(1, 1000, 1000);
    states.noteReady(1, 1500);
    states.closeUntil(3, 1000, 1000);
    expect(states.listColumns(3)).toMatchObject({ starting: [1, 0, 0], awake: [0, 1, 0], asleep: [0, 0, 1] });
    expect(states.listColumns(2).starting).toEqual([1, 0]);
  });

  it('keep states and times of known devices when more devices are added', () => {
    const states = new FleetStates(3, 2);
    states.boot(1, 100);
    states.noteGaveUp(2, 100);
    states.noteReady(3, 1900);
    for (let serial = 4; serial <= 100; serial++) states.noteReady(serial, 100);
    states.closeUntil(2, 1000, 500);
    // Of the devices in the plan, only the last one was active in the second half of the second bin.
    expect(states.listColumns(2)).toMatchObject({ starting: [1, 1], unheard: [1, 1], awake: [1, 1], asleep: [97, 97] });
  });

  it('keep the state at the end of each pair of bins when pairs are merged', () => {
    const states = new FleetStates(1, 6);
    const [starting, awake] = [1, 1];
    states.boot(1, 0);
    states.closeUntil(1, 1000, 1000);
    states.noteReady(1, 1500);
    states.closeUntil(2, 1000, 1000);
    states.boot(1, 2500);
    states.closeUntil(3, 1000, 1000);
    states.merge();
    // Three bins were closed: the second pair is not complete, and is closed again.
    expect(states.listColumns(2)).toMatchObject({ awake: [awake, 0], starting: [0, starting] });
    states.noteReady(1, 3500);
    states.closeUntil(2, 2000, 2000);
    expect(states.listColumns(2)).toMatchObject({ awake: [1, 1], starting: [0, 0] });
  });
});
