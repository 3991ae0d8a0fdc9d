import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from '../../app/app.ts';
import { kindOfFile } from '../../app/opening/kind-of-file.ts';
import { dataFolder } from '../../app/services/data-folder.ts';
import { scratchFolderOf } from '../../app/traces/scratch-folders.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { SavedView } from '../../shared/library/view.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { makeFolder } from '../../system/make-folder.ts';
import { createCliApp } from '../session/cli-app.ts';

/** An open trace, with what is kept of it: by the user's library, or in its .stalltrace file. */
export interface UsedTrace {
  readonly app: App;
  readonly traceId: string;
  readonly summary: TraceSummary;
  /** Absent where the trace is in no library. */
  readonly investigation?: number;
  readonly view?: SavedView;
}

interface TraceOptions {
  /** Whether an entry of a library is needed, be it one that is thrown away. */
  readonly needsEntry: boolean;
  readonly context: CallContext;
}

/** Opens `path` for `use`, and removes all that this took afterwards. */
export async function withTrace(
  path: string,
  { needsEntry, context }: TraceOptions,
  use: (source: UsedTrace) => Promise<Result<null>>,
): Promise<Result<null>> {
  const isPacked = (await kindOfFile(path)) === 'archive';
  if (!isPacked) {
    const app = createCliApp(dataFolder());
    try {
      const id = await findInLibrary(app, path, context);
      if (id !== undefined) return await useEntry(app, id, context, use);
      if (!needsEntry) return await useFile(app, path, context, use);
    } finally {
      await app.close();
    }
  }
  return withOwnLibrary(async (app) => {
    const added = await app.handlers['library.add']({ path, copy: false }, context);
    return added.ok ? useEntry(app, added.value.investigation.id, context, use) : added;
  });
}

/** The entry of the user's library with this file. Where there is no library, none is made. */
async function findInLibrary(
  app: App,
  path: string,
  context: CallContext,
): Promise<number | undefined> {
  if (!existsSync(join(dataFolder(), 'library.db'))) return undefined;
  const found = await app.handlers['library.findFile']({ path }, context);
  if (found.ok) return found.value?.id;
  if (found.error.code !== 'cancelled')
    console.error(`stalltrace: notes and view are left out: ${found.error.message}`);
  return undefined;
}

async function useEntry(
  app: App,
  id: number,
  context: CallContext,
  use: (source: UsedTrace) => Promise<Result<null>>,
): Promise<Result<null>> {
  const opened = await app.handlers['trace.open']({ id }, context);
  if (!opened.ok) return opened;
  const { traceId, summary, view } = opened.value;
  return use({ app, traceId, summary, investigation: id, ...(view !== undefined && { view }) });
}

async function useFile(
  app: App,
  path: string,
  context: CallContext,
  use: (source: UsedTrace) => Promise<Result<null>>,
): Promise<Result<null>> {
  const opened = await app.handlers['trace.openFile']({ path }, context);
  return opened.ok ? use({ app, ...opened.value }) : opened;
}

/** A library that lives only as long as it is used: the user's does not learn of the file. */
async function withOwnLibrary(use: (app: App) => Promise<Result<null>>): Promise<Result<null>> {
  const folder = await makeOwnFolder().catch(() => undefined);
  if (folder === undefined) {
    const message = `No folder for temporary files can be used (${dataFolder()}, ${tmpdir()}): set TMPDIR to one of yours.`;
    return fail('no-temporary-folder', message);
  }
  const app = createCliApp(folder);
  try {
    return await use(app);
  } finally {
    await app.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** On the disk of the library where possible: /tmp may be memory. A crash's is removed by the next start. */
async function makeOwnFolder(): Promise<string> {
  // Two files may be read at once.
  const folder = scratchFolderOf(join(dataFolder(), 'scratch'), `export-${randomUUID()}`);
  try {
    await makeFolder(folder);
    return folder;
  } catch {
    return mkdtemp(join(tmpdir(), 'stalltrace-'));
  }
}
