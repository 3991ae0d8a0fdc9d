import type { App } from '../app/app.ts';
import { backupName, type LibraryBackup } from '../shared/library/library-health.ts';
import type { CallContext } from '../shared/rpc/rpc.ts';
import { formatLocalMinute } from '../shared/text/dates.ts';
import { cleanText } from '../shared/text/text.ts';
import { plural } from '../shared/text/units.ts';
import { printJson } from './plain-output.ts';
import { reportFailure } from './report-failure.ts';

/** Instead of a backup's name. */
const NEWEST = 'newest';

/** What is wrong with the value of --restore. */
export function wrongRestore(name: string | undefined): string | undefined {
  if (name === undefined || name === NEWEST || backupName.safeParse(name).success) return undefined;
  return `--restore ${cleanText(name, 80)} is no backup: name one that --backups lists, or ${NEWEST}.`;
}

/** `stalltrace library --backups`; the exit code. */
export async function listBackups(app: App, json: boolean, context: CallContext): Promise<number> {
  const health = await app.handlers['library.health']({}, context);
  if (!health.ok) return reportFailure(health.error);
  const { backups } = health.value;
  if (json) printJson({ backups });
  else console.log(backups.length === 0 ? NONE : backups.map(backupLine).join('\n'));
  return 0;
}

const NONE = 'Your library has no backup yet: one is made whenever Stalltrace ends after a change.';

function backupLine(backup: LibraryBackup): string {
  return `${backup.name}  ${backupWords(backup)}`;
}

function backupWords({ madeAt, entries, notes }: LibraryBackup): string {
  const what = `${plural(entries, 'entry', 'entries')}, ${plural(notes, 'note')}`;
  return `${formatLocalMinute(madeAt)}: ${what}`;
}

/** `stalltrace library --restore BACKUP`; the exit code. */
export async function restoreBackup(
  app: App,
  wanted: string,
  context: CallContext,
): Promise<number> {
  const health = await app.handlers['library.health']({}, context);
  if (!health.ok) return reportFailure(health.error);
  const name = wanted === NEWEST ? health.value.backups[0]?.name : wanted;
  if (name === undefined) return reportFailure({ code: 'not-found', message: NONE });
  const restored = await app.handlers['library.restoreBackup']({ name }, context);
  if (!restored.ok) return reportFailure(restored.error);
  const { backup, keptAs } = restored.value;
  console.log(`Restored the backup of ${backupWords(backup)}.`);
  if (keptAs !== undefined) console.log(`What was there is kept as ${cleanText(keptAs, 4096)}.`);
  return 0;
}
