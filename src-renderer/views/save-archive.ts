import type { Investigation } from '../../src-main/shared/investigation.ts';
import type { AppState } from '../state/app.svelte.ts';
import { downloadFrom } from '../ui/download.ts';

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
}
