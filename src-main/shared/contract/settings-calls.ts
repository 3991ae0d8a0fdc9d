import { z } from 'zod';
import { type DataFolderInfo, type Settings, settingsChange } from '../library/settings.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { hostPath } from './library-calls.ts';

export const settingsCalls = {
  'settings.get': call(z.strictObject({}), returns<Settings>(), 'library-unavailable'),
  'settings.change': call(
    z.strictObject({ changes: settingsChange }),
    returns<Settings>(),
    'library-unavailable',
  ),
  'settings.dataFolder': call(z.strictObject({}), returns<DataFolderInfo>()),
  /** Uses another data folder from the next start on; with `copy` the library is copied there now. */
  'settings.moveDataFolder': call(
    z.strictObject({ path: hostPath, copy: z.boolean() }),
    returns<DataFolderInfo>(),
    'path-not-allowed',
    'folder-unusable',
    'set-by-environment',
    'library-unavailable',
    'disk-full',
  ),
  /** Asks with the system's dialog for a folder; `null` = changed their mind. */
  'settings.chooseFolder': call(z.strictObject({}), returns<string | null>(), 'no-dialog'),
} as const satisfies CallTable;
