import type { Rank } from '../../shared/answers/jobs.ts';
import { codeOf, directions } from '../../shared/model/codes.ts';
import type { Trace } from '../../shared/model/trace.ts';
import { upperBound } from '../../shared/numbers/bisect.ts';
import { SpanList, type Spans } from '../index/spans.ts';
import { loopCalls, opKinds } from '../loop/loop-calls.ts';

const D2H = codeOf(directions, 'D2H');

/**
 * Those of `idle` in which the training thread came back from a wait for the GPU: it had run dry while
 * the thread waited, and got nothing more to do until that had gone on.
 */
export function drainedSpans(trace: Trace, rank: Rank, idle: Spans): Spans {
  const { op, direction } = trace.tables.cuda_call.columns;
  const kinds = opKinds(trace);
  const calls = loopCalls(trace, rank.mainThread);
  const drained = new SpanList([-Infinity, Infinity]);
  for (let at = 0; at < calls.rows.length; at++) {
    const row = calls.rows[at];
    const kind = kinds[op[row]];
    if (kind !== 'sync' && !(kind === 'copy' && direction?.[row] === D2H)) continue;
    const span = upperBound(idle.startsNs, calls.endsNs.nsAt(at)) - 1;
    // A wait that found the GPU idle made it wait for nothing.
    const ranDry = span >= 0 && idle.startsNs[span] > calls.startsNs.nsAt(at);
    if (ranDry && idle.endsNs[span] > calls.endsNs.nsAt(at))
      drained.add(idle.startsNs[span], idle.endsNs[span]);
  }
  return drained.spans();
}
