import { describe, expect, test } from 'vitest';
import { commandOf, keyBindings } from './keys.ts';

const press = (code: string, key = '', shiftKey = false, ctrlKey = false) => ({
  code,
  key,
  shiftKey,
  ctrlKey,
  metaKey: false,
  altKey: false,
});

describe('keys', () => {
  test('by place on the keyboard', () => {
    expect(commandOf(press('KeyW', 'z'))).toBe('zoom-in');
    expect(commandOf(press('KeyN', 'N', true))).toBe('previous-slow-call');
    expect(commandOf(press('KeyD', 'D', true))).toBe('pan-right');
    expect(commandOf(press('KeyW', 'w', false, true))).toBeUndefined();
  });

  test('slash and question mark on any layout', () => {
    expect(commandOf(press('Digit7', '/', true))).toBe('filter');
    expect(commandOf(press('Minus', '?', true))).toBe('help');
  });

  test('no key does two things', () => {
    for (const one of keyBindings)
      for (const other of keyBindings)
        if (one !== other && one.code === other.code) expect(one.shift).toBe(!other.shift);
  });
});
