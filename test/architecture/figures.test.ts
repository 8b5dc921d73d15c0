/** The limits of the figures that `npm run figures` prints. */
import { describe, expect, it } from 'vitest';
import { additions, beginsWithVerb, crumbs, functions, median, secondDeclarations } from './figures.js';

/** Types that look like those of the API and are another contract: of devices, of scripts, of recordings and of the trace. */
const OTHER_CONTRACTS: readonly string[] = [
  'src/cloud/connectors/job.ts: Job',
  'src/cloud/delivery/down-messages.ts: SessionBody',
  'src/protocol/http/downlinks.ts: JsonDownlink',
  'src/protocol/http/uplinks.ts: JsonUplink',
  'src/record/recording.ts: DOWNLINK_STATES',
  'src/trace/events.ts: UpdateState',
];
/** Share of functions whose names begin with a verb, by module; raise a number when you have renamed functions. */
const VERBS: Readonly<Record<string, number>> = {
  'src/cli': 0.9,
  'src/explain': 0.85,
  'src/profile': 0.85,
  'src/record': 0.9,
  'src/report': 0.85,
  'src/runner': 0.75,
  'src/trace': 0.85,
};
/** Kinds, formats and commands have one file each, however short. */
const KINDS = /^src\/(scenario\/(steps|faults)|device\/environment\/models|report\/renderers|cli)\//;

describe('the structure of the project', () => {
  it('needs few places for an addition: most rows name two files, and no row more than six', () => {
    const rows = additions();
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThanOrEqual(40);
    expect(median(rows.map(({ always }) => always))).toBeLessThanOrEqual(2);
    expect(rows.filter(({ most }) => most > 6)).toEqual([]);
  });

  it('has no short file with a single importer: its text stands in the importer or in a sibling', () => {
    expect(crumbs().filter((path) => !KINDS.test(path))).toEqual([]);
  });

  it('declares no type of the API outside of src/contract', () => {
    expect(secondDeclarations().filter((each) => !OTHER_CONTRACTS.includes(each))).toEqual([]);
  });

  it('names functions by verbs', () => {
    const all = functions();
    expect(all.length).toBeGreaterThan(4000);
    const low = Object.entries(VERBS).flatMap(([module, share]) => {
      const names = all.filter((each) => each.module === module).map(({ name }) => name);
      const found = names.filter(beginsWithVerb).length / names.length;
      return found >= share ? [] : [`${module}: ${Math.round(100 * found)} %, not ${100 * share} %`];
    });
    expect(low, 'a function is named by what it does: findCause, not causeOf').toEqual([]);
  });
});
