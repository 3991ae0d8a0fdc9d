import type { QuestionName } from '../../questions/question-calls.ts';
import { ok } from '../../shared/rpc/result.ts';
import { openInvestigation } from '../entries/open-investigation.ts';
import { diagnose } from '../opening/diagnose.ts';
import { openFile } from '../opening/open-file.ts';
import { setRole } from '../opening/set-role.ts';
import type { AreaHandlers, Services } from '../services/services.ts';
import { askTrace } from '../traces/ask-trace.ts';

/** A diagnosis is forwarded like any question, and noted in the library. */
type TraceHandlers = Omit<AreaHandlers<'trace'>, Exclude<QuestionName, 'trace.diagnose'>>;

export function traceHandlers(services: Services): TraceHandlers {
  const { traces } = services;
  return {
    'trace.open': ({ id }, context) => openInvestigation(services, id, context),
    'trace.openFile': ({ path }, context) => openFile(services, path, context),
    async 'trace.close'({ traceId }) {
      traces.close(traceId);
      return ok(null);
    },
    'trace.diagnose': ({ traceId }, context) =>
      askTrace(traces, traceId, context, (trace) => diagnose(services, trace)),
    async 'trace.setRole'(args, { session }) {
      traces.useBy(args.traceId, session);
      return setRole(services, args);
    },
  };
}
