import { shell } from 'electron';
import { trashOfHost } from '../system/freedesktop-trash.ts';

/** Moves a file to the system's trash. Throws where that fails. */
export async function trashFile(path: string): Promise<void> {
  try {
    await shell.trashItem(path);
  } catch (thrown) {
    // On Linux Electron asks a program of the desktop's, which a plain window manager may lack.
    if (trashOfHost.trash === undefined) throw thrown;
    await trashOfHost.trash(path);
  }
}
