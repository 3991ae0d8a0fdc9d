import {
  type Investigation,
  shownVerdict,
  verdictKinds,
} from '../../src-main/shared/library/investigation.ts';
import { nameInFolder } from '../../src-main/shared/library/same-names.ts';
import { formatUtcMinute, formatUtcSecond } from '../../src-main/shared/text/dates.ts';
import { cleanText } from '../../src-main/shared/text/text.ts';

/** How the list of investigations is narrowed and ordered, without the screen. */

export const libraryColumns = [
  'name',
  'verdict',
  'place',
  'recorded',
  'length',
  'size',
  'opened',
  'notes',
] as const;
export type LibraryColumn = (typeof libraryColumns)[number];

export interface LibrarySort {
  readonly column: LibraryColumn;
  readonly direction: 'ascending' | 'descending';
}

/** What `state` of the filter means: `attention` = anything that is not as it should be. */
export interface LibraryFilter {
  /** Entries must have all of them. */
  readonly tags: readonly string[];
  readonly verdict: string;
  readonly state: 'any' | 'ok' | 'attention';
}

export const noFilter: LibraryFilter = { tags: [], verdict: '', state: 'any' };

/** GPU and machine, as far as they are known. */
export function placeOf({ machine, gpu }: Investigation): string {
  return [gpu, machine].filter(Boolean).join(' · ');
}

/** When it was last used: opened, else added. */
export function usedAt({ openedAt, addedAt }: Investigation): string {
  return openedAt ?? addedAt;
}

export function filterEntries(
  entries: readonly Investigation[],
  { tags, verdict, state }: LibraryFilter,
): readonly Investigation[] {
  return entries.filter(
    (entry) =>
      tags.every((tag) => entry.tags.includes(tag)) &&
      (verdict === '' || (shownVerdict(entry)?.kind ?? 'none') === verdict) &&
      (state === 'any' || (state === 'ok') === (entry.state === 'ok')),
  );
}

const byText = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

type Key = string | number | undefined;

const keys: Readonly<Record<LibraryColumn, (entry: Investigation) => Key>> = {
  name: ({ name }) => name,
  verdict: (entry) => {
    const shown = shownVerdict(entry);
    return shown && verdictKinds.indexOf(shown.kind);
  },
  place: (entry) => placeOf(entry) || undefined,
  recorded: ({ recordedAt }) => recordedAt,
  length: ({ lengthNs }) => lengthNs,
  size: ({ sizeBytes }) => sizeBytes,
  opened: usedAt,
  notes: ({ notes }) => notes,
};

/** Ordered by a column; what has no value there comes last either way, equal ones last used first. */
export function sortEntries(
  entries: readonly Investigation[],
  { column, direction }: LibrarySort,
): readonly Investigation[] {
  const sign = direction === 'ascending' ? 1 : -1;
  const keyOf = keys[column];
  const keyed = entries.map((entry) => ({ entry, key: keyOf(entry), used: usedAt(entry) }));
  keyed.sort((a, b) => compare(a.key, b.key, sign) || compare(b.used, a.used, 1));
  return keyed.map(({ entry }) => entry);
}

function compare(a: Key, b: Key, sign: number): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
  return sign * byText.compare(String(a), String(b));
}

/** A run as it is chosen from a list: files of one name are told apart by `folder`, and by when they were recorded. */
export function runName(
  { name, recordedAt }: Pick<Investigation, 'name' | 'recordedAt'>,
  folder?: string,
): string {
  const named = (text: string) => cleanText(nameInFolder(text, folder), 300);
  if (recordedAt === undefined) return named(name);
  // A capture is named with its minute; two of a command may have the same one.
  const bare = name.replace(`, ${formatUtcMinute(recordedAt)}`, '');
  return `${named(bare)} · ${formatUtcSecond(recordedAt)}`;
}

/** Every tag with how many entries have it, the most used first. */
export function countTags(
  entries: readonly Investigation[],
): readonly { readonly tag: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { tags } of entries)
    for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || byText.compare(a.tag, b.tag));
}
