/**
 * UPLOAD_CONFIG: the listing of the configuration. Devices of a type that share their settings share the message, too. Listing,
 * hashing and encoding it for each device would take 5 % of the CPU time of a fleet's boot.
 */
import { configTextHash, type Hash } from '../../protocol/hashes.js';
import { encodeUp } from '../../protocol/messages/index.js';
import type { Settings } from '../config/device-config.js';
import type { ConfigLayout } from '../config/layout.js';
import type { Hardware } from '../hardware/hardware.js';
import type { ShellHost } from '../shell/host.js';
import { listConfig } from '../shell/remote.js';

interface ConfigUpload {
  readonly hash: Hash;
  readonly message: Uint8Array;
}

/** Uploads by layout (one for each version of a device type), then by settings, which are never changed in place. */
const shared = new WeakMap<ConfigLayout, WeakMap<Settings, ConfigUpload>>();

/** @param host the shell of the device */
export function buildConfigUpload({ type, config }: Pick<Hardware, 'type' | 'config'>, host: ShellHost): ConfigUpload {
  const settings = config.inForce;
  if (settings === undefined) return buildListing(type, host);
  const ofLayout = shared.get(config.layout) ?? new WeakMap<Settings, ConfigUpload>();
  shared.set(config.layout, ofLayout);
  const known = ofLayout.get(settings) ?? buildListing(type, host);
  ofLayout.set(settings, known);
  return known;
}

function buildListing({ shell }: Hardware['type'], host: ShellHost): ConfigUpload {
  const { text, lines } = listConfig(shell, host);
  const hash = configTextHash(text);
  return { hash, message: encodeUp({ kind: 'upload-config', hash, lines }) };
}
