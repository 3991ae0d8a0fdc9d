import { compareRuns } from '../../compare/compare-runs.ts';
import { comparisonMarkdown } from '../../compare/comparison-markdown.ts';
import type { CallError } from '../../contract/contract.ts';
import type { RunSummary } from '../../shared/answers/run-summary.ts';
import type { ComparedRuns } from '../../shared/contract/library-calls.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, Progress } from '../../shared/rpc/rpc.ts';
import type { Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';
import { openInvestigation } from './open-investigation.ts';

type CompareError = CallError<'library.compare'>;

/** Compares two entries of the library. One trace is open at a time: what is compared of it is small. */
export async function compareInvestigations(
  services: Services,
  first: number,
  second: number,
  context: CallContext,
): Promise<Result<ComparedRuns, CompareError>> {
  const one = await summaryOf(services, first, halfOf(context, 0));
  if (!one.ok) return one;
  const other = await summaryOf(services, second, halfOf(context, 1));
  if (!other.ok) return other;
  const comparison = compareRuns(one.value, other.value);
  return ok({ comparison, markdown: comparisonMarkdown(comparison) });
}

async function summaryOf(
  services: Services,
  id: number,
  context: CallContext,
): Promise<Result<RunSummary, CompareError>> {
  const { traces } = services;
  const opened = await openInvestigation(services, id, context);
  if (!opened.ok) return opened;
  const { traceId } = opened.value;
  try {
    context.progress({ text: 'Working out its steps' });
    return await askTrace(traces, traceId, context, ({ client }) =>
      client.call('trace.runSummary', {}),
    );
  } finally {
    traces.close(traceId);
  }
}

/** One of two halves of the whole, 0 or 1. */
function halfOf(context: CallContext, half: number): CallContext {
  const name = half === 0 ? 'First run' : 'Second run';
  const progress = ({ fraction, text }: Progress) =>
    context.progress({
      text: `${name}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
      ...(fraction !== undefined && { fraction: (half + fraction) / 2 }),
    });
  return { ...context, progress };
}
