import { expect, test } from 'vitest';
import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { withWords } from './placeholders.ts';

const fixOf = (after: string, language: Fix['language'] = 'python'): Fix => ({
  ...{ title: '', text: '', before: '', after, language, sources: [] },
});

test('each placeholder is said once in words, above the code', () => {
  expect(withWords(fixOf('your_lock(your_lock)\nyour_tree.find(your_heap)')).after).toBe(
    [
      '# Put yours in place of:',
      '#   your_lock: the lock that you have',
      '#   your_tree: the object whose find() it is',
      '#   your_heap: the object that is called',
      'your_lock(your_lock)',
      'your_tree.find(your_heap)',
    ].join('\n'),
  );
});

test('where the loader is used is said with it', () => {
  expect(withWords(fixOf('your_loader'), 'train (train.py:109)').after).toContain(
    'what else gives batches, as in train (train.py:109)\n',
  );
});

test('code without placeholders and commands stay as they are', () => {
  expect(withWords(fixOf('gc.freeze()')).after).toBe('gc.freeze()');
  expect(withWords(fixOf('python your_script.py', 'shell')).after).toBe('python your_script.py');
});
