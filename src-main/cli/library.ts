import { parseArgs } from 'node:util';
import { dataFolder } from '../app/data-folder.ts';
import { type Investigation, shownVerdict } from '../shared/investigation.ts';
import { cleanText } from '../shared/text.ts';
import { formatBytes, plural } from '../shared/units.ts';
import { contextUntil, createCliApp } from './cli-app.ts';
import { reportFailure } from './report-failure.ts';
import { onStopSignal } from './stop-signals.ts';
import { optionProblem, wrongUsage } from './wrong-usage.ts';

const LIBRARY_USAGE = `Usage: stalltrace library [--search WORDS] [--json]

Lists your library, last used first.

  --search WORDS   entries in which all words begin a word: of the name, the tags, the verdict, the
                   machine, the format, the notes or the process names; says where; pt_data, run.db
                   and a/b are looked for as they stand
  --json           one JSON object, documented in docs/cli.md, instead of text`;

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
  const { search, json } = options;
  const app = createCliApp(dataFolder());
  try {
    const words = search === undefined ? {} : { search };
    const listed = await app.handlers['library.list'](words, contextUntil(stop.signal));
    if (!listed.ok) {
      if (json) console.log(JSON.stringify({ error: listed.error }, null, 2));
      return reportFailure(listed.error);
    }
    if (json) console.log(JSON.stringify({ investigations: listed.value }, null, 2));
    else console.log(libraryText(listed.value, search));
    return 0;
  } finally {
    await app.close();
  }
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
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return (values.search ?? '').length > 500 ? 'Search for fewer words.' : values;
  } catch (error) {
    return optionProblem(error);
  }
}
