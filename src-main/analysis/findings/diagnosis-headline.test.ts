import { describe, expect, test } from 'vitest';
import type { Finding, RankDiagnosis } from '../../shared/answers/diagnosis.ts';
import { buildTrace } from '../testing/build-trace.ts';
import { diagnosisHeadline } from './diagnosis-headline.ts';
import { buildFacts, cell, SECOND } from './testing/build-facts.ts';
import { unknownInput } from './unknown-input.ts';

const trace = buildTrace({});
const { rank, steps, starvation, inputKnown } = buildFacts();

function ranksOf(...verdicts: RankDiagnosis['verdict'][]): RankDiagnosis[] {
  return verdicts.map((verdict, at) => ({
    ...{ steps, starvation, inputKnown, verdict, severity: 'high', sentence: `Sentence ${at}.` },
    rank: { ...rank, label: `rank ${at}` },
  }));
}

function finding(of: number, costShare: number, id = 'x'): Finding {
  return {
    ...{ id, rank: of, title: 'Found', sentence: '', severity: 'low', costShare },
    ...{ costNs: costShare * SECOND, costBasis: 'exact', confidence: 'proven' },
    ...{ evidence: [], hotLines: [], gainUpToNs: 0 },
    fix: { title: '', text: '', before: '', after: '', language: 'python', sources: [] },
    experiment: { expects: '', capture: '' },
  };
}

const lead = { sentence: 'Sentence 0.', rank: 0, isNamed: false, unknown: undefined };
const headline = (ranks: RankDiagnosis[], findings: Finding[], changes = {}) =>
  diagnosisHeadline(trace, { ...lead, ...changes }, ranks, findings);

describe('the headline', () => {
  test('of one rank names no rank, and the costliest finding', () => {
    expect(headline(ranksOf('balanced'), [finding(0, 0.2)])).toBe(
      'Sentence 0. Found: 20.0 % of the time (200.0 ms).',
    );
  });

  test('tells two findings together that cost about as much', () => {
    expect(headline(ranksOf('balanced'), [finding(0, 0.41), finding(0, 0.4, 'y')])).toBe(
      'Sentence 0. Found: 41.0 % of the time (410.0 ms). About as much: Found, 40.0 %.',
    );
    expect(headline(ranksOf('balanced'), [finding(0, 0.41), finding(0, 0.3, 'y')])).not.toContain(
      'About',
    );
  });

  test('names what is not known before a finding, and no finding that is a trifle', () => {
    const unknown = 'Of these no cause is known.';
    expect(headline(ranksOf('input-bound'), [finding(0, 0.07)], { unknown })).toBe(
      'Sentence 0. Of these no cause is known. Found: 7.0 % of the time (70.00 ms).',
    );
    expect(headline(ranksOf('input-bound'), [finding(0, 0.02)], { unknown })).toBe(
      'Sentence 0. Of these no cause is known.',
    );
  });

  test('tells what went on during a wait for input that findings explain little of', () => {
    const windowNs = steps.window[1] - steps.window[0];
    const part = (ns: number) => ({ text: 'a worker sent the batch', ns });
    const ranks = (ns: number) =>
      ranksOf('input-bound').map((told) => ({
        ...told,
        inputTime: { ns: 0.6 * windowNs, parts: [part(ns)], restNs: 0 },
      }));
    const said = 'While it waited, for 30.0 % of the time, a worker sent the batch.';
    expect(headline(ranks(0.3 * windowNs), [])).toBe(`Sentence 0. ${said}`);
    expect(headline(ranks(0.1 * windowNs), [])).toBe('Sentence 0.');
    const most = { ...finding(0, 0.4), costNs: 0.4 * windowNs };
    expect(headline(ranks(0.3 * windowNs), [most])).not.toContain('While it waited');
    expect(headline(ranks(0.3 * windowNs), [], { unknown: 'Not known.' })).not.toContain(said);
  });

  test('of several says whose figures these are, and of how many it is true', () => {
    const ranks = ranksOf('input-bound', 'input-bound', 'balanced');
    const found = [finding(0, 0.4), finding(1, 0.3), finding(2, 0.1, 'y')];
    expect(headline(ranks, found)).toBe(
      'rank 0: Sentence 0. The verdict is the same for 2 of 3 ranks. Found: 40.0 % of its time (400.0 ms), found in 2 of 3 ranks.',
    );
    expect(headline(ranks, [finding(1, 0.3)])).toContain(
      'Found: 30.0 % of the time of rank 1 (300.0 ms), found in 1 of 3 ranks.',
    );
    // A straggler's sentence names it.
    expect(headline(ranks, [], { isNamed: true })).toBe('Sentence 0.');
  });
});

describe('input wait without a known cause', () => {
  const facts = (unknownNs: number, knownNs: number) =>
    buildFacts({
      costs: [
        cell('input', 'main', 'unknown', unknownNs),
        cell('input', 'worker', 'running', knownNs),
      ],
    });

  test('is told with its share and why', () => {
    expect(unknownInput(facts(5 * SECOND, SECOND), 0)).toBe(
      'Of the 60.0 % of its time in which the loop waits for input, 50.0 points have no known cause: when threads left the CPU is not in this trace.',
    );
    expect(unknownInput(facts(5 * SECOND, 0), 0)).toBe(
      'The loop waits for input for 50.0 % of its time, and why is not known: when threads left the CPU is not in this trace.',
    );
  });

  test('is not told where most of it is known, or a finding tells more', () => {
    expect(unknownInput(facts(SECOND, 2 * SECOND), 0)).toBeUndefined();
    expect(unknownInput(facts(2 * SECOND, SECOND), 3 * SECOND)).toBeUndefined();
    expect(unknownInput(facts(0, SECOND), 0)).toBeUndefined();
    // Who has no workers loads by itself: what its thread did meanwhile may not be known.
    const known = facts(5 * SECOND, SECOND);
    expect(unknownInput(known, SECOND, [{ cells: known.costs }])).toBeUndefined();
  });
});
