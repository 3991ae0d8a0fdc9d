import type { Investigation } from '../../src-main/shared/investigation.ts';
import type { AppState } from '../state/app.svelte.ts';
import { downloadFrom } from '../ui/download.ts';

/** To be read before: nothing of the trace is hidden in it. */
export const ARCHIVE_NOTE = 'All of the trace: host names, paths, arguments';

/** Saves an investigation as one .stalltrace file: the desktop asks where, a browser downloads it. */
export async function saveArchive(app: AppState, entry: Investigation): Promise<void> {
  if (app.about?.host === 'desktop') return app.library.saveArchive(entry);
  const address = `/archive/${entry.id}`;
  // Asked first, since a download that fails says nothing but that it failed.
  const answer = await fetch(address, { method: 'HEAD' }).catch(() => undefined);
  if (answer?.ok !== true) {
    app.toasts.error(
      `“${entry.name}” could not be saved: check that its file is still there, then try again.`,
    );
    return;
  }
  downloadFrom(address);
  app.toasts.show(`Download started: ${fileNameOf(answer) ?? entry.name}.`);
}

/** The name that the host gives a download (RFC 6266). */
function fileNameOf({ headers }: Response): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(headers.get('content-disposition') ?? '')?.[1];
  return encoded && decodeURIComponent(encoded);
}
