import { z } from 'zod';
import type { CaptureOrigin } from '../remote/capture-origin.ts';
import type { SavedView } from './view.ts';

/** What an investigation came to, as a badge of the list: the analysis's verdicts, and two of a person's own. */
export const verdictKinds = [
  'input-bound',
  'input-straggler',
  'h2d-bound',
  'compute-bound',
  'host-bound',
  'cpu-wait',
  'balanced',
  'serving',
  'other',
  'unclear',
] as const;

/** `text` is one plain line that says why. */
export const verdictSchema = z.strictObject({
  kind: z.enum(verdictKinds),
  text: z.string().max(300),
});
export type Verdict = z.infer<typeof verdictSchema>;

const tagSchema = z.string().trim().min(1).max(50);
export const tagsSchema = z.array(tagSchema).max(50);
export const investigationName = z.string().trim().min(1).max(200);

/**
 * Where the file of an entry stands. `missing`: not where it was. `changed`: there, but not the
 * bytes that were hashed. `damaged`: it could not be read when it was opened last.
 */
export type FileState = 'ok' | 'missing' | 'changed' | 'damaged';

export interface Investigation {
  readonly id: number;
  readonly name: string;
  /** Absolute path of the file on the host. */
  readonly path: string;
  readonly format: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly addedAt: string;
  readonly openedAt?: string;
  /** ISO 8601, when the trace was recorded. */
  readonly recordedAt?: string;
  readonly lengthNs?: number;
  readonly machine?: string;
  readonly gpu?: string;
  /** The bundled sample: made by a script, cannot be removed. */
  readonly sample: boolean;
  readonly synthetic: boolean;
  /** Which part of the recorded machine was not real, in one sentence. */
  readonly simulated?: string;
  /** How it was captured, where Stalltrace did that from this library. */
  readonly origin?: CaptureOrigin;
  /** Of a copy, the name of the folder that its file lay in, where that is known. */
  readonly folder?: string;
  /** `copied`: the library keeps a copy of its own. `referenced`: the file stays the user's. */
  readonly storage: 'copied' | 'referenced';
  readonly state: FileState;
  /** Where `state` is `damaged`: what was wrong, in a sentence. */
  readonly damage?: string;
  /** Of the file's bytes, hex; absent until it was hashed in the background. */
  readonly sha256?: string;
  readonly tags: readonly string[];
  /** The user's own. */
  readonly verdict?: Verdict;
  /** What the analysis found when the investigation was open last. */
  readonly found?: Verdict;
  /** How many notes and bookmarks it has. */
  readonly notes: number;
  /** In an answer to a search: where most of the words were found. */
  readonly match?: SearchMatch;
}

/** When it was recorded; where that is not known, when it was added. */
export const timeOf = ({
  recordedAt,
  addedAt,
}: Pick<Investigation, 'recordedAt' | 'addedAt'>): string => recordedAt ?? addedAt;

/** The user's verdict stands before the analysis's. */
export function shownVerdict({
  verdict,
  found,
}: Pick<Investigation, 'verdict' | 'found'>): Verdict | undefined {
  return verdict ?? found;
}

export interface SearchMatch {
  readonly field:
    | 'name'
    | 'tags'
    | 'verdict'
    | 'gpu'
    | 'machine'
    | 'format'
    | 'notes'
    | 'cpu'
    | 'processes';
  /** A piece of plain text around the first hit. */
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

/** What adding a file came to. */
export interface AddedInvestigation {
  readonly investigation: Investigation;
  /** The same file, or the same bytes, were in the library: nothing was added. */
  readonly wasKnown: boolean;
  /** Notes, and bookmarks, that a .stalltrace file brought along and the library did not have. */
  readonly notesAdded: number;
  readonly bookmarksAdded: number;
  /** What else of a .stalltrace file was taken, where the trace in it was known. */
  readonly merged?: MergedArchive;
}

/** What was the user's own stays as it was. */
export interface MergedArchive {
  readonly tagsAdded: number;
  /** Whether the verdict is the sender's: there was none. */
  readonly verdictAdded: boolean;
  /** What the sender has otherwise and the user kept. */
  readonly kept: readonly ('name' | 'verdict' | 'view')[];
  /** The sender's view, where it is another one than the user's. */
  readonly view?: SavedView;
}
