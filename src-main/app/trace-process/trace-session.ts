import { explainCall } from '../../analysis/call/explain-call.ts';
import { preparationSteps } from '../../analysis/call/prepare-explanations.ts';
import { waitChain } from '../../analysis/chain/wait-chain.ts';
import { callFixes } from '../../analysis/findings/call-fixes.ts';
import { diagnose, knownDiagnosis } from '../../analysis/findings/diagnose.ts';
import { flameTree } from '../../analysis/flame/flame.ts';
import { rankOfThread } from '../../analysis/jobs/job-index.ts';
import { operationStats } from '../../analysis/operations/operations.ts';
import { processBreakdown } from '../../analysis/processes/process-breakdown.ts';
import { withRoles } from '../../analysis/roles/roles.ts';
import { benchmarkScript } from '../../benchmark/benchmark-script.ts';
import { reportFacts } from '../../report/report-facts.ts';
import type { TraceSummary } from '../../shared/answers/summary.ts';
import type { TraceProcessCalls } from '../../shared/contract/process-contract.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { fail, ok } from '../../shared/rpc/result.ts';
import type { Handlers } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { checkTrace } from '../../trace/files/check-trace.ts';
import { copyTrace } from '../../trace/files/copy-trace.ts';
import { hideKernelAddresses, holdsKernelAddresses } from '../../trace/files/kernel-addresses.ts';
import { importers } from '../../trace/importers.ts';
import { openTrace } from '../../trace/open-trace.ts';
import { benchmarkSeeds } from './benchmark-seeds.ts';
import { createPainter } from './picture-painter.ts';
import { summarise } from './summarise.ts';
import { serveTables } from './table-server.ts';

/** The handlers of one trace process: it opens one file, once, and answers about it until it is killed. */
export function createTraceSession(): Handlers<TraceProcessCalls> {
  /** With the roles as the file has them. */
  let imported: Trace | undefined;
  let trace: Trace | undefined;
  const paint = createPainter();
  let summary: TraceSummary | undefined;

  function opened(): Trace {
    if (trace === undefined) throw new Error('asked about a trace before it was opened');
    return trace;
  }

  /** Whether `call` is a row of cuda_call; absent, the question is of none. */
  function hasCall(call = -1): boolean {
    return call < opened().tables.cuda_call.rows;
  }

  return {
    async open({ path, scratchFolder, dataSocket }, context) {
      const result = openTrace(path, {
        scratchDir: scratchFolder,
        importers,
        progress: (progress) => context.progress(progress),
      });
      if (!result.ok) return result;
      context.progress({ fraction: 1, text: 'Working out roles' });
      imported = result.value;
      const withKnownRoles = withRoles(imported);
      trace = withKnownRoles;
      await serveTables(dataSocket, withKnownRoles);
      summary = summarise(withKnownRoles);
      whenIdle(preparationSteps(withKnownRoles));
      return ok(summary);
    },
    copy: async ({ path, target, scratchFolder }, context) =>
      copyTrace(path, target, {
        scratchDir: scratchFolder,
        progress: (progress) => context.progress(progress),
      }),
    check: async ({ path }) => checkTrace(path),
    holdsKernelAddresses: async ({ path, scratchFolder }) =>
      holdsKernelAddresses(path, scratchFolder),
    hideKernelAddresses: async ({ path }) => hideKernelAddresses(path),
    operations: async ({ bySize }) => ok(operationStats(opened(), { bySize })),
    explain: async ({ call, fixes = false }) => {
      if (!hasCall(call)) return noCall(call);
      const known = fixes ? diagnose(opened()) : knownDiagnosis(opened());
      const explained = explainCall(opened(), call);
      return ok({
        ...explained,
        fixes: known === undefined ? [] : callFixes(opened(), known, call),
      });
    },
    diagnose: async () => ok(diagnose(opened()).diagnosis),
    benchmarkScript: async () => ok({ text: benchmarkScript(benchmarkSeeds(opened())) }),
    report: async ({ call, range }) => {
      if (!hasCall(call)) return noCall(call);
      const known = summary ?? summarise(opened());
      return ok(reportFacts(opened(), known, { call, range }));
    },
    chain: async ({ thread, startNs, endNs }) => {
      const asked = opened();
      if (thread >= asked.threads.length || endNs <= startNs)
        return fail('not-found', `This trace has no such stretch of thread number ${thread}.`);
      return ok(waitChain(asked, rankOfThread(asked, thread), thread, startNs, endNs));
    },
    picture: async (options) => ok({ svg: paint(opened(), options) }),
    processes: async ({ startNs, endNs }) => {
      const span = startNs === undefined || endNs === undefined ? undefined : { startNs, endNs };
      return ok(processBreakdown(opened(), span));
    },
    async setRoles({ roles }) {
      if (imported === undefined) throw new Error('asked for roles before a trace was opened');
      trace = withRoles(imported, roles);
      summary = summarise(trace);
      return ok(summary);
    },
    flame: async ({ query }) => {
      const tree = flameTree(opened(), query);
      if (tree !== undefined) return ok(tree);
      const name = cleanText(query.symbol ?? '', 120);
      return fail('not-found', `No event here has "${name}" in its stack: choose a larger range.`);
    },
  };
}

/** After opening, the process first sends the columns to the window. */
const IDLE_AFTER_MS = 2000;

/** One step at a time, so that a question waits for one of them at most. */
function whenIdle([next, ...rest]: readonly (() => void)[], afterMs = IDLE_AFTER_MS): void {
  if (next === undefined) return;
  setTimeout(() => {
    next();
    whenIdle(rest, 0);
  }, afterMs).unref();
}

function noCall(call: number | undefined) {
  return fail('not-found', `This trace has no CUDA call number ${call}: choose another call.`);
}
