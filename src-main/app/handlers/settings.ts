import type { CallError } from '../../contract/contract.ts';
import type { DataFolderInfo } from '../../shared/library/settings.ts';
import { describeThrown, fail, ok, type Result } from '../../shared/rpc/result.ts';
import { allowedPath } from '../paths/allowed-path.ts';
import { findDataFolder } from '../services/data-folder.ts';
import type { AreaHandlers, Services } from '../services/services.ts';
import { configFile, writeConfig } from '../services/user-config.ts';
import {
  checkDataFolder,
  copyLibrary,
  isSameFolder,
  markChosen,
} from '../upkeep/move-data-folder.ts';

export function settingsHandlers(services: Services): AreaHandlers<'settings'> {
  const { library, platform, emit } = services;
  return {
    'settings.get': () => library.call('settings', {}),
    async 'settings.change'({ changes }) {
      const changed = await library.call('changeSettings', { changes });
      if (changed.ok) emit('settings.changed', changed.value);
      return changed;
    },
    'settings.dataFolder': async () => ok(await folderInfo(services)),
    'settings.moveDataFolder': (move) => moveDataFolder(services, move),
    async 'settings.chooseFolder'() {
      if (platform.chooseFolder === undefined) {
        return fail('no-dialog', 'This host has no folder dialog: type the path of the folder.');
      }
      return ok(await platform.chooseFolder());
    },
  };
}

/** The folder in use, and the one that the next start takes where that is another. */
async function folderInfo({ dataFolder }: Services): Promise<DataFolderInfo> {
  const { path, from } = dataFolder;
  const next = findDataFolder();
  // STALLTRACE_DATA_DIR decides before anything that was chosen.
  if (from === 'environment' || next.from === 'environment') return { path, from };
  return (await isSameFolder(path, next.path)) ? { path, from } : { path, from, next: next.path };
}

async function moveDataFolder(
  services: Services,
  { path, copy }: { readonly path: string; readonly copy: boolean },
): Promise<Result<DataFolderInfo, CallError<'settings.moveDataFolder'>>> {
  const { dataFolder, library, platform } = services;
  if (dataFolder.from === 'environment') {
    return fail(
      'set-by-environment',
      'STALLTRACE_DATA_DIR says where the library is: change or unset that variable instead.',
    );
  }
  const allowed = await allowedPath(platform, path);
  if (!allowed.ok) return allowed;
  if (!(await isSameFolder(path, dataFolder.path))) {
    const checked = await checkDataFolder(services, path, copy);
    if (!checked.ok) return checked;
    const copied = copy ? await copyLibrary(library, dataFolder.path, checked.value) : ok(null);
    if (!copied.ok) return copied;
  }
  const marked = await markChosen(allowed.value);
  if (!marked.ok) return marked;
  try {
    await writeConfig(allowed.value);
  } catch (thrown) {
    return fail(
      'folder-unusable',
      `The choice could not be written to ${configFile()}: check the permissions of its folder.`,
      describeThrown(thrown),
    );
  }
  return ok(await folderInfo(services));
}
