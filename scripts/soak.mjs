// `npm run soak`: long random runs, seeded. `npm run soak -- --runs 5000 --seed 7` for more.
import { spawnSync } from 'node:child_process';
import { requireNode24 } from './node-version.mjs';

requireNode24();

let failed = false;
const scripts = [
  'mutate-trace',
  'mutate-json',
  'mutate-archive',
  'account-time',
  'attack-requests',
  'attack-hosts',
  'attack-paths',
  'attack-names',
];
for (const script of scripts) {
  const args = [`test/soak/${script}.ts`, ...process.argv.slice(2)];
  const { status } = spawnSync('node', args, { stdio: 'inherit' });
  failed ||= status !== 0;
}
// Tests with more of everything: exports of Nsight Systems with bytes changed; every command in every place that
// can't be written; the native library's builds and minutes of fuzzing; the agent's kills, forks and fuzzing, its unit
// tests on arm64, jobs with the library inside and without; generated SSH configurations; links to hosts that are lost
// and that break; 60 open traces.
const long = [
  ['pure', 'with bytes changed it is read|reads what JavaScript reads of a damaged file'],
  [
    'integration',
    'places that cannot be written|killed while it|traces opened by one page|native library',
  ],
  ['agent', 'killed|forks heavily|does no harm'],
  ['agent-together', 'killed|fuzzers|does no harm|on arm64|for arm64'],
  ['remote', 'random moments|at random|a link that breaks|for generated files'],
];
for (const [project, names] of long) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', `--project=${project}`, '-t', names];
  const { status } = spawnSync('node', vitest, {
    stdio: 'inherit',
    env: { ...process.env, STALLTRACE_SOAK: '1' },
  });
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
