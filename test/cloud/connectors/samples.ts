/** Transformations like those of real users, and a job for them. */

export const SAMPLE_JOB = {
  attempt: 0,
  message: {
    id: '019c9a00-0000-7000-8000-000000000001',
    type: 'data',
    direction: 'up',
    created_at: '2026-03-01T10:00:05.000Z',
    body: {
      message: { version: 1, sequence: 7, timestamp: 1_772_359_200 },
      system: { uptime: 120, voltage_rest: 3.61, voltage_load: 3.5, current_load: 40 },
      thermometer: { temperature: 21.5 },
      accelerometer: { orientation: 2 },
      hygrometer: { humidity: { measurements: [{ timestamp: 1_772_359_260, avg: 47.1 }] } },
    },
  },
  device: {
    id: '019c9a00-0000-7000-8000-000000000002',
    space_id: '019c9a00-0000-7000-8000-000000000003',
    name: 'freezer',
    serial_number: '2159017985',
    label: { thingsboardtoken: 'tb-token', ubidots: 'ubi-token' },
    tags: ['cold'],
    session_id: 1_772_359_100,
    created_at: '2026-01-01T00:00:00.000Z',
  },
  connector: { id: '019c9a00-0000-7000-8000-000000000004', name: 'thingsboard', timeout: 0 },
  variables: {},
};

/** Sends telemetry with a token from a label of the device. Nested fields are flattened; aggregates keep their own time. */
export const THINGSBOARD = [
  '/**',
  ' * @param {object} job',
  ' * @returns {object | null}',
  ' */',
  "var SKIP = ['message', 'attribute', 'network'];",
  'function flatten(prefix, value, into) {',
  "  if (typeof value === 'number' && !isNaN(value)) into[prefix] = value;",
  "  else if (value && typeof value === 'object' && !Array.isArray(value)) {",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the script's own
  '    for (const [key, inner] of Object.entries(value)) flatten(`${prefix}_${key}`, inner, into);',
  '  }',
  '  return into;',
  '}',
  'function main(job) {',
  '  const { device, message } = job;',
  '  const token = device.label?.thingsboardtoken;',
  '  if (!token) return null;',
  '  const body = message.body;',
  '  const values = {};',
  '  for (const [key, value] of Object.entries(body)) {',
  "    if (SKIP.includes(key) || key == 'system' || key == 'hygrometer') continue;",
  "    Object.assign(values, key === 'accelerometer' ? { orientation: value.orientation } : flatten(key, value, {}));",
  '  }',
  '  values.voltage = body.system?.voltage_rest;',
  '  const data = [{ ts: (body.message?.timestamp ?? Number(new Date(message.created_at)) / 1000) * 1000, values }];',
  '  body.hygrometer?.humidity?.measurements?.forEach(({ timestamp, avg }) => {',
  "    data.push({ ts: timestamp * 1000, values: { ['hygrometer_' + 'humidity']: avg } });",
  '  });',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the template is the script's own
  '  return { method: "POST", url: `https://thingsboard.example/api/v1/${token}/telemetry`,',
  '    header: { "Content-Type": "application/json" }, data };',
  '}',
].join('\r\n');

/** Uses the older names `headers` and `body`, a body as text and a loose comparison, and changes the job itself. */
export const UBIDOTS = `
var token = 'default';
function main(job) {
  var body = job.message.body;
  if (job.device.serial_number == 2159017985) token = job.device.label['ubidots'] || token;
  delete body.accelerometer;
  body.system.voltage_rest = Math.round(body.system.voltage_rest * 1000);
  const { thermometer: { temperature }, message: { timestamp }, ...rest } = body;
  const payload = { temperature: { value: temperature, timestamp: timestamp * 1e3 }, ...{ voltage: rest.system.voltage_rest } };
  return {
    url: 'https://industrial.api.ubidots.com/api/v1.6/devices/' + job.device.serial_number + '/',
    headers: { 'X-Auth-Token': token },
    body: JSON.stringify(payload)
  };
}
`;
