/** Where runs and consoles meet, and the page of a browser, for a user whom the system knows only by a number. */
import { mkdtempSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import os from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openBrowser } from '../../src/cli/open-browser.js';
import { forgetPlace, knownPlaces, newPlace } from '../../src/console/places.js';

describe('a user without an entry in /etc/passwd, and without HOME', () => {
  const temporary = mkdtempSync(join(os.tmpdir(), 'nameless-'));
  const unknown = (call: string) => () => {
    throw new Error(`A system error occurred: ${call} returned ENOENT (no such file or directory)`);
  };

  beforeAll(() => {
    vi.spyOn(os, 'userInfo').mockImplementation(unknown('uv_os_get_passwd'));
    vi.spyOn(os, 'homedir').mockImplementation(unknown('uv_os_homedir'));
    vi.spyOn(os, 'tmpdir').mockReturnValue(temporary);
    syncBuiltinESMExports();
  });

  afterAll(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    rmSync(temporary, { recursive: true });
  });

  it('has a folder for the sockets of its runs, in which consoles find them', () => {
    expect(knownPlaces({})).toEqual([]);
    const place = newPlace('demo', '1a2b', {});
    expect(place).toEqual({ run: 'demo-1a2b', path: expect.stringMatching(/\/ghostfleet-\d+\/demo-1a2b\.sock$/) });
    expect(dirname(dirname(place.path))).toBe(temporary);
    expect(knownPlaces({})).toEqual([]);
    forgetPlace(place);
  });

  it('gets the page for its browser in the temporary folder', () => {
    let page = '';
    openBrowser(
      'http://127.0.0.1:1/console',
      () => {},
      undefined,
      (path) => {
        page = path;
      },
    );
    expect(dirname(dirname(page))).toBe(temporary);
  });
});
