import type { LibraryBackup } from '../library/library-health.ts';
import { plural } from '../text/units.ts';

/** What a backup of the library holds: "10 entries, 31 notes, 2 statements". */
export function backupWords({
  entries,
  notes,
  statements,
}: Pick<LibraryBackup, 'entries' | 'notes' | 'statements'>): string {
  return [
    plural(entries, 'entry', 'entries'),
    plural(notes, 'note'),
    ...(statements > 0 ? [plural(statements, 'statement')] : []),
  ].join(', ');
}
