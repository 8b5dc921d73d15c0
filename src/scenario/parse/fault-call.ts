/** All kinds of faults: of the network, of devices and of the embedded cloud. */
import type { LocatedNode, Problems } from '../../input/document.js';
import type { Way } from '../../transport/faults/fault.js';
import type { FaultSpec } from '../../transport/faults/index.js';
import { DEVICE_FAULT_NAMES, DEVICE_FAULTS, type DeviceFaultName } from '../faults/device/index.js';
import type { DeviceFault, DeviceFaultKind } from '../faults/device/kind.js';
import { describeFaultSpec, NETWORK_FAULT_NAMES, NETWORK_FAULTS } from '../faults/network.js';
import { describeServiceFault, SERVICE_FAULTS, type ServiceFault } from '../faults/service.js';
import type { StepScope } from '../steps/step.js';

/** A fault with its options, as plain data, without its time and its devices. */
export type FaultCall =
  | { readonly part: 'network'; readonly fault: FaultSpec; readonly way: Way | 'both' }
  | { readonly part: 'service'; readonly fault: ServiceFault }
  | ({ readonly part: 'device'; readonly name: DeviceFaultName } & DeviceFault);

// The cast is needed because `Object.keys` returns `string[]`.
const SERVICE_FAULT_NAMES = Object.keys(SERVICE_FAULTS) as readonly ServiceFault['kind'][];
export const FAULT_NAMES = [...NETWORK_FAULT_NAMES, ...DEVICE_FAULT_NAMES, ...SERVICE_FAULT_NAMES] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

/** The description of each kind, with an example. */
export const FAULTS: Readonly<Record<FaultName, { readonly about: string; readonly example: string }>> = {
  ...NETWORK_FAULTS,
  ...DEVICE_FAULTS,
  ...SERVICE_FAULTS,
};

/** Reads the options of a fault. @param scope returns the context of the check; called only for a fault of devices */
export function checkFault(
  name: FaultName,
  options: LocatedNode,
  problems: Problems,
  scope: () => StepScope,
): FaultCall | undefined {
  const device = DEVICE_FAULT_NAMES.find((each) => each === name);
  if (device) {
    const kind: DeviceFaultKind = DEVICE_FAULTS[device];
    const read = kind.check(options, problems, scope());
    return read && { part: 'device', name: device, ...read };
  }
  const service = SERVICE_FAULT_NAMES.find((each) => each === name);
  if (service) {
    const fault = SERVICE_FAULTS[service].check(options, problems);
    return fault && { part: 'service', fault };
  }
  const read = NETWORK_FAULTS[name as FaultSpec['kind']].check(options, problems);
  return read && { part: 'network', ...read };
}

/** `loss 10%` */
export function describeFault(call: FaultCall): string {
  if (call.part === 'device') return call.name;
  return call.part === 'network' ? describeFaultSpec(call.fault) : describeServiceFault(call.fault);
}
