import type { SearchMatch } from '../../shared/library/investigation.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { Finder } from '../store/words.ts';

const BEFORE = 40;
const HIT = 80;
const AFTER = 80;

/** The text around what `find` finds, on one line. */
export function excerpt(text: string, find: Finder): Omit<SearchMatch, 'field'> | undefined {
  const hit = find(text);
  if (hit === undefined) return undefined;
  const from = Math.max(0, hit.start - BEFORE);
  const hitEnd = Math.min(hit.end, hit.start + HIT);
  const to = hitEnd + AFTER;
  return {
    before: (from > 0 ? '…' : '') + oneLine(text.slice(from, hit.start)).trimStart(),
    hit: oneLine(text.slice(hit.start, hitEnd)),
    after: oneLine(text.slice(hitEnd, to)).trimEnd() + (to < text.length ? '…' : ''),
  };
}

/** Half a character at an edge of the cut goes. */
function oneLine(text: string): string {
  return cleanText(text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').replace(/\s+/g, ' '));
}
