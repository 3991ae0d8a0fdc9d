import { SpanList, type Spans } from '../index/spans.ts';
import type { Phases } from './phases.ts';

/** Where the loop was in the phase with this code, within its window. */
export function phaseSpans({ startsNs, endsNs, phases, summary }: Phases, phase: number): Spans {
  const list = new SpanList(summary.window);
  for (let at = 0; at < startsNs.length; at++)
    if (phases[at] === phase) list.add(startsNs[at], endsNs[at]);
  return list.spans();
}
