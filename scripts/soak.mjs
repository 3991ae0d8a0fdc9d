// `npm run soak`: long random runs, seeded. `npm run soak -- --runs 5000 --seed 7` for more.
import { spawnSync } from 'node:child_process';
import { requireNode24 } from './node-version.mjs';

requireNode24();

const { status } = spawnSync('node', ['test/soak/mutate-trace.ts', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
