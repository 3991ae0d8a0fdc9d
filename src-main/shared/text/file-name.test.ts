import { expect, test } from 'vitest';
import { fileNameFor, fileStem } from './file-name.ts';

test.each([
  ['run.db', 'run'],
  ['a.sqlite', 'a'],
  ['resnet 1.5', 'resnet 1.5'],
  ['Sample: DataLoader starvation', 'Sample DataLoader starvation'],
  ['run 7: ../../etc <x>', 'run 7 .. .. etc x'],
  ['..hidden', 'hidden'],
  ['Messung für Änne 東京', 'Messung für Änne 東京'],
  ['...', 'trace'],
  ['CON', '_CON'],
  ['nul .tar', '_nul .tar'],
  ['Com1.db', '_Com1'],
  ['photo\u202egpj.exe', 'photo gpj.exe'],
  ['\u3164\u115f', 'trace'],
  [`e${'\u0301'.repeat(90)}`, `e${'\u0301'.repeat(4)}`],
  ['x'.repeat(300), 'x'.repeat(150)],
  ['鐘'.repeat(150), '鐘'.repeat(50)],
])('a file is named after the investigation %s', (name, expected) => {
  expect(fileStem(name)).toBe(expected);
  expect(fileNameFor(name, 'report.md', false)).toBe(`${expected} report.md`);
});

test('a file that hides private words is not named after the investigation', () => {
  expect(fileNameFor('alice at gpu-7', 'timeline.png', true)).toBe('Stalltrace timeline.png');
});
