import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { AppState } from '../../state/app.svelte.ts';

/** Asks for trace files: with the system's dialog where the host has one, else with the browser's. */
export function createFilePicker(app: AppState): (copy?: boolean) => void {
  return (copy) => {
    if (app.about?.fileDialog) {
      void app.opener.choose(copy);
      return;
    }
    const input = document.createElement('input');
    input.type = 'file';
    input.multiple = true;
    input.onchange = () => openFiles(app, [...(input.files ?? [])], copy);
    input.click();
  };
}

/** What of the window takes part in comparing dropped files. */
type ComparesFiles = Pick<AppState, 'investigation' | 'opener' | 'comparing' | 'toasts'>;

/**
 * Dropped files are added, and compared with the trace on the screen, which stays. The first that fails, or that somebody
 * cancels, ends it: why is said.
 */
export async function compareFiles(
  { investigation, opener, comparing, toasts }: ComparesFiles,
  files: readonly File[],
): Promise<void> {
  const open = investigation.opened?.investigation;
  const added: Investigation[] = [];
  for (const file of files) {
    const entry = await opener.addFile(file);
    if (entry === undefined) return;
    const isKnown = [open, ...added].some((known) => known?.id === entry.id);
    if (!isKnown) added.push(entry);
  }
  // The trace may have been closed meanwhile.
  const isOpen = open !== undefined && investigation.opened?.investigation.id === open.id;
  if (!isOpen) return;
  if (added.length > 0) comparing.show([open, ...added]);
  else toasts.show('That is the trace that is open. Drop another one to compare with it.');
}

/** One file is opened; several are added to the library, which is then shown. */
export function openFiles(app: AppState, files: readonly File[], copy?: boolean): void {
  const [only] = files;
  if (files.length === 1 && only !== undefined) void app.opener.openFile(only, copy);
  else if (files.length > 1) {
    app.investigation.close();
    void app.imports.add(files, copy);
  }
}
