/** A scenario whose devices are in several groups, regions and tags. */
import type { ScenarioDefinition } from '../../src/index.js';

export const SCENARIO: ScenarioDefinition = {
  name: 'parts',
  duration: '2h',
  setup: [{ client: { name: 'dashboard' } }],
  fleet: [
    { name: 'cellar', profile: 'clime', count: 4, region: 'north', tags: ['cold', 'indoor'], firmware: '3.5.5' },
    { name: 'attic', profile: 'clime', count: 3, region: 'south', tags: ['indoor'] },
    { name: 'gate', profile: 'control', count: 2 },
  ],
  steps: [{ at: '10m', to: 'cellar', commands: ['info show'] }],
  load: [
    { 'list-devices': null, rate: '60/h', as: 'dashboard' },
    { 'count-devices': null, rate: '30/h' },
  ],
};
