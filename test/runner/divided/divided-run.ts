/** A scenario whose devices are divided among threads. */

/**
 * A scenario with several device types, a loss, steps for some devices and for all, a rejected configuration, a device that the
 * cloud does not know at first, and devices without network. One of the devices without network is not at rest when the time
 * for settling ends, 10 minutes after the scenario. Meanwhile, the modems of the others pause.
 */
export const TEXT = `
name: divided
duration: 3h
setup: [{ variable: { name: season, value: winter } }]
fleet:
  - { name: clime, profile: clime, count: 4, boot: { over: 10m }, config: { interval-report: 900 }, tags: [cold-store] }
  - { name: push, profile: push, count: 2, boot: { pattern: storm }, tags: [street, cold-store] }
  - { name: late, profile: clime, count: 1, register: false }
  - { name: dark, profile: clime, count: 2, boot: { over: 4m }, config: { interval-report: 60, interval-poll: 60 } }
network:
  latency: 150ms..900ms
  faults:
    - { loss: 30%, to: clime/2, from: 20m, until: 1h }
    - { corruption: 10%, to: push, from: 30m, until: 1h }
steps:
  - { at: 20m, to: late, create-device: {} }
  - { at: 30m, to: all, commands: [info show] }
  - { at: 40m, to: clime/3, config: { interval-sample: 30 } }
  - { at: 50m, to: push, power-cycle: {} }
  - { at: 34m, to: dark, radio: off }
  - { at: 169m, to: dark/1, power-cycle: {} }
expect: [device.ready >= 6, always no-loss-across-reconnects, 'downlink.answered within 1h >= 10%']
`;
