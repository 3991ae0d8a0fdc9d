import { formatDuration } from '../text/units.ts';

/** What tells whether a trace would show a finding that it does not have. JSON-safe. */
export interface Unseen {
  /** By the id of a finding, why this trace cannot show it: the capture that could is named. Any other it can. */
  readonly byFinding: Readonly<Record<string, string>>;
  /** Set where it can show none. */
  readonly all?: string;
  /** Set where waiting for input is not told from other host time: why. */
  readonly input?: string;
  /** Length of the time that is judged, ns. */
  readonly windowNs: number;
}

/** A finding of another trace. */
interface SeenElsewhere {
  readonly id: string;
  /** How often it happened there, where that is known. */
  readonly times?: number | undefined;
  readonly windowNs: number;
  /** Whether waiting for input is told from other host time there. */
  readonly inputKnown: boolean;
}

/** So often as it happened there it would have to happen here. */
const EXPECTED_TIMES = 3;

/** Why a finding that is not found may be there all the same; undefined = it would be seen. */
export function whyUnseen(
  { byFinding, all, input, windowNs }: Unseen,
  { id, times = 0, inputKnown, windowNs: elsewhereNs }: SeenElsewhere,
): string | undefined {
  const missing = byFinding[id] ?? all ?? (inputKnown ? input : undefined);
  if (missing !== undefined) return missing;
  const neededNs = times > 0 ? Math.min(1, EXPECTED_TIMES / times) * elsewhereNs : 0;
  if (windowNs >= neededNs && windowNs > 0) return undefined;
  return `It is too short: ${formatDuration(windowNs)} of the loop are in it. At the other trace’s pace, a recording shorter than ${formatDuration(neededNs)} can miss the finding: record for longer.`;
}
