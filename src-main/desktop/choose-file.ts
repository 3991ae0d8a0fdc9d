import { type BrowserWindow, dialog, type OpenDialogOptions } from 'electron';

const options: OpenDialogOptions = {
  title: 'Open a trace',
  buttonLabel: 'Open',
  properties: ['openFile'],
  filters: [
    { name: 'Traces', extensions: ['stalltrace', 'db', 'sqlite', 'sqlite3'] },
    { name: 'All files', extensions: ['*'] },
  ],
};

/** Asks for a file, as a sheet of `window` where there is one; `null` where the user changed their mind. */
export async function chooseFile(window: BrowserWindow | undefined): Promise<string | null> {
  const answer =
    window === undefined
      ? await dialog.showOpenDialog(options)
      : await dialog.showOpenDialog(window, options);
  return answer.canceled ? null : (answer.filePaths[0] ?? null);
}
