import type { AddedInvestigation } from '../library/investigation.ts';
import { plural } from '../text/units.ts';

/**
 * What a .stalltrace file brought along, and what stays the user's own, without a full stop:
 * "2 notes and 1 tag added; your name and view stay". Nothing where there is nothing to say.
 */
export function addedWords({
  notesAdded,
  bookmarksAdded,
  merged,
}: Pick<AddedInvestigation, 'notesAdded' | 'bookmarksAdded' | 'merged'>): string | undefined {
  const { tagsAdded = 0, verdictAdded = false, kept = [] } = merged ?? {};
  const added = [
    ...(notesAdded > 0 ? [plural(notesAdded, 'note')] : []),
    ...(bookmarksAdded > 0 ? [plural(bookmarksAdded, 'bookmark')] : []),
    ...(tagsAdded > 0 ? [plural(tagsAdded, 'tag')] : []),
    ...(verdictAdded ? ['the verdict'] : []),
  ];
  const stay =
    kept.length === 0 ? '' : `your ${list(kept)} ${kept.length === 1 ? 'stays' : 'stay'}`;
  const parts = [...(added.length > 0 ? [`${list(added)} added`] : []), ...(stay ? [stay] : [])];
  return parts.length === 0 ? undefined : parts.join('; ');
}

function list(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
