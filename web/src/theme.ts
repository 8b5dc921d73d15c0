/** The theme, dark or light: that of the system, unless the user has switched. */
import { effect, signal } from '@preact/signals';
import { ofBrowser } from './platform/storage.js';

export type Theme = 'dark' | 'light';

const KEY = 'ghostfleet.theme';
const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = signal<Theme>(chosen() ?? ofSystem());

/** Shows the theme, and follows the system until the user switches. */
export function startTheme(): void {
  system.addEventListener('change', () => {
    if (chosen() === undefined) theme.value = ofSystem();
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}

export function switchTheme(): void {
  theme.value = theme.value === 'dark' ? 'light' : 'dark';
  ofBrowser.set(KEY, theme.value);
}

function ofSystem(): Theme {
  return system.matches ? 'dark' : 'light';
}

function chosen(): Theme | undefined {
  const stored = ofBrowser.get(KEY);
  return stored === 'dark' || stored === 'light' ? stored : undefined;
}
