import { expect, test } from 'vitest';
import type { Frame } from '../../../shared/model/stacks.ts';
import { loaderUsers } from '../../stacks/loader-users.ts';
import { buildTrace } from '../../testing/build-trace.ts';
import { batchSizeOf, workersArgument } from './loader-code.ts';
import { onlyFunction } from './most-sampled.ts';

const PACKAGES = '/opt/venv/lib/python3.11/site-packages';
const python = (symbol: string, line: number, file = '/home/user/train.py'): Frame => ({
  ...{ symbol, file, line, language: 'python' },
});
const next = python(
  '_BaseDataLoaderIter.__next__',
  628,
  `${PACKAGES}/torch/utils/data/dataloader.py`,
);
const loop = python('_worker_loop', 302, `${PACKAGES}/torch/utils/data/_utils/worker.py`);
const train = python('train', 109);

function userOf(...stacks: Frame[][]): string | undefined {
  const trace = buildTrace({ stacks, rows: {} });
  const leaves = Array.from({ length: trace.stacks.length }, (_, stack) => stack);
  return onlyFunction(trace, leaves, loaderUsers(trace));
}

test('the job’s function that takes the batches, whoever asks the loader for it', () => {
  expect(userOf([next, train])).toBe('train (train.py:109)');
  const fit = python('Trainer.fit', 900, `${PACKAGES}/lightning/trainer.py`);
  expect(userOf([python('Queue.get', 3, '/usr/lib/python3.11/queue.py'), next, fit, train])).toBe(
    'train (train.py:109)',
  );
});

test('what the loader calls in turn takes no batches, nor does a worker that was forked there', () => {
  expect(userOf([python('Rows.__getitem__', 20), next, train])).toBe('train (train.py:109)');
  expect(userOf([python('Rows.__getitem__', 20), loop, next, train], [next, train])).toBe(
    'train (train.py:109)',
  );
  expect(userOf([train])).toBeUndefined();
  expect(userOf([next, train], [next, python('evaluate', 140)])).toBeUndefined();
});

test('the argument that says as many workers as there were', () => {
  expect(workersArgument('python3 train.py --workers 4 --batch 96', 4)).toBe('--workers 4');
  expect(workersArgument('python3 train.py --num-workers=4', 4)).toBe('--num-workers=4');
  expect(workersArgument('python3 train.py data.num_workers=4 lr=1', 4)).toBe('data.num_workers=4');
  expect(workersArgument('python3 train.py --workers 8', 4)).toBeUndefined();
  expect(workersArgument('python3 train.py --workers auto', 4)).toBeUndefined();
  expect(workersArgument('python3 train.py --workers 4 --val-workers 4', 4)).toBeUndefined();
  expect(workersArgument('python3 workers.py', 4)).toBeUndefined();
  expect(workersArgument('', 0)).toBeUndefined();
});

test('the argument that says the size of a batch', () => {
  expect(batchSizeOf('python3 train.py --workers 4 --batch-size 96')).toBe(96);
  expect(batchSizeOf('python3 train.py --batch_size=96')).toBe(96);
  expect(batchSizeOf('python3 train.py data.batch_size=96 lr=1')).toBe(96);
  expect(batchSizeOf('python3 train.py --batch-size 96 --train-batch-size 8')).toBeUndefined();
  expect(batchSizeOf('python3 train.py --eval-batch-size 8')).toBeUndefined();
  expect(batchSizeOf('python3 train.py --batch-size auto')).toBeUndefined();
  expect(batchSizeOf('python3 batch_size.py')).toBeUndefined();
});
