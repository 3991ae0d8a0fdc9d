import { expect, test } from 'vitest';
import { exampleFacts } from '../testing/examples.ts';
import { ownProcessTrace } from '../testing/loop-examples.ts';
import { ownProcess } from './own-process.ts';

const judge = (changes = {}) => ownProcess.judge(exampleFacts('own-process', changes));

test('a process that neither trains nor loads has its share of what the job took from itself, and its function', () => {
  const judgement = judge();
  expect(judgement?.sentence).toContain(
    'python3 (pid 103), the server of a multiprocessing.Manager, had',
  );
  expect(judgement?.sentence).toContain('took the training loop 3.000 s (30.0 % of the time)');
  expect(judgement?.sentence).toContain('mostly in ForkingPickler.dumps');
  expect(judgement?.culprit).toBe('multiprocessing.Manager');
  expect(judgement?.fix.title).toContain('not in a Manager');
});

test('whose code is not a manager’s is told to let the loop go first', () => {
  const judgement = judge({ hotLines: () => [], trace: ownProcessTrace('pool.py') });
  expect(judgement?.culprit).toBe('python3');
  expect(judgement?.fix.after).toContain('os.nice');
});

test('workers and the training process are not told for it, nor strangers', () => {
  const { neighbours } = exampleFacts('own-process');
  const [helper, worker] = neighbours;
  expect(judge({ neighbours: [worker] })).toBeUndefined();
  expect(judge({ neighbours: [{ ...helper, process: 0 }] })).toBeUndefined();
  expect(judge({ neighbours: [{ ...helper, relation: 'other' }] })).toBeUndefined();
});
