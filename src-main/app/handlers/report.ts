import { basename } from 'node:path';
import type { CallError } from '../../contract/contract.ts';
import type { QuestionName } from '../../questions/question-calls.ts';
import { privateReport } from '../../report/hide-private.ts';
import { reportMarkdown } from '../../report/report-markdown.ts';
import type { ReportRequest } from '../../shared/answers/report.ts';
import type { Note } from '../../shared/library/note.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { readBesideFile } from '../intake/beside-file.ts';
import type { AreaHandlers, Services } from '../services/services.ts';
import { version } from '../services/version.ts';
import { viewer } from '../trace-process/viewer.ts';
import { askTrace } from '../traces/ask-trace.ts';
import type { OpenTrace } from '../traces/open-traces.ts';

type ReportHandlers = Omit<AreaHandlers<'report'>, QuestionName | 'report.picture'>;

export function reportHandlers(services: Services): ReportHandlers {
  return {
    'report.markdown': (request, context) => writeReport(services, request, context),
    'report.beside': ({ path }) => readBesideFile(services, path),
  };
}

function writeReport(
  services: Services,
  request: ReportRequest,
  context: CallContext,
): Promise<Result<{ readonly text: string }, CallError<'report.markdown'>>> {
  const { traceId, call, range, hidePrivate, long = false, traceml } = request;
  return askTrace(services.traces, traceId, context, async (trace) => {
    const [facts, words] = await Promise.all([
      trace.client.call('report.facts', {
        ...(call !== undefined && { call }),
        ...(range !== undefined && { range }),
      }),
      usersWords(services, request, trace),
    ]);
    if (!facts.ok) return facts;
    if (!words.ok) return words;
    const { summary } = trace;
    const input = {
      ...{ ...words.value, summary, facts: facts.value, isAboutCall: call !== undefined },
      ...{ long, version, hidden: false },
      ...(traceml !== undefined && { traceml }),
    };
    const text = hidePrivate ? privateReport(input, summary, viewer()) : reportMarkdown(input);
    return ok({ text });
  });
}

/** What the user calls the trace, and wrote about it. */
async function usersWords(
  { library }: Services,
  { investigation, notes }: ReportRequest,
  { path }: OpenTrace,
): Promise<
  Result<{ readonly name: string; readonly notes?: readonly Note[] }, CallError<'report.markdown'>>
> {
  if (investigation === undefined) return ok({ name: basename(path) });
  const entry = await library.call('find', { id: investigation });
  if (!entry.ok) return entry;
  const { name } = entry.value;
  if (!notes) return ok({ name });
  const written = await library.call('notes', { id: investigation });
  return written.ok ? ok({ name, notes: written.value }) : written;
}
