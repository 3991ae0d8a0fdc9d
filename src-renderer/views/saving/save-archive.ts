import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { AppState } from '../../state/app.svelte.ts';
import { downloadFrom } from '../../ui/download.ts';

/** To be read before: nothing of the trace is hidden in it. */
export const ARCHIVE_NOTE = 'All of the trace: host names, paths, arguments';

/** Saves an investigation as one .stalltrace file: the desktop asks where, a browser downloads it. */
export async function saveArchive(app: AppState, entry: Investigation): Promise<void> {
  if (app.about?.host === 'desktop') return app.library.saveArchive(entry);
  const download = await app.library.downloadArchive(entry);
  if (download === undefined) return;
  downloadFrom(download.address);
  app.toasts.show(`Download started: ${download.fileName}.`);
}
