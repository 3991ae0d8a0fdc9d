import { expect, test } from 'vitest';
import { acceleratorOf } from './accelerator.ts';

test.each([
  ['Mod+KeyO', 'CmdOrCtrl+O'],
  ['Mod+Alt+Shift+KeyE', 'CmdOrCtrl+Alt+Shift+E'],
  ['Alt+Digit1', 'Alt+1'],
  ['Mod+Comma', 'CmdOrCtrl+,'],
  ['F1', 'F1'],
  ['KeyW', undefined],
  ['Shift+Slash', undefined],
  ['Mod+IntlBackslash', undefined],
])('%s is %s', (chord, accelerator) => {
  expect(acceleratorOf(chord)).toBe(accelerator);
});
