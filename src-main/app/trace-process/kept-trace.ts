import type { Trace } from '../../shared/model/trace.ts';
import { TraceCache } from '../../trace/cache/trace-cache.ts';
import { stampOf } from '../../trace/content/plain-file.ts';
import { buildStamp } from './build-stamp.ts';

/** Once the window has its columns and its first figures. */
const KEEP_AFTER_MS = 5_000;

/** What the cache has of a file. */
export interface Kept {
  /** Whether it seems to have the trace. */
  readonly hasTrace: boolean;
  /** The trace; undefined where it is not kept, or is damaged. */
  trace(): Promise<Trace | undefined>;
  /** Keeps what was read of the file instead, in a while, unless the file is another one by then. */
  keepLater(trace: Trace): Promise<void>;
  /** What was answered to a question about it; undefined where that is not kept. */
  answer(question: string): Promise<unknown>;
  keepAnswer(question: string, answer: unknown): Promise<void>;
  /** The bytes that were read are those of a copy at `path` now: what is kept goes when that does. */
  moved(path: string): void;
}

/**
 * Looks in the cache for the trace of the file at `path`; undefined where such a file is not kept. A file of which
 * nothing can be there is not read for that: its name is worked out when there is something to keep.
 */
export async function openKept(
  openedPath: string,
  folder: string | undefined,
): Promise<Kept | undefined> {
  if (folder === undefined) return undefined;
  let path = openedPath;
  const cache = new TraceCache(folder, buildStamp());
  if (!cache.keeps(path)) return undefined;
  let stamp = stampNow(path);
  const known = cache.mayHave(path) ? await cache.nameOf(path) : undefined;
  /** Once nobody waits: the name of the bytes that were read. */
  const later = async () => {
    await new Promise((resolve) => setTimeout(resolve, KEEP_AFTER_MS).unref());
    const name = known ?? (await cache.nameOf(path));
    return stamp !== undefined && stampNow(path) === stamp ? name : undefined;
  };
  /** Several may have waited for one answer: two would write one file. */
  const writing = new Set<string>();
  let named: Promise<string | undefined> | undefined;
  const nameLater = () => {
    named ??= later();
    return named;
  };
  return {
    hasTrace: known !== undefined && cache.has(known),
    trace: async () => (known === undefined ? undefined : cache.read(known)),
    async keepLater(trace) {
      const name = await nameLater();
      if (name !== undefined) await cache.keep(name, path, trace);
    },
    answer: async (question) => (known === undefined ? undefined : cache.answer(known, question)),
    async keepAnswer(question, answer) {
      if (writing.has(question)) return;
      writing.add(question);
      try {
        const name = known ?? (await nameLater());
        if (name !== undefined) await cache.keepAnswer(name, path, question, answer);
      } finally {
        writing.delete(question);
      }
    },
    moved(to) {
      path = to;
      stamp = stampNow(to);
    },
  };
}

/** Undefined where the file can't be looked at. */
function stampNow(path: string): string | undefined {
  try {
    return stampOf(path);
  } catch {
    return undefined;
  }
}
