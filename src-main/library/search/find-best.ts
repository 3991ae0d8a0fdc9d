import { createFinder, type Hit } from '../store/words.ts';
import { excerpt } from './excerpt.ts';

/** Terms this close to each other are read together, characters. */
const NEAR = 80;

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
