import { z } from 'zod';

/** `KeyboardEvent.code` with modifiers in this order: `Mod+Alt+Shift+KeyE`; Mod = Ctrl, on a Mac Cmd. */
export const keyChord = z.string().regex(/^(Mod\+)?(Alt\+)?(Shift\+)?[A-Za-z0-9]{1,30}$/);

/** What the user chose; the same for all hosts, kept in the library. */
export const settingsSchema = z.strictObject({
  theme: z.enum(['system', 'light', 'dark']),
  /** What the wheel does on the timeline without a modifier. */
  wheel: z.enum(['scroll', 'zoom']),
  /** Which imported files are copied into the library; captures and files with a -wal always are. */
  copyImported: z.enum(['needed', 'always']),
  /** Keys by command id, where they differ from the built-in ones; an empty list = none. */
  keys: z.record(z.string().max(60), z.array(keyChord).max(4)),
  /** Sizes of panes in CSS px, by name. */
  panes: z.record(z.string().max(60), z.number().min(0).max(20_000)),
});
export type Settings = z.infer<typeof settingsSchema>;

export const settingsChange = settingsSchema.partial();
export type SettingsChange = z.infer<typeof settingsChange>;

export const defaultSettings: Settings = {
  theme: 'system',
  wheel: 'scroll',
  copyImported: 'needed',
  keys: {},
  panes: {},
};

/** Where the library lives. */
export interface DataFolderInfo {
  readonly path: string;
  /** What decides: STALLTRACE_DATA_DIR, the setting, or the platform's own place. */
  readonly from: 'environment' | 'setting' | 'platform';
  /** The folder from the next start on, where another one was chosen. */
  readonly next?: string;
}
