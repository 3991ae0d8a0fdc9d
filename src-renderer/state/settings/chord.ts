/**
 * A chord: one key with its modifiers, as settings keep it (shared/settings.ts, `keyChord`). The key is
 * the place on the keyboard (`KeyboardEvent.code`), whatever the layout prints there.
 */

export interface KeyPress {
  readonly code: string;
  readonly key: string;
  readonly shiftKey: boolean;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  getModifierState?(key: 'AltGraph'): boolean;
}

export interface ChordParts {
  readonly code: string;
  readonly mod: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
}

/** Keys that do nothing by themselves, and those that are the browser's or the system's. */
const NO_KEYS = /^(|Unidentified|(Shift|Control|Alt|Meta|OS)(Left|Right)|CapsLock|NumLock|Fn|Tab)$/;

const PRINTED: Readonly<Record<string, string>> = { '/': 'Slash', '?': 'Shift+Slash' };

export function parseChord(chord: string): ChordParts {
  const parts = chord.split('+');
  const has = (modifier: string) => parts.slice(0, -1).includes(modifier);
  return { code: parts.at(-1) ?? '', mod: has('Mod'), alt: has('Alt'), shift: has('Shift') };
}

export function formatChord({ code, mod, alt, shift }: ChordParts): string {
  return `${mod ? 'Mod+' : ''}${alt ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${code}`;
}

/**
 * The chord of a key press; `undefined` for what can't be one: a modifier alone, Tab, AltGr, the other
 * system's Mod. What prints `/` or `?` is that key, wherever the layout has it.
 */
export function chordOf(press: KeyPress, isMac: boolean): string | undefined {
  if (NO_KEYS.test(press.code) || press.getModifierState?.('AltGraph') === true) return undefined;
  if (isMac ? press.ctrlKey : press.metaKey) return undefined;
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const printed = mod || press.altKey ? undefined : PRINTED[press.key];
  return (
    printed ?? formatChord({ code: press.code, mod, alt: press.altKey, shift: press.shiftKey })
  );
}
