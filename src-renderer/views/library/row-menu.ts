import { MAX_SERIES_RUNS } from '../../../src-main/shared/answers/run-series.ts';
import { MAX_MERGED_FILES } from '../../../src-main/shared/contract/library-calls.ts';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import type { AppState } from '../../state/app.svelte.ts';
import { copyText } from '../../ui/clipboard.ts';
import type { MenuItem } from '../../ui/Menu.svelte';
import { ARCHIVE_NOTE, saveArchive } from '../saving/save-archive.ts';
import type { LibraryDialogs } from './library-dialogs.svelte.ts';

/** What can be done with an entry, and with those picked together with it. */
export function rowMenu(
  app: AppState,
  dialogs: LibraryDialogs,
  entry: Investigation,
): readonly MenuItem[] {
  const entries = app.libraryList.targetsOf(entry);
  if (entries.length > 1) return severalMenu(app, dialogs, entries);
  return [
    { label: 'Open', hint: 'Enter', run: () => void app.opener.openEntry(entry) },
    { label: 'Rename', hint: 'F2', run: () => (dialogs.renaming = entry.id) },
    { label: 'Tags…', hint: 'T', run: () => (dialogs.open = { kind: 'tags', entries }) },
    { label: 'Verdict…', hint: 'V', run: () => (dialogs.open = { kind: 'verdict', entry }) },
    {
      label: 'Compare…',
      hint: 'C',
      disabled: entry.state !== 'ok' || app.comparing.choices.length < 2,
      run: () => app.comparing.show(entries),
    },
    ...(entry.origin === undefined
      ? []
      : [
          {
            label: 'Record again…',
            note: `On ${cleanText(entry.origin.label, 60)}, as before; compared with this when it is here.`,
            run: () => void app.capture.again(entry, ''),
          },
        ]),
    {
      label: 'Locate the file…',
      disabled: entry.sample,
      run: () => (dialogs.open = { kind: 'locate', entry }),
    },
    {
      label: 'Save as .stalltrace…',
      note: ARCHIVE_NOTE,
      disabled: entry.state === 'missing',
      run: () => void saveArchive(app, entry),
    },
    { label: 'Copy the path', run: () => void copyPath(app, entry) },
    {
      label: 'Remove…',
      hint: 'Del',
      danger: true,
      disabled: entry.sample,
      run: () => (dialogs.open = { kind: 'remove', entries }),
    },
  ];
}

function severalMenu(
  app: AppState,
  dialogs: LibraryDialogs,
  entries: readonly Investigation[],
): readonly MenuItem[] {
  const removable = entries.filter(({ sample }) => !sample);
  return [
    {
      label: entries.length === 2 ? 'Compare the two…' : `Compare ${entries.length}…`,
      hint: 'C',
      disabled: entries.length > MAX_SERIES_RUNS || entries.some(({ state }) => state !== 'ok'),
      run: () => app.comparing.show(entries),
    },
    {
      label: `Open ${entries.length} as one run`,
      note: 'Of the ranks or machines of one run: their clocks are aligned, and one trace of all is made.',
      disabled: entries.length > MAX_MERGED_FILES || entries.some(({ state }) => state !== 'ok'),
      run: () => void app.opener.openAsOne(entries),
    },
    { label: `Tags of ${entries.length}…`, run: () => (dialogs.open = { kind: 'tags', entries }) },
    {
      label: `Remove ${removable.length}…`,
      danger: true,
      disabled: removable.length === 0,
      run: () => (dialogs.open = { kind: 'remove', entries: removable }),
    },
  ];
}

async function copyPath(app: AppState, { path }: Investigation): Promise<void> {
  const copied = await copyText(path);
  app.toasts.show(copied ? 'The path is on the clipboard.' : `It could not be copied: ${path}`);
}
