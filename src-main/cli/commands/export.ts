import { resolve } from 'node:path';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { parseTime } from '../arguments/parse-time.ts';
import { defineCommand } from '../command/command.ts';
import { checkOutputs } from '../output/check-outputs.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { findFocus } from '../trace/export-focus.ts';
import type { ExportOptions } from '../trace/export-options.ts';
import { writeOutputs } from '../trace/export-outputs.ts';
import { withTrace } from '../trace/with-trace.ts';

export const exportFile = defineCommand({
  name: 'export',
  synopsis: 'FILE --markdown | --svg | --perfetto | --stalltrace OUT',
  summary: 'a report, a picture, a trace for Perfetto, or all of it in one file',
  usage: `Usage: stalltrace export FILE --markdown OUT | --svg OUT | --perfetto OUT | --stalltrace OUT

Writes what a trace or a .stalltrace file shows; several outputs at once are allowed. Notes and the
saved view come from the .stalltrace file, or from your library if the trace is in it.

  --markdown OUT      a report to be pasted into a GitHub issue; - writes to stdout
  --svg OUT           a picture of the timeline; - writes to stdout
  --stalltrace OUT    trace, notes and view in one file, with nothing left out
  --perfetto OUT      the whole timeline as a trace for ui.perfetto.dev and trace_processor
  --force             replace files that exist

  --call ROW          about this row of cuda_call
  --slowest OP        about the slowest call of an operation, such as cudaMemcpyAsync
  --from T, --to T    this stretch of the trace, from its begin: 12.5s, 300ms, 40us, 7ns
  --long              the report with all tables, findings and questions, not the answer alone
  --no-notes          without your notes
  --show-private      with host, user, paths and arguments, which are left out otherwise
  --theme THEME       of the picture: light (default) or dark
  --width N           of the picture, 320 to 8000 px (default 1280)`,
  options: {
    markdown: { type: 'string' },
    svg: { type: 'string' },
    stalltrace: { type: 'string' },
    perfetto: { type: 'string' },
    force: { type: 'boolean', default: false },
    call: { type: 'string' },
    slowest: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    long: { type: 'boolean', default: false },
    notes: { type: 'boolean', default: true },
    'show-private': { type: 'boolean', default: false },
    theme: { type: 'string', default: 'light' },
    width: { type: 'string', default: '1280' },
  },
  takesOperands: true,
  allowNegative: true,
  read({ values, operands }, startFolder): ExportOptions | string {
    const wrong = wrongFile(operands) ?? wrongValues(values);
    if (wrong !== undefined) return wrong;
    const { markdown, svg, stalltrace, perfetto, call, slowest, force, notes, long } = values;
    const pathOf = (output: string) => (output === '-' ? output : resolve(startFolder, output));
    return {
      file: resolve(startFolder, operands[0] ?? ''),
      ...(markdown !== undefined && { markdown: pathOf(markdown) }),
      ...(svg !== undefined && { svg: pathOf(svg) }),
      ...(stalltrace !== undefined && { stalltrace: pathOf(stalltrace) }),
      ...(perfetto !== undefined && { perfetto: pathOf(perfetto) }),
      ...(slowest !== undefined && { slowest }),
      ...(call !== undefined && { call: Number(call) }),
      ...timesOf(values),
      force,
      notes,
      long,
      showPrivate: values['show-private'],
      theme: values.theme === 'dark' ? 'dark' : 'light',
      widthPx: Number(values.width),
    };
  },
  async run(options) {
    const stop = new AbortController();
    onStopSignal(stop);
    const done = await exportTo(options, contextUntil(stop.signal));
    return done.ok ? 0 : reportFailure(done.error);
  },
});

async function exportTo(options: ExportOptions, context: CallContext): Promise<Result<null>> {
  const { file, markdown, svg, stalltrace, perfetto, force } = options;
  const free = await checkOutputs(file, [markdown, svg, stalltrace, perfetto], force);
  if (!free.ok) return free;
  const needsEntry = options.stalltrace !== undefined;
  const done = await withTrace(options.file, { needsEntry, context }, async (trace) => {
    const focus = await findFocus(trace, options, context);
    return focus.ok ? writeOutputs(trace, focus.value, options, context) : focus;
  });
  return context.signal.aborted ? fail('cancelled', 'Cancelled.') : done;
}

interface Values {
  readonly markdown?: string | undefined;
  readonly svg?: string | undefined;
  readonly stalltrace?: string | undefined;
  readonly perfetto?: string | undefined;
  readonly call?: string | undefined;
  readonly slowest?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly notes: boolean;
  readonly theme: string;
  readonly width: string;
}

function timesOf({ from, to }: Values): { fromNs?: number; toNs?: number } {
  const fromNs = from === undefined ? undefined : parseTime(from);
  const toNs = to === undefined ? undefined : parseTime(to);
  return { ...(fromNs !== undefined && { fromNs }), ...(toNs !== undefined && { toNs }) };
}

function wrongFile([file = '', ...more]: readonly string[]): string | undefined {
  if (file === '') return 'Name the file to export from.';
  return more.length > 0 ? 'Name one file only.' : undefined;
}

/** The first of all that can be wrong with the values. */
function wrongValues(values: Values): string | undefined {
  const { theme, width, call, slowest } = values;
  if (!/^(light|dark)$/.test(theme)) return `--theme ${theme} is neither light nor dark.`;
  if (!/^\d{3,4}$/.test(width) || Number(width) < 320 || Number(width) > 8000) {
    return `--width ${width} is not a number from 320 to 8000.`;
  }
  if (call !== undefined && !/^\d{1,10}$/.test(call)) return `--call ${call} is not a row number.`;
  if (call !== undefined && slowest !== undefined) return 'Give --call or --slowest, not both.';
  return wrongOutputs(values) ?? wrongTimes(values);
}

function wrongOutputs(values: Values): string | undefined {
  const { markdown, svg, stalltrace, perfetto, notes } = values;
  const outputs = [markdown, svg, stalltrace, perfetto].filter((output) => output !== undefined);
  if (outputs.length === 0)
    return 'Say what to write: --markdown, --svg, --stalltrace or --perfetto.';
  if (outputs.includes('')) return 'The name of an output is empty.';
  if (stalltrace === '-') return 'A .stalltrace file is not written to stdout: name a file.';
  if (perfetto === '-') return 'A trace for Perfetto is not written to stdout: name a file.';
  if (new Set(outputs).size < outputs.length) return 'Two outputs have the same name.';
  if (stalltrace !== undefined && !notes) {
    return 'A .stalltrace file always holds the notes: leave out --no-notes or --stalltrace.';
  }
  return undefined;
}

function wrongTimes({ from, to }: Values): string | undefined {
  const example = 'a time is given with its unit, as in 12.5s, 300ms or 40us.';
  if (from !== undefined && parseTime(from) === undefined) return `--from ${from}: ${example}`;
  if (to !== undefined && parseTime(to) === undefined) return `--to ${to}: ${example}`;
  if (from === undefined || to === undefined) return undefined;
  const isForward = Number(parseTime(from)) < Number(parseTime(to));
  return isForward ? undefined : `--from ${from} is not before --to ${to}.`;
}
