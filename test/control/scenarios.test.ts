/** The scenarios of the page, from their start to their end. */
import { describe, expect, it } from 'vitest';
import { Scenarios } from '../../src/control/scenarios.js';
import { FakeTools } from './scenario-tools.js';

describe('scenarios of the page', () => {
  it('have the state "starting" while their text is checked, and can be stopped in this state', async () => {
    const tools = new FakeTools();
    const scenarios = new Scenarios(tools);
    const started = scenarios.start('x', undefined);
    expect(scenarios.state).toEqual({ state: 'starting' });
    const second = scenarios.start('y', undefined);
    expect([scenarios.stop(), scenarios.state.state]).toEqual([true, 'none']);
    await expect(second).rejects.toThrow('another scenario runs');
    await expect(started).rejects.toThrow('stopped before it began');
    await expect(scenarios.start('wrong', undefined)).rejects.toThrow('unknown key');
    expect(scenarios.state.state).toBe('none');
  });

  it('are stopped at the end of the run, which waits until their files are deleted', async () => {
    const tools = new FakeTools();
    const scenarios = new Scenarios(tools);
    await scenarios.start('x', undefined);
    const steps: string[] = [];
    const closing = scenarios.close().then(() => steps.push('closed'));
    await Promise.resolve();
    expect(tools.child.isStopped).toBe(true);
    steps.push('cleaned up');
    tools.child.end('interrupted');
    await closing;
    expect(steps).toEqual(['cleaned up', 'closed']);
  });
});
