/** What devices of a profile share besides it: the shell, the layout of parameters, the codec uploads. */
import type { Profile } from '../../profile/profile.js';
import type { Build } from '../../protocol/firmware-image.js';
import { encodeUp } from '../../protocol/messages/index.js';
import { buildShell } from '../commands/index.js';
import { type ConfigLayout, configLayout } from '../config/layout.js';
import { POLICIES, type Policy } from '../family/index.js';
import { ASSUMED_TIMINGS, type ModemTimings } from '../modem/timing.js';
import type { Shell } from '../shell/shell.js';

export interface DeviceType {
  readonly profile: Profile;
  /** Rules of the family of firmware. */
  readonly policy: Policy;
  /** The firmware of new devices. */
  readonly build: Build;
  readonly shell: Shell;
  readonly layout: ConfigLayout;
  readonly decoderUpload: Uint8Array;
  /** The UPLOAD_ENCODER message; undefined if the device type accepts no data downlinks. */
  readonly encoderUpload: Uint8Array | undefined;
  /** How long the modem and its network take. */
  readonly modemTimings: ModemTimings;
  /** The same type with another firmware version; this one if the profile does not describe it. */
  withVersion(version: string): DeviceType;
}

/** Builds the shared part of the devices of `profile`. Call it once per profile. */
export function deviceType(profile: Profile, modemTimings: ModemTimings = ASSUMED_TIMINGS): DeviceType {
  return versionOf(new Map(), profile, modemTimings);
}

/** @param versions all versions of this device type that exist so far, by firmware version; all devices share them */
function versionOf(versions: Map<string, DeviceType>, profile: Profile, modemTimings: ModemTimings): DeviceType {
  const { decoder, encoder, identity } = profile;
  const type: DeviceType = {
    profile,
    policy: POLICIES[profile.family],
    build: { bundle: identity.fwBundle, name: identity.fwName, version: identity.fwVersion },
    shell: buildShell(profile.commands, profile.modules, profile.family),
    layout: configLayout(profile.modules, profile.family),
    decoderUpload: encodeUp({ kind: 'upload-decoder', hash: decoder.hash, document: decoder.bytes }),
    encoderUpload: encoder && encodeUp({ kind: 'upload-encoder', hash: encoder.hash, document: encoder.bytes }),
    modemTimings,
    withVersion: (version) => {
      const known = versions.get(version);
      if (known) return known;
      const other = profile.firmware.with(version);
      return other ? (versions.get(other.identity.fwVersion) ?? versionOf(versions, other, modemTimings)) : type;
    },
  };
  versions.set(identity.fwVersion, type);
  return type;
}
