import { describe, expect, test } from 'vitest';
import { rules } from './rules.ts';
import { buildFacts } from './testing/build-facts.ts';
import { exampleFacts } from './testing/examples.ts';

test('every rule has an id of its own', () => {
  const ids = rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
});

describe.each(rules.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  const facts = exampleFacts(id);
  const judgement = rule.judge(facts);

  test('fires on its example', () => {
    expect(judgement).toBeDefined();
  });

  test('names what it costs, the evidence, a fix and where it is from', () => {
    expect(judgement?.evidence.length).toBeGreaterThan(0);
    expect(judgement?.fix.sources.length).toBeGreaterThan(0);
    expect(judgement?.fix.before).not.toBe(judgement?.fix.after);
    expect(judgement?.sentence).toMatch(/\.$/);
    expect(JSON.stringify(judgement)).not.toMatch(/NaN|undefined|Infinity/);
    const { claims } = judgement ?? {};
    if (claims !== undefined) expect(facts.costs.some(claims)).toBe(true);
  });

  test('is silent on a healthy job, and where nothing but CUDA calls was recorded', () => {
    if (id === 'not-input') return;
    expect(rule.judge(buildFacts())).toBeUndefined();
    const bare = buildFacts({
      cpus: { machine: 0, usable: 0, basis: '' },
      main: { runningNs: 0, unknownNs: 10e9, switches: -1, preemptions: -1, minorFaults: -1 },
      trace: { provenance: { off_cpu: { kind: 'absent', note: '' } } },
    });
    expect(rule.judge(bare)).toBeUndefined();
  });
});
