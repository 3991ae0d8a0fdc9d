import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { cpuQuota } from './cpu-quota.ts';

test('names the quota, the demand and the lost time', () => {
  const judgement = cpuQuota.judge(exampleFacts('cpu-quota'));
  expect(judgement?.sentence).toContain('A quota of 2 CPUs');
  expect(judgement?.sentence).toContain('Nobody ran instead');
  expect(judgement?.evidence[1].text).toContain('2.0 CPUs on average, of 2 CPUs');
  expect(judgement?.fix.after).toContain('300000 100000');
});

test('waiting for a CPU without being throttled is no quota', () => {
  const facts = buildFacts({
    cpus: { machine: 16, usable: 2, quota: 2, basis: '' },
    costs: [cell('input', 'worker', 'runnable-own', 4 * SECOND)],
  });
  expect(cpuQuota.judge(facts)).toBeUndefined();
});

test('throttling that cost nobody anything worth telling is not told', () => {
  const facts = buildFacts({
    main: { throttledNs: 4 * SECOND },
    costs: [cell('input', 'worker', 'throttled', 0.05 * SECOND)],
  });
  expect(cpuQuota.judge(facts)).toBeUndefined();
});

test('a quota that is not recorded is not made up', () => {
  const facts = buildFacts({ costs: [cell('input', 'worker', 'throttled', SECOND)] });
  const judgement = cpuQuota.judge(facts);
  expect(judgement?.sentence).toMatch(/^A CPU quota kept/);
  expect(judgement?.evidence[1].text).toContain('not recorded');
});
