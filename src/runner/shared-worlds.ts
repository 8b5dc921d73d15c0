/**
 * Repeats devices whose course depends on no other device. Devices that are asked about at the same time share a world: its
 * start takes longer than the course of a device.
 */
import type { DeviceHistory } from '../explain/facts.js';
import type { Histories } from '../explain/histories.js';
import { endOfTurn } from '../kernel/real-timers.js';
import type { Plan } from '../scenario/model/plan.js';
import { withoutEntries } from '../scenario/plan/change.js';
import { needsOneWorld, planOfDevices } from '../scenario/plan/divide.js';

/** A change of the plan. Changes with the same key are equal. */
export interface PlanChange {
  readonly key: string;
  /** The entries that are left out, for all devices. */
  readonly without: ReadonlySet<string>;
  /** The rest of the change, which acts only on the devices that are asked about. */
  readonly apply: (plan: Plan) => Plan;
}

/** The entries are left out first: the rest of the change may give other entries of the plan their numbers. */
export function changePlan(plan: Plan, { without, apply }: Pick<PlanChange, 'without' | 'apply'>): Plan {
  return apply(withoutEntries(plan, without));
}

type Repeat = (plan: Plan) => Promise<{ readonly histories: Pick<Histories, 'getHistory'> }>;

interface Question {
  readonly serial: number;
  readonly change: PlanChange;
  readonly answer: (history: DeviceHistory) => void;
  readonly fail: (error: unknown) => void;
}

export class SharedWorlds {
  readonly #plan: Plan;
  readonly #repeat: Repeat;
  #waiting: readonly Question[] = [];
  #isBusy = false;

  constructor(plan: Plan, repeat: Repeat) {
    this.#plan = plan;
    this.#repeat = repeat;
  }

  /** The events of the device in a repetition with this change. */
  repeatDevice(serial: number, change: PlanChange): Promise<DeviceHistory> {
    return new Promise((answer, fail) => {
      this.#waiting = [...this.#waiting, { serial, change, answer, fail }];
      if (!this.#isBusy) void this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    // By the end of the turn, callers that have an answer have asked again.
    for (await endOfTurn(); this.#waiting.length > 0; await endOfTurn()) {
      const together = this.#chooseNext();
      this.#waiting = this.#waiting.filter((each) => !together.includes(each));
      await this.#answer(together);
    }
    this.#isBusy = false;
  }

  /** The first question, and those about other devices that the same world answers. */
  #chooseNext(): readonly Question[] {
    const [first] = this.#waiting;
    const isDivisible = needsOneWorld(this.#plan) === undefined;
    const byDevice = new Map<number, Question>();
    for (const each of this.#waiting) {
      const fits = each === first || (isDivisible && isSame(each.change.without, first?.change.without));
      if (fits && !byDevice.has(each.serial)) byDevice.set(each.serial, each);
    }
    return [...byDevice.values()];
  }

  async #answer(questions: readonly Question[]): Promise<void> {
    try {
      const { histories } = await this.#repeat(this.#planFor(questions));
      for (const { serial, answer } of questions) answer(histories.getHistory(serial));
    } catch (error) {
      const [first, ...others] = questions;
      // Possibly only one of the devices cannot have its change.
      if (others.length > 0) for (const each of questions) await this.#answer([each]);
      else first?.fail(error);
    }
  }

  #planFor(questions: readonly Question[]): Plan {
    const without = new Set(questions.flatMap(({ change }) => [...change.without]));
    const apply = (plan: Plan) => questions.reduce((changed, { change }) => change.apply(changed), plan);
    return planOfDevices(changePlan(this.#plan, { without, apply }), new Set(questions.map(({ serial }) => serial)));
  }
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string> | undefined): boolean {
  return one.size === other?.size && [...one].every((each) => other.has(each));
}
