import type { EventLine } from '../../../src-main/shared/answers/placed-event.ts';
import type { EventRef } from '../../../src-main/shared/model/event-ref.ts';
import { tableWords } from '../../../src-main/shared/words/table-words.ts';
import type { TimelineSource } from './timeline-source.svelte.ts';

/** An event in a list; as long as it is not told, what kind of event it is. */
export function eventLine(source: TimelineSource | undefined, event: EventRef): EventLine {
  return source?.lineOf(event) ?? { name: tableWords[event.table][0] };
}
