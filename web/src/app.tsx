/** Chooses the page. Pages other than the first one are loaded when they are opened. */
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { outage, session } from './api/session.js';
import { hasPage, hasSpacePages, runState } from './model/run.js';
import { loadFailure, space } from './model/space.js';
import { OverviewPage } from './pages/overview/overview-page.js';
import { SignIn } from './pages/sign-in.js';
import { Ended } from './parts/ended.js';
import { Failure } from './parts/failure.js';
import { focusContent } from './parts/focus.js';
import { later } from './parts/later.js';
import { Shell } from './parts/shell.js';
import { address, route } from './route.js';

/** A map: the name comes from the address, where `__proto__` would be found in an object. */
const PAGES: ReadonlyMap<string, ComponentType> = new Map(
  Object.entries({
    overview: OverviewPage,
    fleet: later(async () => (await import('./pages/fleet/fleet-page.js')).FleetPage, 'Fleet'),
    devices: later(async () => (await import('./pages/device/device-page.js')).DevicePage, 'Device'),
    downlinks: later(async () => (await import('./pages/downlinks/downlinks-page.js')).DownlinksPage, 'Downlinks'),
    run: later(async () => (await import('./pages/run/run-page.js')).RunPage, 'Run'),
    terminal: later(async () => (await import('./pages/terminal/terminal-page.js')).TerminalPage, 'Terminal'),
    scenario: later(async () => (await import('./pages/scenario/scenario-page.js')).ScenarioPage, 'Scenario'),
    inspector: later(async () => (await import('./pages/inspector/inspector-page.js')).InspectorPage, 'Inspector'),
    administration: later(
      async () => (await import('./pages/administration/administration-page.js')).AdministrationPage,
      'Administration',
    ),
  }),
);

const Outage = later(async () => (await import('./pages/run/outage.js')).Outage, 'ghostfleet');

export function App() {
  const isOut = session.value === undefined;
  const wasOut = useRef(isOut);
  // The form of the sign-in has gone, and the focus with it: the keyboard continues in the page.
  useEffect(() => {
    if (wasOut.current && !isOut) focusContent();
    wasOut.current = isOut;
  }, [isOut]);
  if (session.value === null && outage.value !== '') return <Outage />;
  if (session.value === null) return <p class="wait">Connecting …</p>;
  if (!session.value || !space.value) return <SignIn />;
  const { page, rest } = route.value;
  const Page = PAGES.get(runState.value && !hasPage(page) ? 'run' : page) ?? Missing;
  return (
    <Shell>
      <Ended />
      <Failure text={hasSpacePages.value ? loadFailure.value : ''} />
      <Page key={`${session.value.space.id}/${rest[0] ?? ''}`} />
    </Shell>
  );
}

function Missing() {
  return (
    <>
      <h1>This page does not exist</h1>
      <p>
        <a href={address('overview')}>Back to the overview</a>
      </p>
    </>
  );
}
