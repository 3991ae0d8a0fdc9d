import { writeSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { withRoles } from '../../analysis/roles/roles.ts';
import { handlersQuestions, questions } from '../../questions/questions.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { ArgumentsOf, CallContext, Handlers, Progress } from '../../shared/rpc/rpc.ts';
import type { TilesWanted } from '../../shared/rpc/tiles-query.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import { keepLanesWithin } from '../../timeline/model/kept-lanes.ts';
import type { TileAnswer } from '../../timeline/tiles/tile-answers.ts';
import { shareTrace } from '../../trace/build/share-trace.ts';
import { checkTrace } from '../../trace/files/check-trace.ts';
import { hideKernelAddresses, holdsKernelAddresses } from '../../trace/files/kernel-addresses.ts';
import { importers } from '../../trace/importers.ts';
import { mergeFiles } from '../../trace/merge-files.ts';
import { copyFile, type OpenFileOptions, openFile } from '../../trace/open-file.ts';
import { describeTables } from '../../trace/statements/describe-tables.ts';
import { type AnswerThreads, createAnswerThreads } from './answer-threads.ts';
import { type AskedAbout, askedAbout, firstTrackOf } from './asked-about.ts';
import { type BulkUse, serveBulk } from './bulk-server.ts';
import { watchForFirstFigures } from './first-figures.ts';
import { type Kept, openKept } from './kept-trace.ts';
import { type KeptView, keptView } from './kept-view.ts';
import { StatementFile } from './statement-file.ts';
import { summarise } from './summarise.ts';
import type { TraceProcessCalls } from './trace-process-calls.ts';
import { viewer } from './viewer.ts';
import { whenAtRest } from './when-at-rest.ts';

/**
 * The handlers of one trace process: it opens one file, once, and answers about it until it is killed. `endProcess`: what
 * is done where the file turns out not to be readable after its summary was told. `onWorked`: called after whatever may have
 * taken memory.
 */
export function createTraceSession(
  endProcess = endWith,
  onWorked: () => void = () => undefined,
): Handlers<TraceProcessCalls> {
  /** With the roles as the file has them. */
  let imported: Trace | undefined;
  let asked: Promise<AskedAbout> | undefined;
  let scratch = '';
  /** Of the trace that is asked about; undefined where nothing is kept of it. */
  let kept: Kept | undefined;
  let view: KeptView | undefined;
  /** What is sent in bulk, once the trace is being opened. */
  let bulk: BulkUse | undefined;
  const threads = createAnswerThreads();
  /** Answers that this thread works out just now. */
  let answering = 0;
  let statements = new StatementFile(() => scratch, threads);

  async function whileAnswering<Value>(answer: () => Promise<Value>): Promise<Value> {
    answering++;
    try {
      return await answer();
    } finally {
      answering--;
    }
  }

  /** Whether something is asked that is not kept. */
  const needsAll = Promise.withResolvers<void>();

  function opened(): Promise<AskedAbout> {
    needsAll.resolve();
    if (asked === undefined) throw new Error('asked about a trace before it was opened');
    return asked;
  }

  /** The tiles that were asked for last. */
  let lastWanted: TilesWanted | undefined;

  /** Of tiles that are kept nobody waits for the trace: the rest is asked for once these are drawn. */
  async function tiles(wanted: TilesWanted): Promise<TileAnswer> {
    const mine = view;
    const known = await mine?.find(wanted);
    if (known !== undefined && view === mine) return known;
    const { timeline, trace } = await opened();
    const untilMs = performance.now() + TILES_MS;
    onWorked();
    lastWanted = wanted;
    const told = timeline().tiles(wanted, () => performance.now() > untilMs);
    if (told.isCut)
      goOn(timeline().buildAhead(wanted), () => lastWanted === wanted && answering === 0);
    if (isLarge(trace) && view === mine) mine?.note(wanted, told, trace.meta.lengthNs);
    return told;
  }

  /** What will be asked for is worked out once nobody waits, unless the trace has other roles by then. */
  async function prepare(mine: Promise<AskedAbout>): Promise<void> {
    const about = await mine.catch(() => undefined);
    if (about === undefined || bulk === undefined) return;
    const steps = function* () {
      for (const done of about.prepare()) {
        onWorked();
        yield done;
      }
      // Where the verdict was kept, what a finding needs of the diagnosis is not worked out yet.
      if (isLarge(about.trace)) threads.prepare('diagnosis', about, 'trace.diagnose', {});
      onWorked();
    };
    const { idleMs } = bulk;
    whenAtRest(steps(), { idleMs, isAsked: () => answering > 0 }, () => asked === mine);
  }

  /** Reads the trace of the file, or what was kept of it. `known`: its summary, where that was kept. */
  async function load(
    { path, fileName, scratchFolder }: OpenArguments,
    context: CallContext,
    known: TraceSummary | undefined,
  ): Promise<Result<AskedAbout, TraceFileError>> {
    scratch = scratchFolder;
    // What is kept is told and drawn first: reading the rest would take its CPUs.
    if (known !== undefined) await Promise.race([needsAll.promise, delay(FIRST_VIEW_MS)]);
    imported = await kept?.trace();
    const isKept = imported !== undefined;
    if (imported === undefined) {
      const result = await openFile(path, {
        fileName,
        scratchDir: scratchFolder,
        importers,
        ...importProgress(context),
      });
      if (!result.ok) return result;
      imported = isLarge(result.value) ? shareTrace(result.value) : result.value;
    }
    if (known === undefined) context.progress({ fraction: 1, text: 'Working out roles' });
    keepLanesWithin(Math.max(LANE_BYTES, rowsOf(imported) * LANE_BYTES_A_ROW));
    const trace = withRoles(imported);
    const summary = known ?? summarise(trace);
    if (isLarge(trace) && kept !== undefined) {
      if (!isKept) void kept.keepLater(imported).then(onWorked);
      if (known === undefined) void kept.keepAnswer(SUMMARY, summary);
    }
    return ok(askedAbout(trace, summary));
  }

  return {
    async open(args, context) {
      kept = await openKept(args.path, args.cacheFolder);
      view = kept && keptView(kept);
      const told = kept?.hasTrace ? await kept.answer(SUMMARY) : undefined;
      const known = told as TraceSummary | undefined;
      const found = load(args, context, known);
      asked = found.then((result) => {
        if (result.ok) return result.value;
        // Who asks from now on is told by the host that the process is lost, and that the trace can be opened again.
        if (known !== undefined) endProcess(result.error.message);
        throw new Error(result.error.message);
      });
      // Who asks is told.
      asked.catch(() => undefined);
      bulk = await serveBulk(args.dataSocket, {
        tiles,
        // Loaded where it is asked for: every trace that is opened would wait for it.
        async *perfetto(options) {
          const { perfettoTrace } = await import('../../report/perfetto/perfetto-trace.ts');
          yield* perfettoTrace((await opened()).judged(), options, viewer());
        },
      });
      const result = known === undefined ? await found : ok({ summary: known });
      if (!result.ok) return result;
      void prepare(asked);
      return ok(result.value.summary);
    },
    async moved({ path }) {
      kept?.moved(path);
      return ok(null);
    },
    copy: async ({ path, target, scratchFolder }, context) =>
      copyFile(path, target, {
        scratchDir: scratchFolder,
        importers,
        progress: (progress) => context.progress(progress),
      }),
    merge: async ({ files, target, scratchFolder, leavesOut }, context) =>
      mergeFiles(files, target, {
        leavesOut,
        scratchDir: scratchFolder,
        importers,
        progress: (progress) => context.progress(progress),
      }),
    check: async ({ path }) => checkTrace(path),
    holdsKernelAddresses: async ({ path, scratchFolder }) =>
      holdsKernelAddresses(path, scratchFolder),
    hideKernelAddresses: async ({ path }) => hideKernelAddresses(path),
    async setRoles({ roles }) {
      await opened();
      if (imported === undefined) throw new Error('asked for roles before a trace was opened');
      // What is kept was answered about the roles that the file has.
      kept = undefined;
      view = undefined;
      threads.forget();
      statements = statements.another();
      const trace = withRoles(imported, roles);
      const about = askedAbout(trace, summarise(trace), firstTrackOf(roles));
      asked = Promise.resolve(about);
      void prepare(asked);
      return ok(about.summary);
    },
    async statementTables({ tables }, { signal }) {
      const about = await opened();
      return statements.with(about, tables, isLarge(about.trace), signal);
    },
    describeTables: async () => ok(describeTables((await opened()).trace)),
    ...answers(opened, threads, () => kept, { onWorked, whileAnswering }),
  };
}

/** Does the steps one by one as long as `isWanted`: what has come meanwhile is answered before the next. */
function goOn(steps: Generator<undefined, void>, isWanted: () => boolean): void {
  setImmediate(() => {
    if (isWanted() && steps.next().done !== true) goOn(steps, isWanted);
  });
}

/** Tells how far an import is, and now and then what is known already. */
function importProgress(context: CallContext): ImportProgress {
  let last: Progress = { text: '' };
  return {
    progress(each) {
      last = each;
      context.progress(each);
    },
    soFar: watchForFirstFigures((soFar) => context.progress({ ...last, soFar })),
  };
}

/** At once: no question is answered before. */
function endWith(message: string): void {
  writeSync(STDERR, `${message}\n`);
  process.exit(1);
}

const STDERR = 2;

/** The window draws its first view within so long. */
const FIRST_VIEW_MS = 500;

/** Diagnosing fewer rows takes less than a tenth of a second; a thread takes as long to start. */
const LARGE_ROWS = 200_000;

const isLarge = (trace: Trace) => rowsOf(trace) >= LARGE_ROWS;

function rowsOf({ tables }: Trace): number {
  return Object.values(tables).reduce((sum, table) => sum + table.rows, 0);
}

/**
 * A line of the timeline takes 2 bytes an event beside the columns, 6 where it is split or of waits: all of most traces may be
 * kept so, and those of small ones.
 */
const LANE_BYTES_A_ROW = 8;
const LANE_BYTES = 128 * 2 ** 20;

/** The summary is kept as what was answered to this. */
const SUMMARY = 'summary';

type ImportProgress = Pick<OpenFileOptions, 'progress' | 'soFar'>;
type OpenArguments = ArgumentsOf<TraceProcessCalls, 'open'>;

type QuestionTable = typeof questions & typeof handlersQuestions;

interface Answering {
  onWorked(): void;
  /** Has `answer` work something out in this thread. */
  whileAnswering<Value>(answer: () => Promise<Value>): Promise<Value>;
}

/** The handler of every question. */
function answers(
  opened: () => Promise<AskedAbout>,
  threads: AnswerThreads,
  keptOf: () => Kept | undefined,
  { onWorked, whileAnswering }: Answering,
): Handlers<QuestionTable> {
  const table = Object.entries({ ...questions, ...handlersQuestions });
  return Object.fromEntries(
    table.map(([name, { answer, longWork, isKept }]) => [
      name,
      async (args: never, { signal }: CallContext) => {
        const work = longWork?.(args);
        // What is kept is there before the trace is.
        const kept = isKept === true ? keptOf() : undefined;
        const question = `${name} ${JSON.stringify(args)}`;
        const known = await kept?.answer(question);
        if (known !== undefined) return ok(known);
        const asked = await opened();
        onWorked();
        // Of a small trace nothing is kept, and nothing takes long.
        if (!isLarge(asked.trace)) return answer(asked, args, signal);
        const result: Result<unknown> =
          work === undefined
            ? await whileAnswering(async () => answer(asked, args, signal))
            : await threads.ask(work, asked, name as keyof QuestionTable, args, signal);
        onWorked();
        if (result.ok && kept === keptOf()) void kept?.keepAnswer(question, result.value);
        return result;
      },
    ]),
  ) as never;
}

/** Lanes are built for so long before what there is of them is sent, and drawn while the others are built. */
const TILES_MS = 60;
