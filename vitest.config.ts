import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';
import { requireNode24 } from './scripts/node-version.mjs';

requireNode24();
process.env.TZ = 'UTC';
// Hundreds of processes of Node are started from the same sources and bundles.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/compiled', import.meta.url),
);

/**
 * Pages of recordings that these tests make: of the whole machine, and over its network. And of a folder that is dropped, which
 * the browser may lose beside other pages.
 */
const runAlone = ['agent-trace', 'connect', 'folder-of-runs', 'record-again'].map(
  (name) => `test/e2e/${name}.test.ts`,
);

/** Of the agent: these wait, or build, or feed it what it should refuse, and measure nothing. */
const agentTogether = [
  'check-cupti',
  'check-libc',
  'commands',
  'hardening',
  'native',
  'secrets',
  'send',
  'shipped',
  'stuck',
  'watch',
].map((name) => `test/agent/${name}.test.ts`);

/** Of functions that change nothing outside themselves: one file's tests can't disturb another's. */
const pureTests = [
  ...[
    'analysis',
    'benchmark',
    'markdown',
    'parquet',
    'questions',
    'report',
    'shared',
    'timeline',
    'trace',
  ].map((folder) => `src-main/${folder}/**/*.test.ts`),
  ...['chart', 'lib', 'state', 'ui', 'views'].map(
    (folder) => `src-renderer/${folder}/**/*.test.ts`,
  ),
];
/** The longest takes a minute on two CPUs with others beside it; a machine may be several times slower. */
const timeouts = { testTimeout: 300_000, hookTimeout: 300_000 };

export default defineConfig({
  plugins: [svelte()],
  test: {
    // Vitest leaves one CPU free, which of two is half of the machine.
    maxWorkers: availableParallelism(),
    // On a busy machine what is waited for takes its time; what never comes fails all the same.
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: pureTests,
          ...timeouts,
          // To load the modules anew for each file takes longer than to run most of them.
          isolate: false,
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['src-main/**/*.test.ts', 'src-renderer/**/*.test.ts', 'scripts/**/*.test.ts'],
          exclude: pureTests,
          ...timeouts,
        },
      },
      {
        extends: true,
        test: {
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          globalSetup: ['test/support/simulated-trace.ts'],
          ...timeouts,
        },
      },
      {
        extends: true,
        test: {
          name: 'agent',
          include: ['test/agent/**/*.test.ts'],
          exclude: agentTogether,
          globalSetup: ['test/agent/set-up.ts'],
          ...timeouts,
          // Each test measures the whole machine.
          fileParallelism: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'agent-together',
          include: agentTogether,
          globalSetup: ['test/agent/set-up.ts'],
          ...timeouts,
          // Most of them wait, while one builds.
          maxWorkers: 4,
          // After those of the agent, where both are asked for.
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'remote',
          include: ['test/remote/**/*.test.ts'],
          globalSetup: ['test/agent/set-up.ts'],
          ...timeouts,
          // Each waits for its links half of the time. Hosts share this machine's users and networks.
          maxWorkers: Math.min(2, availableParallelism()),
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          exclude: runAlone,
          globalSetup: ['test/support/simulated-trace.ts'],
          ...timeouts,
          // Each waits for its own page half of the time. More at once would take a lot of memory.
          maxWorkers: Math.min(2, availableParallelism()),
        },
      },
      {
        extends: true,
        test: {
          name: 'e2e-alone',
          include: runAlone,
          globalSetup: ['test/support/simulated-trace.ts'],
          ...timeouts,
          fileParallelism: false,
          // After those of e2e, where both are asked for.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
