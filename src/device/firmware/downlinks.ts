/** How the firmware executes a downlink (wire W-52 to W-60; timing T-8, T-61, T-62; behaviour B-32). */
import type { Millis } from '../../kernel/time.js';
import { encodeUp, MessageError, type UpMessage } from '../../protocol/messages/index.js';
import type { Hardware } from '../hardware/hardware.js';
import type { ShellHost } from '../shell/host.js';
import {
  applyConfigLines,
  type RemoteConfigOutcome,
  type RemoteShellOutcome,
  runRemoteConfig,
  runRemoteShell,
} from '../shell/remote.js';
import type { Reaction, ReactiveDownlink } from './cloud-thread.js';

type ShellUplink = Extract<UpMessage, { readonly kind: 'upload-shell' }>;
type Reactive = Exclude<ReactiveDownlink, { readonly kind: 'download-firmware' }>;

/**
 * Executes any downlink except chunks of firmware (see updater.ts).
 * @param size bytes of the downlink message, which shares the transfer buffer with its answer
 */
export function reactTo(message: Reactive, size: number, hardware: Hardware, host: ShellHost): Reaction {
  switch (message.kind) {
    case 'download-config':
      return configure(message.lines, hardware, host);
    case 'download-shell':
      return runCommands(message, size, hardware, host);
    case 'download-data':
      // The data set outputs and LEDs, whose states neither reports nor commands show. So the data have no effect here.
      return { kind: 'done' };
    default:
      return message satisfies never;
  }
}

function configure(lines: readonly string[], hardware: Hardware, host: ShellHost): Reaction {
  const { shellRunsConfig, linePause, savePause } = hardware.type.policy.downlinks;
  const pauseOf = ({ ran }: { readonly ran: number }): Millis => ran * linePause + savePause;
  const react = (outcome: RemoteConfigOutcome): Reaction => {
    switch (outcome.kind) {
      case 'waits':
        return { kind: 'waits', wait: outcome.wait, go: () => react(outcome.go()) };
      case 'stopped':
        if (outcome.ran * linePause === 0) return { kind: 'failed' };
        return { kind: 'waits', wait: outcome.ran * linePause, go: () => ({ kind: 'failed' }) };
      case 'reboot':
        return describeRestart(outcome, hardware);
      case 'save':
        // If the settings cannot be saved, the configuration ends as after an invalid line: no reboot, no answer.
        if (!hardware.config.writable) return { kind: 'waits', wait: pauseOf(outcome), go: () => ({ kind: 'failed' }) };
        return {
          kind: 'restart',
          rejected: outcome.rejected,
          delay: pauseOf(outcome),
          restart: () => {
            hardware.config.save();
            hardware.reboot('config');
          },
        };
      default:
        return outcome satisfies never;
    }
  };
  return react(
    shellRunsConfig ? runRemoteConfig(hardware.type.shell, host, lines) : applyConfigLines(hardware.config, lines),
  );
}

function describeRestart(
  { cause, rejected }: Extract<RemoteConfigOutcome, { readonly kind: 'reboot' }>,
  hardware: Hardware,
) {
  return { kind: 'restart', rejected, delay: 0, restart: () => hardware.reboot(cause) } as const;
}

function runCommands(
  message: Extract<ReactiveDownlink, { readonly kind: 'download-shell' }>,
  size: number,
  hardware: Hardware,
  host: ShellHost,
): Reaction {
  const react = (outcome: RemoteShellOutcome): Reaction => {
    if (outcome.kind === 'waits') return { kind: 'waits', wait: outcome.wait, go: () => react(outcome.go()) };
    if (outcome.kind === 'failed') return { kind: 'failed' };
    if (outcome.kind === 'reboot') return describeRestart(outcome, hardware);
    // Request and answer share one buffer; an answer that does not fit is not sent (shell S-40).
    const answer = buildShellAnswer(
      { messageId: message.messageId, responses: outcome.responses },
      hardware.type.profile.transferBuffer - size,
    );
    const { rejected } = outcome;
    return answer ? { kind: 'answer', type: 'shell', message: answer, rejected } : { kind: 'failed' };
  };
  return react(runRemoteShell(hardware.type.shell, host, message.commands));
}

/** The answer to a shell downlink; undefined if it needs more than `room` bytes. */
function buildShellAnswer(
  { messageId, responses }: Pick<ShellUplink, 'messageId' | 'responses'>,
  room: number,
): Uint8Array | undefined {
  try {
    const answer = encodeUp({ kind: 'upload-shell', messageId, responses });
    return answer.length > room ? undefined : answer;
  } catch (error) {
    // The answer is too long for any message.
    if (error instanceof MessageError) return undefined;
    throw error;
  }
}
