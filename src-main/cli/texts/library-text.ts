import { type Investigation, shownVerdict } from '../../shared/library/investigation.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes, plural } from '../../shared/text/units.ts';
import { verdictLabels } from '../../shared/words/terms.ts';
import { SIMULATED, SYNTHETIC } from './not-real.ts';

/** One entry a paragraph: its name, what is known of it, where it is. */
export function libraryText(entries: readonly Investigation[], search?: string): string {
  if (entries.length > 0) return entries.map(entryLines).join('\n\n');
  return search === undefined
    ? 'Your library is empty: add a trace with `stalltrace import FILE`.'
    : `Nothing in your library matches “${cleanText(search, 200)}”.`;
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
    entry.synthetic && `  ${SYNTHETIC}: made by a script, not captured`,
    entry.simulated && `  ${SIMULATED}: ${entry.simulated}`,
    verdict && `  ${verdictLabels[verdict.kind]}: ${verdict.text}`,
    damage && `  ${damage}`,
    match && `  found in ${match.field}: ${match.before}${match.hit}${match.after}`,
  ];
  return lines.flatMap((line) => (line ? cleanText(line, 4096) : [])).join('\n');
}
