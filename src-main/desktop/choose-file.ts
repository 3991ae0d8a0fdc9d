import {
  type BrowserWindow,
  dialog,
  type OpenDialogOptions,
  type SaveDialogOptions,
} from 'electron';
import { safeName } from '../app/file-store/safe-name.ts';

type Parent = BrowserWindow | undefined;

const fileOptions: OpenDialogOptions = {
  title: 'Open a trace',
  buttonLabel: 'Open',
  properties: ['openFile'],
  filters: [
    { name: 'Traces', extensions: ['stalltrace', 'db', 'sqlite', 'sqlite3', 'gz', 'zst'] },
    { name: 'Benchmark results', extensions: ['json'] },
    { name: 'All files', extensions: ['*'] },
  ],
};

const folderOptions: OpenDialogOptions = {
  title: 'Choose a folder',
  buttonLabel: 'Choose',
  properties: ['openDirectory', 'createDirectory'],
};

/** Asks for a file, as a sheet of `window` where there is one; `null` where the user changed their mind. */
export function chooseFile(window: Parent): Promise<string | null> {
  return open(window, fileOptions);
}

/** Likewise for a folder. */
export function chooseFolder(window: Parent): Promise<string | null> {
  return open(window, folderOptions);
}

/** Likewise for a file to be written; the system asks before an existing one is taken. */
export async function chooseSavePath(
  window: Parent,
  suggestedName: string,
): Promise<string | null> {
  const options: SaveDialogOptions = {
    title: 'Save as',
    defaultPath: safeName(suggestedName),
    properties: ['createDirectory', 'showOverwriteConfirmation'],
  };
  const answer =
    window === undefined
      ? await dialog.showSaveDialog(options)
      : await dialog.showSaveDialog(window, options);
  return answer.canceled || answer.filePath === '' ? null : answer.filePath;
}

async function open(window: Parent, options: OpenDialogOptions): Promise<string | null> {
  const answer =
    window === undefined
      ? await dialog.showOpenDialog(options)
      : await dialog.showOpenDialog(window, options);
  return answer.canceled ? null : (answer.filePaths[0] ?? null);
}
