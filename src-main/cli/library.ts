import { parseArgs } from 'node:util';
import type { App } from '../app/app.ts';
import { dataFolder } from '../app/services/data-folder.ts';
import { type Investigation, shownVerdict } from '../shared/library/investigation.ts';
import type { CallContext } from '../shared/rpc/rpc.ts';
import { cleanText } from '../shared/text/text.ts';
import { formatBytes, plural } from '../shared/text/units.ts';
import { contextUntil, createCliApp } from './cli-app.ts';
import { listBackups, restoreBackup, wrongRestore } from './library-backups.ts';
import { printJson } from './plain-output.ts';
import { reportFailure } from './report-failure.ts';
import { onStopSignal } from './stop-signals.ts';
import { optionProblem, wrongUsage } from './wrong-usage.ts';

const LIBRARY_USAGE = `Usage: stalltrace library [--search WORDS] [--json]
       stalltrace library --backups | --restore BACKUP

Lists your library, last used first.

  --search WORDS   entries in which all words begin a word: of the name, the tags, the verdict, the
                   machine, the format, the notes or the process names; says where; pt_data, run.db
                   and a/b are looked for as they stand
  --json           one JSON object, documented in docs/cli.md, instead of text
  --backups        lists the backups of your library, newest first
  --restore BACKUP puts one of them in its place, such as 2026-11-22T23-40-11Z, or the newest; what
                   was there is kept beside the backups`;

/** `stalltrace library`; the exit code. */
export async function listLibrary(args: readonly string[]): Promise<number> {
  const options = parseOptions(args);
  if (typeof options === 'string') return wrongUsage('library', options);
  if (options.help) {
    console.log(LIBRARY_USAGE);
    return 0;
  }
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
}

async function list(
  app: App,
  { search, json }: LibraryOptions,
  context: CallContext,
): Promise<number> {
  const words = search === undefined ? {} : { search };
  const listed = await app.handlers['library.list'](words, context);
  if (!listed.ok) {
    if (json) printJson({ error: listed.error });
    return reportFailure(listed.error);
  }
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

/** One entry a paragraph: its name, what is known of it, where it is. */
export function libraryText(entries: readonly Investigation[], search?: string): string {
  if (entries.length > 0) return entries.map(entryLines).join('\n\n');
  return search === undefined
    ? 'Your library is empty: add a trace with `stalltrace import FILE`.'
    : `Nothing in your library has ${cleanText(search, 200)}.`;
}

function entryLines(entry: Investigation): string {
  const { name, path, state, damage, tags, notes, match } = entry;
  const verdict = shownVerdict(entry);
  const facts = [
    state === 'ok' ? undefined : state.toUpperCase(),
    entry.recordedAt?.slice(0, 10),
    entry.machine,
    entry.gpu,
    formatBytes(entry.sizeBytes),
    notes > 0 ? plural(notes, 'note') : undefined,
    ...tags.map((tag) => `#${tag}`),
  ];
  const lines = [
    name,
    `  ${facts.filter((fact) => fact !== undefined).join(' · ')}`,
    `  ${path}`,
    verdict && `  ${verdict.kind}: ${verdict.text}`,
    damage && `  ${damage}`,
    match && `  found in ${match.field}: ${match.before}${match.hit}${match.after}`,
  ];
  return lines.flatMap((line) => (line ? cleanText(line, 4096) : [])).join('\n');
}

interface LibraryOptions {
  readonly backups: boolean;
  readonly restore?: string | undefined;
  readonly search?: string | undefined;
  readonly json: boolean;
  readonly help: boolean;
}

function parseOptions(args: readonly string[]): LibraryOptions | string {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        search: { type: 'string' },
        json: { type: 'boolean', default: false },
        backups: { type: 'boolean', default: false },
        restore: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    if ((values.search ?? '').length > 500) return 'Search for fewer words.';
    return wrongRestore(values.restore) ?? values;
  } catch (error) {
    return optionProblem(error);
  }
}
