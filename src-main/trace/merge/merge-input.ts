import type { TableName } from '../../shared/model/schema.ts';
import type { Trace } from '../../shared/model/trace.ts';
import type { Places } from './places.ts';

/** A trace that is to become part of one of several hosts. */
export interface MergeInput {
  readonly trace: Trace;
  /** What its host is called where the trace doesn't say, or says otherwise; absent = as it says. */
  readonly hostname?: string;
  /** What to add to the times of its clock to get those of the merged one, ns. */
  readonly offsetNs: number;
  /** The offset is right to ± this; absent where that is not known. */
  readonly uncertaintyNs?: number;
  /** Index of an earlier input of the same machine; each of the two has one host. Absent = a machine of its own. */
  readonly sameHostAs?: number;
  /** Whose a sentence about this trace alone is; absent = that of its hosts. */
  readonly label?: string;
  /** It is no recording of a host, but what nobody knows the host of: it lacks nothing that others have. */
  readonly isRest?: true;
}

/** An input with its place in the merged trace. */
export interface Part extends Omit<MergeInput, 'label'> {
  /** What is added to every moment of the trace, so that it counts from the merged begin. */
  readonly shiftNs: number;
  /** Whose something is that is said of this trace alone. */
  readonly label: string;
}

/** A part with the new numbers of all that its rows and entities name, rows and jobs excepted. */
export interface PlacedPart extends Part {
  readonly entityPlaces: Omit<Places, TableName>;
}
