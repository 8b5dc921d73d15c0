/** How to read each section of the page: a folded explanation, which opens without a script, and is printed. */
import { type Markup, markup, NOTHING } from './markup.js';

/** By the title of the section. A section that explains itself has none. */
const TEXTS: Readonly<Record<string, string | undefined>> = {
  Expectations:
    'The mark says whether an expectation is met; a question mark says that the run did not have the data for a verdict. Beside an expectation is the value that the run had. Those that are not met come first.',
  'Over time':
    'All plots have the same axis, the time of the simulation; faults are drawn as bands. Point at a plot, touch it, or reach it with Tab and move with the arrow keys, to see its values and the active faults. A point covers as many intervals as it takes to be more than chance.',
  Downlinks:
    'p95 is the time that 95 of 100 downlinks did not exceed. In the histogram, each downlink counts as 1, divided among the causes of its waiting; the ranges are fixed, so histograms of two runs can be compared. In a timeline, the colour is the cause of waiting; if the end is much shorter than the whole, a thin bar shows the whole and a thick one the end. Delivered is what the cloud counts: only received says that the device has the downlink.',
  'API requests':
    'Since due is measured from when the scenario wanted the request, since sent from when it was really sent. While a service stalls, few requests are sent, so only the first shows the stall. Dropped requests were never sent.',
  'Parts of the run':
    'The figures of the run once more, divided by what the scenario names. A part with few devices has uncertain percentiles.',
  Workers:
    'Each row is a process that simulated a part of the fleet. One that was late or lost says nothing about the cloud: the numbers of such a run describe the machine.',
  'Uplinks and fleet':
    'Made: the device has built the message. Sent: its first datagram has left. It is then acknowledged, dropped by the device, or waiting. Stored counts what the cloud has, copies what it recognised as repeated. If a copy is not recognised, more is stored than made.',
};

export function explainSection(title: string): Markup {
  const text = TEXTS[title];
  if (text === undefined) return NOTHING;
  return markup`<details class="how"><summary>How to read this</summary><p>${text}</p></details>`;
}
