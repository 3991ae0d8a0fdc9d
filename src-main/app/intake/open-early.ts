import type { Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { fileIdentity } from '../traces/file-identity.ts';
import type { OpenTrace } from '../traces/open-traces.ts';

/** A file that is read while the library copies it: nobody waits for one after the other. */
export interface EarlyOpening {
  /** For the copying: what is told of how far that is would hide the figures of what was read. */
  readonly context: CallContext;
  /** The trace, which is of the copy at `path` now; undefined where the file has changed meanwhile or was not readable. */
  as(path: string): Promise<Result<OpenTrace, never> | undefined>;
  /** The trace is not wanted any more, unless it was taken. */
  end(): Promise<void>;
}

export function openEarly(
  { traces }: Pick<Services, 'traces'>,
  source: string,
  context: CallContext,
): EarlyOpening {
  const ended = new AbortController();
  const signal = AbortSignal.any([context.signal, ended.signal]);
  let isRead = false;
  const before = fileIdentity(source);
  const opening = before
    .then(() => traces.open(source, { ...context, signal }))
    .finally(() => {
      isRead = true;
    });
  let isTaken = false;
  return {
    context: {
      ...context,
      progress: (progress) => {
        if (isRead) context.progress(progress);
      },
    },
    async as(path) {
      const opened = await opening;
      const identity = await before;
      const isSame = identity !== undefined && identity === (await fileIdentity(source));
      if (!opened.ok || !isSame) return undefined;
      const moved = await traces.moveTo(opened.value.id, path);
      isTaken = moved.ok;
      return moved.ok ? moved : undefined;
    },
    async end() {
      if (isTaken) return;
      ended.abort();
      const opened = await opening;
      if (opened.ok) traces.close(opened.value.id);
    },
  };
}
