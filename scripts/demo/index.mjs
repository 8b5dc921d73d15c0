// `npm run demo`: the report of a demo run; with `-- --live`, the demo with its web console.
import { spawnSync } from 'node:child_process';

const args = process.argv.slice(2);
const others = args.filter((each) => each !== '--live');
const run = ['run', 'scenarios/demo.yaml', '--transport', 'udp', '--store', 'sqlite', '--out', 'runs/demo'];
const words = others.length < args.length ? ['demo', ...others] : [...run, ...others];
// Ignores Ctrl-C here, because the program itself receives it too.
process.on('SIGINT', () => {});
const { status } = spawnSync(process.execPath, ['dist/main.js', ...words], { stdio: 'inherit' });
process.exitCode = status ?? 1;
