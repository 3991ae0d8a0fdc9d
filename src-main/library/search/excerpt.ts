import type { SearchMatch } from '../../shared/library/investigation.ts';
import { cleanText } from '../../shared/text/text.ts';
import { createFinder, type Finder, type Hit } from '../store/words.ts';

/** Terms this close to each other are read together, characters. */
const NEAR = 80;
/** Characters shown before what was found (few, so that the hit is seen where a line is cut), of it, and behind it. */
const BEFORE = 24;
const HIT = 80;
const AFTER = 80;

interface Place {
  /** How many of the terms the text holds. */
  readonly count: number;
  /** The text around the one with most of the others behind it. */
  readonly piece: NonNullable<ReturnType<typeof excerpt>>;
}

/** Finds the place in a text that shows most of `terms`. */
export function findBest(terms: readonly string[]): (text: string) => Place | undefined {
  const finders = terms.map((term) => createFinder([term]));
  return (text) => {
    const hits = finders.map((find) => find(text)).filter((hit) => hit !== undefined);
    const near = (hit: Hit) =>
      hits.filter(({ start }) => start >= hit.start && start < hit.start + NEAR).length;
    let best: Hit | undefined;
    for (const hit of hits) {
      const ahead = best === undefined ? 1 : near(hit) - near(best) || best.start - hit.start;
      if (ahead > 0) best = hit;
    }
    const piece = best && excerpt(text, () => best);
    return piece === undefined ? undefined : { count: hits.length, piece };
  };
}

/** The text around what `find` finds, on one line. */
export function excerpt(text: string, find: Finder): Omit<SearchMatch, 'field'> | undefined {
  const hit = find(text);
  if (hit === undefined) return undefined;
  const from = Math.max(0, hit.start - BEFORE);
  const before = oneLine(text.slice(from, hit.start)).trimStart();
  const hitEnd = Math.min(hit.end, hit.start + HIT);
  const to = hitEnd + AFTER;
  return {
    before: from > 0 ? `…${fromWord(before)}` : before,
    hit: oneLine(text.slice(hit.start, hitEnd)),
    after: oneLine(text.slice(hitEnd, to)).trimEnd() + (to < text.length ? '…' : ''),
  };
}

/** Without the rest of a word that was cut; a long one says more than it disturbs. */
function fromWord(text: string): string {
  return text.replace(/^\S{0,15}\s+/, '');
}

/** Half a character at an edge of the cut goes. */
function oneLine(text: string): string {
  return cleanText(text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').replace(/\s+/g, ' '));
}
