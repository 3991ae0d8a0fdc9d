import { z } from 'zod';

/** `KeyboardEvent.code` with modifiers in this order: `Mod+Alt+Shift+KeyE`; Mod = Ctrl, on a Mac Cmd. */
export const keyChord = z.string().regex(/^(Mod\+)?(Alt\+)?(Shift\+)?[A-Za-z0-9]{1,30}$/);

/** What the user chose; the same for all hosts, kept in the library. */
export const settingsSchema = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  /** What the wheel does on the timeline without a modifier. */
  wheel: z.enum(['scroll', 'zoom']),
  /** In which order the keys go along a wait chain: the longest part first, or from cause to effect. */
  chainOrder: z.enum(['length', 'time']),
  /** Which imported files are copied into the library; captures and files with a -wal always are. */
  copyImported: z.enum(['needed', 'always']),
  /** Keys by command id, where they differ from the built-in ones; an empty list = none. */
  keys: z.record(z.string().max(60), z.array(keyChord).max(4)),
  /** Sizes of panes in CSS px, by name. */
  panes: z.record(z.string().max(60), z.number().min(0).max(20_000)),
  /** Whether sections of the panel are open, by name, where the user opened or closed them. */
  sections: z.record(z.string().max(60), z.boolean()),
});
export type Settings = z.infer<typeof settingsSchema>;

const { keys, panes, sections } = settingsSchema.shape;

/** Of `keys`, `panes` and `sections` each entry by itself: those not named stay, `null` = back to the usual one. */
export const settingsChange = settingsSchema.partial().extend({
  keys: z.record(keys.keyType, keys.valueType.nullable()).optional(),
  panes: z.record(panes.keyType, panes.valueType.nullable()).optional(),
  sections: z.record(sections.keyType, sections.valueType.nullable()).optional(),
});
export type SettingsChange = z.infer<typeof settingsChange>;

/** `settings` after `changes`. */
export function withChanges(settings: Settings, changes: SettingsChange): Settings {
  return {
    theme: changes.theme ?? settings.theme,
    wheel: changes.wheel ?? settings.wheel,
    chainOrder: changes.chainOrder ?? settings.chainOrder,
    copyImported: changes.copyImported ?? settings.copyImported,
    keys: merged(settings.keys, changes.keys),
    panes: merged(settings.panes, changes.panes),
    sections: merged(settings.sections, changes.sections),
  };
}

function merged<T>(
  before: Readonly<Record<string, T>>,
  changes: Readonly<Record<string, T | null>> = {},
): Record<string, T> {
  const all = Object.entries<T | null>({ ...before, ...changes });
  return Object.fromEntries(all.filter((entry): entry is [string, T] => entry[1] !== null));
}

export const defaultSettings: Settings = {
  theme: 'system',
  wheel: 'scroll',
  chainOrder: 'length',
  copyImported: 'needed',
  keys: {},
  panes: {},
  sections: {},
};

/** Where the library lives. */
export interface DataFolderInfo {
  readonly path: string;
  /** What decides: STALLTRACE_DATA_DIR, the setting, or the platform's own place. */
  readonly from: 'environment' | 'setting' | 'platform';
  /** The folder from the next start on, where another one was chosen. */
  readonly next?: string;
}
