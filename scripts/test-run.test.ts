import { expect, test } from 'vitest';
import {
  emptyEnvironment,
  readOutcome,
  readRuns,
  rowOf,
  sayVerdict,
  type TestRun,
} from './test-run.ts';

const good: TestRun = {
  commit: 'a1',
  stages: [],
  began: '2026-01-01T00:00:00.000Z',
  seconds: 1200,
  passed: 3900,
  failed: 0,
  skipped: 0,
  failures: [],
  stageSeconds: { check: 80.5, unit: 100 },
};
const bad: TestRun = { ...good, passed: 3899, failed: 1, failures: ['test/x.test.ts: holds'] };

const OUTPUT = `
=== check
ok   tsc (20.1 s)
=== check: 80.5 s

=== e2e-alone
=== e2e-alone: 24.0 s

!!! NOT RUN on this machine: 1 tests
!!!   test/y.test.ts: needs a GPU › works
!!! CI=true: a test that was not run counts as failed.

FAILED test/x.test.ts: holds
Error: expected 1 to be 2
    at x.test.ts:3:1

3898 passed, 2 failed, 0 skipped
`;

test('what npm test printed says which stages took how long, and what failed or did not run', () => {
  expect(readOutcome(OUTPUT, 1)).toEqual({
    ...{ passed: 3898, failed: 2, skipped: 0 },
    failures: ['test/y.test.ts: needs a GPU › works', 'test/x.test.ts: holds'],
    stageSeconds: { check: 80.5, 'e2e-alone': 24 },
  });
});

test('a run that broke off, or was green and failed all the same, is a failure', () => {
  const [cut = ''] = OUTPUT.split('\nFAILED');
  expect(readOutcome(cut, null).failures).toContain('The run ended before its last line.');
  const green = '5 passed, 0 failed, 0 skipped\n';
  expect(readOutcome(green, 0).failures).toEqual([]);
  expect(readOutcome(green, 137).failures).toEqual(['npm test exited with 137.']);
});

test('a row is of the same stages, of some stages those of one commit; a failure begins it anew', () => {
  const later = { ...good, commit: 'b2' };
  const [unit, laterUnit] = [good, later].map((run) => ({ ...run, stages: ['unit'] }));
  const runs = [good, bad, later, good, unit, laterUnit, good];
  const text = runs.map((run) => `${JSON.stringify(run)}\n`).join('');
  expect(readRuns(text, { commit: 'b2', stages: ['unit'] })).toEqual([laterUnit]);
  const whole = readRuns(text, { commit: 'b2', stages: [] });
  expect(whole).toEqual([good, bad, later, good, good]);
  expect(rowOf(whole)).toBe(3);
  expect(rowOf([])).toBe(0);
  expect(rowOf([good, bad])).toBe(0);
  // Without a single test nothing is proved.
  expect(rowOf([{ ...good, passed: 0 }])).toBe(0);
  expect(rowOf([{ ...good, skipped: 1 }])).toBe(0);
});

test('the verdict counts what failed', () => {
  expect(sayVerdict([good, good], 2)).toBe('2 of 2 passes in a row.');
  expect(sayVerdict([bad, good, bad], 5)).toBe(
    'What failed:\n  2 of 3 runs: test/x.test.ts: holds\n0 of 5 passes in a row.',
  );
});

test('a run finds an empty environment, and not the Node of this checkout', () => {
  const path = '/x/node_modules/.bin:/usr/lib/node_modules/npm/node-gyp-bin:/usr/bin:/bin';
  const given = { PATH: path, HOME: '/root', npm_config_cache: '/c', STALLTRACE_SOAK: '1' };
  expect(emptyEnvironment({ ...given, https_proxy: 'http://p:1' })).toEqual({
    ...{ PATH: '/usr/bin:/bin', HOME: '/root', CI: 'true' },
    https_proxy: 'http://p:1',
  });
});
