import { MAX_SERIES_RUNS } from '../../../src-main/shared/answers/run-series.ts';
import { MAX_MERGED_FILES } from '../../../src-main/shared/contract/library-calls.ts';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import type { AppState } from '../../state/app.svelte.ts';
import { filesOfFolder } from './dropped-files.ts';

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

const SAME_TRACE = 'That is the trace that is open. Drop another one to compare with it.';

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
  if (added.length > 0) comparing.show([open, ...added], open);
  else toasts.show(SAME_TRACE);
}

type TakesFolders = Pick<AppState, 'imports' | 'toasts' | 'investigation' | 'opener' | 'comparing'>;

/**
 * The traces of a dropped folder are added. One is opened, several can be opened as one run; or all are compared with the
 * trace on the screen, which stays.
 */
export async function openFolder(
  app: TakesFolders,
  folder: FileSystemDirectoryEntry,
  compares: boolean,
): Promise<void> {
  const found = await filesOfFolder(folder);
  if (!found.ok) {
    app.toasts.error(found.error.message);
    return;
  }
  const shown = app.investigation.opened?.investigation;
  if (!compares) app.investigation.close();
  const { files, hidden } = found.value;
  const entries = await app.imports.addFolder(cleanText(folder.name), files, hidden);
  // Somebody may have opened another one meanwhile.
  if (app.investigation.opened?.investigation.id !== (compares ? shown?.id : undefined)) return;
  if (compares) compareAll(app, shown, entries);
  else offerAll(app, entries);
}

function compareAll(
  { comparing, toasts }: TakesFolders,
  shown: Investigation | undefined,
  entries: readonly Investigation[],
): void {
  const others = distinct(entries).filter(({ id }) => id !== shown?.id);
  if (shown === undefined || entries.length === 0) return;
  if (others.length === 0) toasts.show(SAME_TRACE);
  else if (others.length < MAX_SERIES_RUNS) comparing.show([shown, ...others], shown);
  else toasts.show(`At most ${MAX_SERIES_RUNS} runs are compared: pick them in the library.`);
}

function offerAll({ opener, toasts }: TakesFolders, entries: readonly Investigation[]): void {
  const all = distinct(entries);
  const [only] = all;
  if (all.length === 1 && only !== undefined) void opener.openEntry(only);
  else if (all.length > 1 && all.length <= MAX_MERGED_FILES)
    toasts.show(`Are these ${all.length} traces the ranks or machines of one run?`, {
      label: 'Open as one run',
      run: () => void opener.openAsOne(all),
    });
}

function distinct(entries: readonly Investigation[]): readonly Investigation[] {
  return [...new Map(entries.map((entry) => [entry.id, entry])).values()];
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
