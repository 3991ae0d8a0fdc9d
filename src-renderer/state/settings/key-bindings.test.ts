import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type CommandId, commandIds, commandSpec } from '../../../src-main/shared/commands.ts';
import {
  defaultSettings,
  keyChord,
  withChanges,
} from '../../../src-main/shared/library/settings.ts';
import { chordOf, formatChord, type KeyPress, parseChord } from './chord.ts';
import { chordLabel } from './chord-label.ts';
import {
  boundCommands,
  chordChanges,
  conflictsOf,
  type OwnKeys,
  scopesOverlap,
} from './key-bindings.ts';

/** The user's keys after `id` got `given`. */
const withChords = (id: CommandId, given: readonly string[], keys: OwnKeys) =>
  withChanges({ ...defaultSettings, keys }, { keys: chordChanges(id, given, keys) }).keys;

const press = (code: string, changes: Partial<KeyPress> = {}): KeyPress => ({
  code,
  key: '',
  shiftKey: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...changes,
});

const chords = fc
  .record({
    code: fc.constantFrom('KeyE', 'Digit1', 'ArrowUp', 'Slash', 'F5'),
    mod: fc.boolean(),
    alt: fc.boolean(),
    shift: fc.boolean(),
  })
  .map(formatChord);

describe('chords', () => {
  test('are what settings keep, and come back as they were', () => {
    fc.assert(
      fc.property(chords, (chord) => {
        expect(keyChord.parse(chord)).toBe(chord);
        expect(formatChord(parseChord(chord))).toBe(chord);
      }),
    );
  });

  test('go by the place on the keyboard, Mod by the system', () => {
    expect(chordOf(press('KeyW', { key: 'z' }), false)).toBe('KeyW');
    expect(chordOf(press('KeyK', { ctrlKey: true }), false)).toBe('Mod+KeyK');
    expect(chordOf(press('KeyK', { metaKey: true }), true)).toBe('Mod+KeyK');
    expect(chordOf(press('KeyK', { ctrlKey: true }), true)).toBeUndefined();
    expect(chordOf(press('KeyK', { metaKey: true }), false)).toBeUndefined();
    expect(chordOf(press('ShiftLeft', { shiftKey: true }), false)).toBeUndefined();
    const altGr = press('KeyE', { ctrlKey: true, altKey: true, getModifierState: () => true });
    expect(chordOf(altGr, false)).toBeUndefined();
  });

  test('slash and question mark on any layout', () => {
    const printed = (code: string, key: string, changes = {}) =>
      chordOf(press(code, { key, shiftKey: true, ...changes }), false);
    expect(printed('Digit7', '/')).toBe('Slash');
    expect(printed('Minus', '?')).toBe('Shift+Slash');
    expect(printed('Slash', '/', { ctrlKey: true })).toBe('Mod+Shift+Slash');
  });

  test('have labels of the system, and of the layout where that is known', () => {
    expect(chordLabel('Mod+Shift+KeyE', false, undefined)).toBe('Ctrl+Shift+E');
    expect(chordLabel('Mod+Alt+Shift+KeyE', true, undefined)).toBe('⌥⇧⌘E');
    expect(chordLabel('KeyW', false, new Map([['KeyW', 'z']]))).toBe('Z');
    expect(chordLabel('Shift+Slash', false, new Map([['Slash', '-']]))).toBe('?');
    expect(chordLabel('Alt+ArrowUp', false, undefined)).toBe('Alt+↑');
    expect(chordLabel('Numpad7', false, undefined)).toBe('Num 7');
  });
});

describe('the table of commands', () => {
  test('no key does two things on one screen', () => {
    for (const id of commandIds)
      for (const chord of commandSpec(id).keys)
        expect([id, chord, conflictsOf(id, chord, {})]).toEqual([id, chord, []]);
  });

  test('its keys are chords that settings could keep', () => {
    for (const id of commandIds)
      for (const chord of commandSpec(id).keys) {
        expect(keyChord.safeParse(chord).success).toBe(true);
        expect(formatChord(parseChord(chord))).toBe(chord);
      }
  });

  test('titles tell commands apart', () => {
    const titles = commandIds.map((id) => commandSpec(id).title);
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describe('bindings', () => {
  test('Shift is faster, where another command does not have it', () => {
    expect(boundCommands('Shift+KeyD', {})).toEqual([{ id: 'pan-right', fast: true }]);
    expect(boundCommands('Shift+KeyN', {})).toEqual([{ id: 'previous-slow-call', fast: false }]);
    expect(boundCommands('Shift+KeyW', {})).toEqual([]);
  });

  test('the user’s keys stand instead of the built-in ones; an empty list means none', () => {
    const own = { 'zoom-in': ['KeyQ'], 'zoom-out': [], 'no-such-command': ['KeyY'] };
    expect(boundCommands('KeyQ', own)).toEqual([{ id: 'zoom-in', fast: false }]);
    for (const chord of ['KeyW', 'KeyS', 'KeyY']) expect(boundCommands(chord, own)).toEqual([]);
  });

  test('the narrower scope has its turn first', () => {
    const own = { palette: ['KeyW'], 'add-note': ['KeyW'] };
    expect(boundCommands('KeyW', own).map(({ id }) => id)).toEqual([
      'zoom-in',
      'add-note',
      'palette',
    ]);
  });

  test('a conflict is one of screens that can be seen together', () => {
    expect(conflictsOf('flame-zoom', 'KeyW', {})).toEqual([]);
    expect(conflictsOf('add-note', 'KeyW', {})).toEqual(['zoom-in']);
    expect(conflictsOf('search-library', 'KeyM', {})).toEqual([]);
    expect(conflictsOf('pan-left', 'KeyN', {})).toEqual(['next-slow-call', 'previous-slow-call']);
    expect(conflictsOf('zoom-in', 'Shift+KeyA', {})).toEqual(['pan-left']);
    expect(scopesOverlap('investigation', 'library')).toBe(false);
  });

  test('a conflict is one from both sides', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...commandIds),
        fc.constantFrom(...commandIds),
        chords,
        (one, other, chord) => {
          fc.pre(one !== other && commandSpec(one).shiftIsFast !== true);
          fc.pre(commandSpec(other).shiftIsFast !== true);
          const asOther = conflictsOf(one, chord, { [other]: [chord] }).includes(other);
          const asOne = conflictsOf(other, chord, { [one]: [chord] }).includes(one);
          expect(asOther).toBe(asOne);
        },
      ),
    );
  });

  test('a chord that is given to a command answers for nothing else there', () => {
    fc.assert(
      fc.property(fc.constantFrom(...commandIds), chords, (id, chord) => {
        const own = withChords(id, [chord], { 'zoom-in': ['F5'] });
        expect(boundCommands(chord, own).map((bound) => bound.id)).toContain(id);
        // Only "faster" is shared, and then what was given wins.
        for (const other of conflictsOf(id, chord, own))
          expect(boundCommands(chord, own)).toContainEqual({ id: other, fast: true });
      }),
    );
  });

  test('back to the built-in keys leaves nothing of the user’s', () => {
    const own = withChords('palette', ['KeyW'], {});
    expect(own).toEqual({ palette: ['KeyW'], 'zoom-in': [] });
    const back = withChords('zoom-in', ['KeyW'], withChords('palette', ['Mod+KeyK'], own));
    expect(back).toEqual({});
  });
});
