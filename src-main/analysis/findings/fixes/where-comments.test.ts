import { expect, test } from 'vitest';
import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { loaderLine } from './snippets.ts';
import { withWhere } from './where-comments.ts';

const fixOf = (before: string, after: string, language: Fix['language'] = 'python'): Fix => ({
  ...{ title: '', text: '', before, after, language, sources: [] },
});
const loader = {
  user: 'train (train.py:109)',
  item: 'Rows.__getitem__ (train.py:52)',
  workersArgument: '--workers 4',
};
const unknown = { user: undefined, item: undefined, workersArgument: undefined };
const fewer = fixOf(loaderLine('num_workers=4'), loaderLine('num_workers=2'));

test('new code of a loader says which it is, and how the job was told its workers', () => {
  expect(withWhere(fewer, { place: undefined, loader }).after.split('\n')).toEqual([
    '# The loader: train (train.py:109) takes its batches, and its dataset is Rows (train.py:52).',
    '# The job was started with --workers 4.',
    loaderLine('num_workers=2'),
  ]);
  expect(withWhere(fewer, { place: undefined, loader }).before).toBe(fewer.before);
});

test('what is not known is not said, and no place twice', () => {
  expect(withWhere(fewer, { place: undefined, loader: unknown })).toEqual(fewer);
  const other = fixOf('loss.item()', 'loss.detach()');
  expect(withWhere(other, { place: 'log (train.py:7)', loader }).after).toBe(
    '# For log (train.py:7).\nloss.detach()',
  );
  const pinned = fixOf(loaderLine('num_workers=4'), loaderLine('num_workers=4, pin_memory=True'));
  expect(withWhere(pinned, { place: 'train (train.py:112)', loader }).after.split('\n')).toEqual([
    '# For train (train.py:112).',
    '# The loader: its dataset is Rows (train.py:52).',
    pinned.after,
  ]);
});

test('commands and fixes without code stay as they are', () => {
  const command = fixOf('', 'renice 10 7', 'shell');
  expect(withWhere(command, { place: 'log (train.py:7)', loader })).toEqual(command);
  expect(withWhere(fixOf('', ''), { place: 'log (train.py:7)', loader }).after).toBe('');
});
