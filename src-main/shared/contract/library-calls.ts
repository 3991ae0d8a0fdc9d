import { z } from 'zod';
import type { RunBegins, RunComparison, StepSeriesPair } from '../answers/comparison.ts';
import type { FlameDifference } from '../answers/flame-difference.ts';
import { MAX_SERIES_RUNS, type RunSeries } from '../answers/run-series.ts';
import {
  type AddedInvestigation,
  type Investigation,
  investigationName,
  tagsSchema,
  verdictSchema,
} from '../library/investigation.ts';
import { backupName, type LibraryHealth, type RestoredBackup } from '../library/library-health.ts';
import { flameWeights, savedView } from '../library/view.ts';
import { type CallTable, defineCall as call, returns } from '../rpc/rpc.ts';
import { traceFileErrors } from '../rpc/trace-file-errors.ts';

/** All of them are in memory at once. */
export const MAX_MERGED_FILES = 64;

export const investigationId = z.number().int().positive();
/** A path on the host. */
export const hostPath = z.string().min(1).max(4096);

/** What can be wrong with a .stalltrace file, beside what can be wrong with the trace in it. */
export const archiveErrors = [
  'archive-damaged',
  'archive-unsafe',
  'archive-too-new',
  'archive-incomplete',
] as const;
export type ArchiveError = (typeof archiveErrors)[number];

const addErrors = [
  'library-unavailable',
  'path-not-allowed',
  // What goes beside a trace is none: `report.beside` reads it.
  'file-goes-beside',
  // The notes of a .stalltrace file beside those that are there.
  'too-many-notes',
  ...archiveErrors,
  ...traceFileErrors,
] as const;

export interface ComparedRuns {
  readonly comparison: RunComparison;
  /** Absent where a run has no steps to compare. */
  readonly steps?: StepSeriesPair;
  /** How they are brought in line without. */
  readonly begins: RunBegins;
  /** The comparison for an issue or a pull request. */
  readonly markdown: string;
}

export interface MergedInvestigation extends AddedInvestigation {
  /** Which of the sources are in it, by their places. */
  readonly sources: readonly number[];
  /** Why the others are not, a sentence each. */
  readonly leftOut: readonly string[];
  /** Which of those that are in it are cut off or not whole, a sentence each. */
  readonly cutOff: readonly string[];
}

export interface ComparedFlames {
  readonly difference: FlameDifference;
  readonly markdown: string;
}

export interface ComparedSeries {
  readonly series: RunSeries;
  /** Of each run that could not be read, why. */
  readonly leftOut: readonly string[];
  readonly markdown: string;
}

/** What can go wrong while entries are read to be compared. */
const compareErrors = [
  'library-unavailable',
  'not-found',
  'path-not-allowed',
  'not-open',
  'process-lost',
  ...traceFileErrors,
] as const;

export const libraryCalls = {
  /** All entries, last used first; with `search` those that have all its words: see library/search.ts. */
  'library.list': call(
    z.strictObject({ search: z.string().max(500).optional() }),
    returns<readonly Investigation[]>(),
    'library-unavailable',
  ),
  /**
   * Adds a file by its path on the host: a trace, or a .stalltrace file, whose notes are added too.
   * A capture or a file that is still written to is copied, others are with `copy`.
   */
  'library.add': call(
    z.strictObject({ path: hostPath, copy: z.boolean().optional() }),
    returns<AddedInvestigation>(),
    ...addErrors,
  ),
  /** The entry that has a file, also where its own copy of it lies elsewhere; `null` = none. */
  'library.findFile': call(
    z.strictObject({ path: hostPath }),
    returns<Investigation | null>(),
    'library-unavailable',
    'path-not-allowed',
  ),
  /** Whether the second of two runs is faster, and what else differs. Both are read, one after the other. */
  'library.compare': call(
    z.strictObject({ first: investigationId, second: investigationId }),
    returns<ComparedRuns>(),
    ...compareErrors,
  ),
  /** The stacks of two runs in one tree. `not-found`: also where a run has none of that weight. Both are read, one after the other. */
  'library.compareFlames': call(
    z.strictObject({
      first: investigationId,
      second: investigationId,
      weight: z.enum(flameWeights),
    }),
    returns<ComparedFlames>(),
    ...compareErrors,
  ),
  /** Several runs, each with the first. Two at most are read at once. */
  'library.compareSeries': call(
    z.strictObject({ ids: z.array(investigationId).min(2).max(MAX_SERIES_RUNS) }),
    returns<ComparedSeries>(),
    ...compareErrors,
  ),
  /**
   * Makes one trace of those of several ranks or machines, entries by their id or files by their path, with their clocks
   * brought in line; the library keeps it. The files stay as they are. `leavesOut`: those that are no trace are left out.
   */
  'library.merge': call(
    z.strictObject({
      sources: z
        .array(z.union([investigationId, hostPath]))
        .min(2)
        .max(MAX_MERGED_FILES),
      leavesOut: z.boolean().optional(),
    }),
    returns<MergedInvestigation>(),
    'not-found',
    'named-twice',
    'traces-apart',
    'not-writable',
    ...addErrors,
  ),
  'library.change': call(
    z.strictObject({
      id: investigationId,
      name: investigationName.optional(),
      tags: tagsSchema.optional(),
      verdict: verdictSchema.nullable().optional(),
    }),
    returns<Investigation>(),
    'library-unavailable',
    'not-found',
  ),
  /**
   * Takes an entry off the list. A copy of the library's own, or any file with `trashFile`, is moved
   * to the system's trash a few seconds later; until then `library.restore` finds all as it was.
   */
  'library.remove': call(
    z.strictObject({ id: investigationId, trashFile: z.boolean() }),
    returns<null>(),
    'library-unavailable',
    'not-found',
    'sample-stays',
    'no-trash',
  ),
  /** Puts a removed entry back with its notes. Its file may be in the system's trash: then it is `missing`. */
  'library.restore': call(
    z.strictObject({ id: investigationId }),
    returns<Investigation>(),
    'library-unavailable',
    'not-found',
  ),
  /** Says where a moved file is now. Another file than the one that was hashed needs `acceptDifferent`. */
  'library.locate': call(
    z.strictObject({ id: investigationId, path: hostPath, acceptDifferent: z.boolean() }),
    returns<Investigation>(),
    'not-found',
    'file-different',
    'path-taken',
    ...addErrors,
  ),
  /** Asks for the path of a file with the system's dialog; `null` = the user changed their mind. */
  'library.choosePath': call(z.strictObject({}), returns<string | null>(), 'no-dialog'),
  /** Whether the library can be trusted and written; asked whenever the list is. */
  'library.health': call(z.strictObject({}), returns<LibraryHealth>(), 'library-unavailable'),
  /** Puts a backup in the library's place; the file that was there is kept. */
  'library.restoreBackup': call(
    z.strictObject({ name: backupName }),
    returns<RestoredBackup>(),
    'library-unavailable',
    'not-found',
    'disk-full',
  ),
  /** Keeps the view for the next opening; `null` forgets it. */
  'library.saveView': call(
    z.strictObject({ id: investigationId, view: savedView.nullable() }),
    returns<null>(),
    'library-unavailable',
    'not-found',
  ),
} as const satisfies CallTable;
