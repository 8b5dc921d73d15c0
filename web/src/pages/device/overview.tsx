/** Identity, session, and the latest values of a device. */
import type { Device } from '../../../../src/client/types.js';
import { readingsOf, rsrpOf, voltageOf } from '../../model/values.js';
import { Ago } from '../../parts/ago.js';
import { type Fact, Facts } from '../../parts/facts.js';
import { Change } from './change.js';
import type { TabProps } from './tab.js';

export function Overview({ device: { device, messages } }: TabProps) {
  const { value } = device;
  const report = messages.value.find(({ type, direction }) => type === 'data' && direction === 'up');
  if (!value) return null;
  return (
    <div class="columns">
      <section>
        <h2>Latest report</h2>
        {report ? (
          <>
            <p class="dim">
              <Ago at={Date.parse(report.created_at)} />
            </p>
            <Readings body={report.body} />
          </>
        ) : (
          <p class="dim">The device has not reported yet.</p>
        )}
      </section>
      <section>
        <h2>Identity</h2>
        <Facts facts={identityOf(value)} />
        <Change
          key={value.id}
          device={value}
          changed={(changed) => {
            device.value = changed;
          }}
        />
      </section>
      <section>
        <h2>Session</h2>
        {value.session === null ? (
          <p class="dim">The device has not begun a session yet.</p>
        ) : (
          <Facts facts={Object.entries(value.session).map(([name, fact]) => [factName(name), String(fact)])} />
        )}
      </section>
    </div>
  );
}

function Readings({ body }: { readonly body: unknown }) {
  const own = [
    { name: 'signal (RSRP)', value: rsrpOf(body), unit: 'dBm' },
    { name: 'battery at rest', value: voltageOf(body), unit: 'V' },
  ].filter(({ value }) => value !== undefined);
  return (
    <table class="readings">
      <thead>
        <tr>
          <th scope="col">Quantity</th>
          <th scope="col">Value</th>
        </tr>
      </thead>
      <tbody>
        {[...readingsOf(body), ...own].map(({ name, value, unit }, i) => (
          <tr key={`${name} ${i}`}>
            <td>{name}</td>
            <td>
              {value} {unit}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `fw_version` as `FW version`. */
function factName(name: string): string {
  return name.replaceAll('_', ' ').replace(/\b(?:ble|fw|hw|iccid|imei|imsi)\b/g, (word) => word.toUpperCase());
}

function identityOf(device: Device): readonly Fact[] {
  const labels = Object.entries(device.label).map(([name, value]) => `${name}: ${value}`);
  return [
    ['serial number', device.serial_number],
    ['ID', device.id],
    ['external ID', device.external_id ?? '–'],
    ['comment', device.comment ?? '–'],
    ['tags', device.tags.map(({ name }) => name).join(', ') || '–'],
    ['labels', labels.join(', ') || '–'],
    ['registered', <Ago key="registered" at={Date.parse(device.created_at)} />],
    ['session since', <Ago key="session" at={(device.session_id ?? 0) * 1000} />],
    ['configuration', device.config_hash ?? 'not received'],
    ['decoder', device.decoder_hash ?? 'not received'],
    ['encoder', device.encoder_hash ?? 'none'],
  ];
}
