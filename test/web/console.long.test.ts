/** Further tests beside console.test.ts. */
import { describe, expect, it } from 'vitest';
import { connectionSuite } from './connection-suite.js';
import { demoSuite } from './demo-suite.js';
import { deviceSuite } from './device-suite.js';
import { fleetSuite } from './fleet-suite.js';
import { placeSuite } from './place-suite.js';
import { runSuite } from './run-suite.js';
import { shareConsole } from './shared-console.js';
import { spaceSuite } from './space-suite.js';

const { browser, built, here, open, complaints } = shareConsole();

describe('the console', () => {
  fleetSuite(here, open, 'further');
  deviceSuite(here, open, 'further');
  placeSuite(here, open, 'further');
  spaceSuite(browser, here, open, 'further');
  runSuite(browser, here);
  demoSuite(browser, built, 'further');
  connectionSuite(browser, built, 'further');

  // This test is the last one, because it checks what the browser has reported for the shared page during the tests above.
  it('causes no errors, no warnings and no violations of its content security policy', () => {
    expect(complaints()).toEqual([]);
  });
});
