import { describe, expect, test } from 'vitest';
import { wheelMeaning } from './zoom-gestures.ts';

const turn = (held: object = {}) => ({
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  deltaX: 0,
  deltaY: 100,
  ...held,
});

describe('a turn of the wheel', () => {
  test('scrolls, and zooms with Ctrl', () => {
    expect(wheelMeaning(turn(), false)).toBe('scroll');
    expect(wheelMeaning(turn({ ctrlKey: true }), false)).toBe('zoom');
    expect(wheelMeaning(turn({ shiftKey: true }), false)).toBe('pan');
  });

  test('zooms where the settings say so, and scrolls with Alt', () => {
    expect(wheelMeaning(turn(), true)).toBe('zoom');
    expect(wheelMeaning(turn({ ctrlKey: true }), true)).toBe('zoom');
    expect(wheelMeaning(turn({ altKey: true }), true)).toBe('scroll');
    expect(wheelMeaning(turn({ shiftKey: true }), true)).toBe('pan');
    expect(wheelMeaning(turn({ deltaX: 100, deltaY: 3 }), true)).toBe('pan');
  });
});
