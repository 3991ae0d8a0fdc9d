import type { App } from '../../app/app.ts';
import { dataFolder } from '../../app/services/data-folder.ts';
import { backupName, type LibraryBackup } from '../../shared/library/library-health.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { formatLocalMinute } from '../../shared/text/dates.ts';
import { cleanText } from '../../shared/text/text.ts';
import { backupWords } from '../../shared/words/backup-words.ts';
import { defineCommand } from '../command/command.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil, createCliApp } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { libraryText } from '../texts/library-text.ts';

/** Instead of a backup's name. */
const NEWEST = 'newest';

const NO_BACKUP =
  'Your library has no backup yet: one is made whenever Stalltrace ends after a change.';

interface LibraryOptions {
  readonly backups: boolean;
  readonly restore?: string | undefined;
  readonly search?: string | undefined;
  readonly json: boolean;
}

export const library = defineCommand({
  name: 'library',
  synopsis: '[--search WORDS]',
  summary: 'list your library; --backups, --restore BACKUP',
  usage: `Usage: stalltrace library [--search WORDS] [--json]
       stalltrace library --backups | --restore BACKUP

Lists your library, last used first.

  --search WORDS   entries in which all words begin a word: of the name, the tags, the verdict, the
                   machine, the format, the notes or the process names; says where; pt_data, run.db
                   and a/b are looked for as they stand
  --json           one JSON object, documented in docs/cli.md, instead of text
  --backups        lists the backups of your library, newest first
  --restore BACKUP puts one of them in its place, such as 2026-11-22T23-40-11Z, or the newest; what
                   was there is kept beside the backups`,
  options: {
    search: { type: 'string' },
    json: { type: 'boolean', default: false },
    backups: { type: 'boolean', default: false },
    restore: { type: 'string' },
  },
  takesOperands: false,
  read({ values }): LibraryOptions | string {
    if ((values.search ?? '').length > 500) return 'Search for fewer words.';
    return wrongRestore(values.restore) ?? values;
  },
  async run(options) {
    const stop = new AbortController();
    onStopSignal(stop);
    const app = createCliApp(dataFolder());
    const context = contextUntil(stop.signal);
    try {
      if (options.backups) return await listBackups(app, options.json, context);
      if (options.restore !== undefined) return await restoreBackup(app, options.restore, context);
      return await list(app, options, context);
    } finally {
      await app.close();
    }
  },
});

async function list(
  app: App,
  { search, json }: LibraryOptions,
  context: CallContext,
): Promise<number> {
  const words = search === undefined ? {} : { search };
  const listed = await app.handlers['library.list'](words, context);
  if (!listed.ok) return reportFailure(listed.error, json);
  // What could be read of a damaged library may be less than it held.
  const health = await app.handlers['library.health']({}, context);
  const isDamaged = health.ok && health.value.state === 'damaged';
  const message = (isDamaged ? health.value.message : undefined) ?? '';
  const error = { code: 'library-unavailable', message };
  const investigations = listed.value;
  if (json) printJson({ investigations, ...(isDamaged && { error }) });
  else console.log(libraryText(investigations, search));
  return isDamaged ? reportFailure(error) : 0;
}

/** What is wrong with the value of --restore. */
function wrongRestore(name: string | undefined): string | undefined {
  if (name === undefined || name === NEWEST || backupName.safeParse(name).success) return undefined;
  return `--restore ${cleanText(name, 80)} is not a backup: name one that --backups lists, or ${NEWEST}.`;
}

/** `stalltrace library --backups`; the exit code. */
async function listBackups(app: App, json: boolean, context: CallContext): Promise<number> {
  const health = await app.handlers['library.health']({}, context);
  if (!health.ok) return reportFailure(health.error, json);
  const { backups } = health.value;
  if (json) printJson({ backups });
  else console.log(backups.length === 0 ? NO_BACKUP : backups.map(backupLine).join('\n'));
  return 0;
}

function backupLine(backup: LibraryBackup): string {
  return `${backup.name}  ${toldBackup(backup)}`;
}

function toldBackup(backup: LibraryBackup): string {
  return `${formatLocalMinute(backup.madeAt)}: ${backupWords(backup)}`;
}

/** `stalltrace library --restore BACKUP`; the exit code. */
async function restoreBackup(app: App, wanted: string, context: CallContext): Promise<number> {
  const health = await app.handlers['library.health']({}, context);
  if (!health.ok) return reportFailure(health.error);
  const name = wanted === NEWEST ? health.value.backups[0]?.name : wanted;
  if (name === undefined) return reportFailure({ code: 'not-found', message: NO_BACKUP });
  const restored = await app.handlers['library.restoreBackup']({ name }, context);
  if (!restored.ok) return reportFailure(restored.error);
  const { backup, keptAs } = restored.value;
  console.log(`Restored the backup of ${toldBackup(backup)}.`);
  if (keptAs !== undefined) console.log(`What was there is kept as ${cleanText(keptAs, 4096)}.`);
  return 0;
}
