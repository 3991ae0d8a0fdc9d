// `npm run bench`: every benchmark in test/bench, each against a named peer in the same run.
import { spawnSync } from 'node:child_process';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const benchmarks = [
  ...['open-trace', 'first-paint', 'timeline-frames', 'library', 'pictures', 'flame'],
  ...['diagnose', 'agent-rates', 'agent-overhead', 'inside-cost', 'switch-cost', 'python-outside'],
  ...['first-live-event', 'download'],
];
const wanted = process.argv.slice(2);
let failures = 0;
for (const name of benchmarks.filter((each) => wanted.length === 0 || wanted.includes(each))) {
  console.log(`\n=== ${name}`);
  const { status } = spawnSync('node', [`test/bench/${name}.ts`], { stdio: 'inherit' });
  if (status !== 0) failures++;
}
process.exit(failures === 0 ? 0 : 1);
