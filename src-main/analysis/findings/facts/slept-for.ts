import type { EventRefs } from '../../../shared/model/event-ref.ts';
import { blockedOn } from '../../threads/blocked-on.ts';
import type { RankFacts } from './facts.ts';
import { DOMINANT_SHARE } from './loader-work.ts';

/** What most of the waits shown were for: `a timer`; undefined where they were for different things, or it is not known. */
export function sleptFor({ trace }: RankFacts, { shown }: EventRefs): string | undefined {
  const counts = new Map<string, number>();
  for (const { table, row } of shown) {
    if (table !== 'off_cpu') continue;
    const { text, detail } = blockedOn(trace, row);
    if (detail !== 'unknown') counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return most !== undefined && most[1] >= shown.length * DOMINANT_SHARE
    ? most[0].replace(/: .*/, '')
    : undefined;
}
