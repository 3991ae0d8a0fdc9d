import { expect, test } from 'vitest';
import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { loaderLine } from './snippets.ts';
import { withWhere } from './where-comments.ts';

const fixOf = (before: string, after: string, language: Fix['language'] = 'python'): Fix => ({
  ...{ title: '', text: '', before, after, language, sources: [] },
});
const loader = {
  user: 'train (train.py:109)',
  workersArgument: '--workers 4',
};
const unknown = { user: undefined, workersArgument: undefined };
const fewer = fixOf(loaderLine('num_workers=4'), loaderLine('num_workers=2'));

test('new code of a loader says which it replaces, and how the job was told its workers', () => {
  expect(withWhere(fewer, { title: 'Slow', place: undefined, loader }).after.split('\n')).toEqual([
    '# Replaces the loader that train (train.py:109) goes through.',
    '# Replaces --workers 4.',
    loaderLine('num_workers=2'),
  ]);
  expect(withWhere(fewer, { title: 'Slow', place: undefined, loader }).before).toBe(fewer.before);
});

test('what is not known is not said, and no place twice', () => {
  expect(withWhere(fewer, { title: 'Slow', place: undefined, loader: unknown })).toEqual(fewer);
  const other = fixOf('loss.item()', 'loss.detach()');
  expect(withWhere(other, { title: 'Slow', place: 'log (train.py:7)', loader }).after).toBe(
    '# In log (train.py:7):\nloss.detach()',
  );
  const pinned = fixOf(loaderLine('num_workers=4'), loaderLine('num_workers=4, pin_memory=True'));
  expect(
    withWhere(pinned, { title: 'Slow', place: 'train (train.py:112)', loader }).after.split('\n'),
  ).toEqual(['# In train (train.py:112):', pinned.after]);
});

test('commands and fixes without code stay as they are', () => {
  const command = fixOf('', 'renice 10 7', 'shell');
  expect(withWhere(command, { title: 'Slow', place: 'log (train.py:7)', loader })).toEqual(command);
  expect(withWhere(fixOf('', ''), { title: 'Slow', place: 'log (train.py:7)', loader }).after).toBe(
    '',
  );
});

test('a place that the words above the code name stands in no comment', () => {
  const other = fixOf('loss.item()', 'loss.detach()');
  const title = 'It logs in log (train.py:7)';
  expect(withWhere(other, { title, place: 'log (train.py:7)', loader })).toEqual(other);
});
