/** What Electron calls a key of a chord (shared/settings.ts, `keyChord`); the others have no place in a menu. */
function keyOf(code: string): string | undefined {
  const printed = /^(?:Key|Digit)(.)$/.exec(code)?.[1] ?? /^(F\d{1,2})$/.exec(code)?.[1];
  return printed ?? (code === 'Comma' ? ',' : undefined);
}

/** A chord as Electron writes it; nothing for a key alone, which in a menu would take letters from text fields. */
export function acceleratorOf(chord: string): string | undefined {
  const parts = chord.split('+');
  const key = keyOf(parts.at(-1) ?? '');
  const isAlone = !parts.includes('Mod') && !parts.includes('Alt') && !/^F\d/.test(key ?? '');
  if (key === undefined || isAlone) return undefined;
  const modifiers = parts.slice(0, -1).map((part) => (part === 'Mod' ? 'CmdOrCtrl' : part));
  return [...modifiers, key].join('+');
}
