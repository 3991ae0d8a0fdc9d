import { expect, test } from 'vitest';
import { buildFacts, cell, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { cpuSteal } from './cpu-steal.ts';

test('says who took the time where the machine was sampled', () => {
  const judgement = cpuSteal.judge(exampleFacts('cpu-steal'));
  expect(judgement?.title).toBe('The hypervisor took CPU time from the job');
  expect(judgement?.confidence).toBe('proven');
  expect(judgement?.evidence[1].text).toContain('12.0 %');
});

test('leaves open who it was without such samples', () => {
  const judgement = cpuSteal.judge(
    buildFacts({ costs: [cell('compute', 'main', 'stolen', SECOND)] }),
  );
  expect(judgement?.title).toBe('Interrupts or the hypervisor took CPU time from the job');
  expect(judgement?.confidence).toBe('likely');
});

test('a hypervisor that takes time from others only is no finding', () => {
  const { trace } = exampleFacts('cpu-steal');
  expect(cpuSteal.judge({ ...buildFacts(), trace })).toBeUndefined();
});
