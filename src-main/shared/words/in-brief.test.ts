import { expect, test } from 'vitest';
import { inBrief } from './in-brief.ts';

test('what the title names with its file goes by its name alone', () => {
  const title = 'It works in Store.keep (train.py:9)';
  const text = 'Look what Store.keep (train.py:9) keeps, called by main (train.py:90).';
  expect(inBrief(title, text)).toBe('Look what Store.keep keeps, called by main (train.py:90).');
  expect(inBrief(title, text, (name) => `<${name}$&>`)).toContain('what <Store.keep$&> keeps');
  expect(inBrief('It works', text)).toBe(text);
});
