import { describe, expect, test } from 'vitest';
import { isFree } from './key-dispatch.ts';

const screen = { isField: false, isControl: false, isScreen: true };
const field = { isField: true, isControl: false, isScreen: true };
const button = { isField: false, isControl: true, isScreen: true };
const bar = { isField: false, isControl: true, isScreen: false };

describe('whose key it is', () => {
  test('a screen has every key', () => {
    for (const chord of ['KeyW', 'Enter', 'Space', 'ArrowUp', 'Mod+KeyK', 'Escape'])
      expect(isFree(chord, screen)).toBe(true);
  });

  test('a field keeps all but Ctrl and Cmd, and those it edits with', () => {
    for (const chord of ['KeyW', 'Shift+Slash', 'Escape', 'Alt+Digit1', 'Mod+KeyV', 'Mod+Enter'])
      expect(isFree(chord, field)).toBe(false);
    for (const chord of ['Mod+KeyK', 'Mod+Comma', 'Mod+Shift+KeyE'])
      expect(isFree(chord, field)).toBe(true);
  });

  test('a button keeps Enter and Space; arrows too outside the screen', () => {
    expect(isFree('Enter', button)).toBe(false);
    expect(isFree('Space', button)).toBe(false);
    expect(isFree('ArrowLeft', button)).toBe(true);
    expect(isFree('ArrowLeft', bar)).toBe(false);
    expect(isFree('Backspace', bar)).toBe(true);
    expect(isFree('KeyW', bar)).toBe(true);
  });
});
