import {
  defaultSettings,
  type Settings,
  type SettingsChange,
  settingsSchema,
  withChanges,
} from '../shared/library/settings.ts';
import { type Store, write } from './store/store.ts';
import { parseStored } from './store/stored-json.ts';

const keys = Object.keys(defaultSettings) as (keyof Settings)[];

/** What is stored; the default of each setting that is not, or that this version does not understand. */
export function readSettings({ database }: Store): Settings {
  const stored = new Map(
    database
      .prepare<[], { key: string; value: string }>('SELECT key, value FROM setting')
      .all()
      .map(({ key, value }) => [key, value]),
  );
  const settings: Record<string, unknown> = { ...defaultSettings };
  for (const key of keys) {
    const value = parseStored(stored.get(key) ?? null, settingsSchema.shape[key]);
    if (value !== undefined) settings[key] = value;
  }
  return settingsSchema.parse(settings);
}

/** Settings of a newer version stay stored, and what other windows changed meanwhile as well. */
export function changeSettings(store: Store, changes: SettingsChange): Settings {
  return write(store, () => {
    const put = store.database.prepare(
      'INSERT INTO setting (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
    );
    const changed = withChanges(readSettings(store), changes);
    for (const key of keys) {
      if (changes[key] !== undefined) put.run(key, JSON.stringify(changed[key]));
    }
    return changed;
  });
}
