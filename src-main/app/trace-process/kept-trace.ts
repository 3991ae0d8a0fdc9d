import type { Trace } from '../../shared/model/trace.ts';
import { TraceCache } from '../../trace/cache/trace-cache.ts';
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
  keepLater(trace: Trace): void;
  /** What was answered to a question about it; undefined where that is not kept. */
  answer(question: string): Promise<unknown>;
  keepAnswer(question: string, answer: unknown): void;
}

/** Looks in the cache for the trace of the file at `path`; undefined where such a file is not kept. */
export function openKept(path: string, folder: string | undefined): Kept | undefined {
  if (folder === undefined) return undefined;
  const cache = new TraceCache(folder, buildStamp());
  const name = cache.nameOf(path);
  if (name === undefined) return undefined;
  return {
    hasTrace: cache.has(name),
    trace: () => cache.read(name),
    keepLater(trace) {
      setTimeout(() => {
        if (cache.nameOf(path) === name) void cache.keep(name, path, trace);
      }, KEEP_AFTER_MS).unref();
    },
    answer: (question) => cache.answer(name, question),
    keepAnswer: (question, answer) => void cache.keepAnswer(name, path, question, answer),
  };
}
