/** A page of the console. */
export interface PageOfConsole {
  /** Fragment of its address, such as `#/fleet`. */
  readonly fragment: string;
  /** Selector of an element that the complete page has. */
  readonly ready: string;
}

/** The pages that exist only with a run. */
export const PAGES_OF_RUN: readonly PageOfConsole[] = [
  { fragment: '#/run', ready: '.chart canvas' },
  { fragment: '#/scenario', ready: '.plan .track' },
  { fragment: '#/terminal', ready: '.bench' },
];

/** @param deviceId a device with reports and downlinks */
export function pagesOf(deviceId: string): readonly PageOfConsole[] {
  const device = `#/devices/${deviceId}`;
  const administration = ['spaces', 'tags', 'connectors', 'variables', 'images', 'updates', 'keys', 'users', 'audit'];
  return [
    { fragment: '#/overview', ready: '.happenings li' },
    { fragment: '#/fleet', ready: '.row a' },
    { fragment: device, ready: '.readings' },
    { fragment: `${device}/messages`, ready: '.messages li' },
    { fragment: `${device}/queue`, ready: '.timeline li' },
    { fragment: `${device}/updates`, ready: 'table, p.dim' },
    { fragment: `${device}/deliveries`, ready: 'section p' },
    { fragment: `${device}/terminal`, ready: '.xterm' },
    { fragment: '#/downlinks', ready: '.bars' },
    { fragment: '#/terminal', ready: '.xterm' },
    { fragment: '#/inspector/a200182a6161f5', ready: '.sections pre' },
    ...administration.map((tab) => ({ fragment: `#/administration/${tab}`, ready: 'table, .about ~ p.dim' })),
    { fragment: '#/nowhere', ready: 'h1' },
  ];
}
