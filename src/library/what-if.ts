/** For programs: what would have happened to downlinks if something had been different. */
import { UsageError } from '../kernel/errors.js';
import { packagedProfiles } from '../profile/library.js';
import type { Profile } from '../profile/profile.js';
import type { WhatIfAnswer } from '../report/explanation/what-if.js';
import type { RunResult } from '../report/result.js';
import { answerWhatIf } from '../runner/answer-what-if.js';
import { getWhatIf } from '../runner/explainers.js';
import { WhatIf } from '../runner/what-if.js';
import type { Plan } from '../scenario/model/plan.js';
import { checkOptions, PROFILES, such, TEXT, TEXTS } from './options.js';

/** What is different, and which downlinks are asked about. */
export interface WhatIfOptions {
  /** A device (name or serial), or a downlink (id, or a unique end of it): only it is repeated and changed. Default: all. */
  readonly of?: string;
  /** Faults, steps and loads to leave out: names of the plan (`loss 10% (region/north)`), kinds (`outage`), or `step 2`. */
  readonly without?: readonly string[];
  /** Parameters of the devices by name, such as `{ 'interval-poll': 60, 'lte apn': 'iot.1nce.net' }`. */
  readonly set?: Readonly<Record<string, string | number | boolean>>;
  /** Firmware version of the devices, such as `3.5.5`. */
  readonly firmware?: string;
  /** Device types of a plan. Default: the packaged ones; for a result, those of its run */
  readonly profiles?: ReadonlyMap<string, Profile>;
}

/**
 * Repeats a run in virtual time with something changed. The answer has every downlink before and after, exactly: the repetition
 * without the change has the events of the run. A run in real time or against another cloud is simulated instead.
 * @param run the object with which {@link run} resolved in this process, or a plan
 * @throws UsageError for unknown names, for settings that devices reject, for a copy of a result, and if the run cannot be
 * repeated; InputError with all invalid options
 */
export async function whatIf(run: RunResult | Plan, options: WhatIfOptions): Promise<WhatIfAnswer> {
  checkOptions<WhatIfOptions>('whatIf', options, {
    of: TEXT,
    without: TEXTS,
    firmware: TEXT,
    profiles: PROFILES,
    set: such(isSettings, 'an object with the values of parameters, such as { "interval-poll": 60 }'),
  });
  const { of, without, set = {}, firmware, profiles = packagedProfiles() } = options;
  const texts = Object.fromEntries(
    Object.entries(set).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
  return answerWhatIf(repetitionsOf(run, profiles), { of, without, set: texts, firmware });
}

function isSettings(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => ['string', 'number', 'boolean', 'undefined'].includes(typeof each));
}

/** @throws UsageError for anything but a plan and a result of this process */
function repetitionsOf(run: RunResult | Plan, profiles: ReadonlyMap<string, Profile>): WhatIf {
  if (typeof run === 'object' && run !== null) {
    if ('devices' in run && 'actions' in run) {
      return WhatIf.ofPlan(run, profiles);
    }
    const known = getWhatIf(run);
    if (known !== undefined) return known;
  }
  throw new UsageError('no-history', 'whatIf needs a plan, or the result of a run of this process, not a copy');
}
