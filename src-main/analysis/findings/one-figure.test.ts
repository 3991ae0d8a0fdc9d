import { expect, test } from 'vitest';
import { noEvents } from '../../shared/model/event-ref.ts';
import type { CostCell } from './facts/facts.ts';
import { withOneFigure, withOwnWords } from './one-figure.ts';
import type { Judgement } from './rule.ts';
import { cell } from './testing/build-facts.ts';

const fact = (text: string) => ({ text, basis: 'exact' as const, events: noEvents });
const judgement: Judgement = {
  title: 'Found',
  sentence: 'It waited 520.0 ms (52.0 % of the time).',
  confidence: 'proven',
  evidence: [fact('Idle 52.0 % of the time'), fact('It took 520.0 ms')],
  fix: { title: '', text: '', before: '', after: '', language: 'python', sources: [] },
  chain: { system: fact('4 workers'), host: fact('It waited for 520.0 ms'), cuda: fact('idle') },
};

test('says the time that counts wherever the rule told of all of it', () => {
  const { sentence, evidence, chain } = withOneFigure(judgement, 520e6, 510e6, 1e9);
  expect(sentence).toBe('It waited 510.0 ms (51.0 % of the time).');
  // A share that stands alone may be of something else.
  expect(evidence.map(({ text }) => text)).toEqual(['Idle 52.0 % of the time', 'It took 510.0 ms']);
  expect(chain.host.text).toBe('It waited for 510.0 ms');
});

test('leaves alone what reads the same, and what costs nothing', () => {
  expect(withOneFigure(judgement, 520e6, 520e6, 1e9)).toBe(judgement);
  expect(withOneFigure(judgement, 520e6, 0, 1e9)).toBe(judgement);
});

test('leaves out words about time that all belongs to other findings', () => {
  const own = cell('input', 'worker', 'running', 400e6);
  const crowded = cell('input', 'main', 'runnable-own', 120e6);
  const onlyWith = {
    text: ', 120.0 ms of it for a CPU',
    cells: ({ cause }: CostCell) => cause === 'runnable-own',
  };
  const told = {
    ...judgement,
    sentence: 'It waited 520.0 ms, 120.0 ms of it for a CPU.',
    onlyWith,
  };
  const sentenceWith = (cells: readonly CostCell[]) =>
    withOwnWords({ judgement: told, cells }).sentence;
  expect(sentenceWith([own, crowded])).toBe(told.sentence);
  expect(sentenceWith([own])).toBe('It waited 520.0 ms.');
  expect(withOwnWords({ judgement, cells: [] })).toBe(judgement);
});
