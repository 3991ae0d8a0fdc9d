import { expect, test } from 'vitest';
import type { NoteDraft } from '../../../src-main/shared/library/note.ts';
import { firstLine } from './first-line.ts';

const draft: NoteDraft = {
  id: '33333333-3333-4333-8333-333333333333',
  kind: 'note',
  text: '',
  startNs: 2_000_000_000,
  endNs: 2_030_000_000,
};

test.each([
  ['', 'Note'],
  ['\n\n  \n', 'Note'],
  ['# Found it\nmore', 'Found it'],
  ['The **copy** of `worker 3`', 'The copy of worker 3'],
  ['\n- the pin thread waits', 'the pin thread waits'],
  ['x'.repeat(500), `${'x'.repeat(119)}…`],
])('the first line of %.20j', (text, line) => {
  expect(firstLine({ ...draft, text })).toBe(line);
});
