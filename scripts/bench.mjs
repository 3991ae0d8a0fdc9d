// `npm run bench`: every benchmark in test/bench, each against a named peer in the same run.
// `npm run bench NAME …`: these only.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const benchmarks = readdirSync('test/bench')
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length));
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !benchmarks.includes(name));
if (unknown.length > 0) {
  console.error(
    `No benchmark is called ${unknown.join(' or ')}. There are ${benchmarks.join(', ')}.`,
  );
  process.exit(2);
}
let failures = 0;
for (const name of wanted.length === 0 ? benchmarks : wanted) {
  console.log(`\n=== ${name}`);
  const { status } = spawnSync('node', [`test/bench/${name}.ts`], { stdio: 'inherit' });
  if (status !== 0) failures++;
}
process.exit(failures === 0 ? 0 : 1);
