import { expect, test } from 'vitest';
import { fileNameFor } from './file-name.ts';

test.each([
  ['run.db', 'run'],
  ['run 7: ../../etc <x>', 'run 7_ .._.._etc _x_'],
  ['..hidden', 'hidden'],
  ['Messung für Änne 東京', 'Messung für Änne 東京'],
  ['...', 'trace'],
  ['x'.repeat(300), 'x'.repeat(100)],
])('a file is named after the investigation %s', (name, expected) => {
  expect(fileNameFor(name, 'report.md', false)).toBe(`${expected} report.md`);
});

test('a file that hides private words is not named after the investigation', () => {
  expect(fileNameFor('alice at gpu-7', 'timeline.png', true)).toBe('Stalltrace timeline.png');
});
