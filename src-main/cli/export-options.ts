import { parseArgs } from 'node:util';
import { parseTime } from './parse-time.ts';
import { optionProblem } from './wrong-usage.ts';

export const EXPORT_USAGE = `Usage: stalltrace export FILE --markdown OUT | --svg OUT | --stalltrace OUT

Writes what a trace or a .stalltrace file shows; several outputs at once are allowed. Notes and the
saved view come from the .stalltrace file, or from your library if the trace is in it.

  --markdown OUT      a report to be pasted into a GitHub issue; - writes to stdout
  --svg OUT           a picture of the timeline; - writes to stdout
  --stalltrace OUT    trace, notes and view in one file, with nothing left out
  --force             replace files that exist

  --call ROW          about this row of cuda_call
  --slowest OP        about the slowest call of an operation, such as cudaMemcpyAsync
  --from T, --to T    this stretch of the trace, from its begin: 12.5s, 300ms, 40us, 7ns
  --no-notes          without your notes
  --show-private      with host, user, paths and arguments, which are left out otherwise
  --theme THEME       of the picture: light (default) or dark
  --width N           of the picture, 320 to 8000 px (default 1280)`;

export interface ExportOptions {
  readonly file: string;
  /** `-` = stdout. */
  readonly markdown?: string;
  readonly svg?: string;
  readonly stalltrace?: string;
  readonly force: boolean;
  readonly call?: number;
  readonly slowest?: string;
  readonly fromNs?: number;
  readonly toNs?: number;
  readonly notes: boolean;
  readonly showPrivate: boolean;
  readonly theme: 'light' | 'dark';
  readonly widthPx: number;
}

const optionTypes = {
  markdown: { type: 'string' },
  svg: { type: 'string' },
  stalltrace: { type: 'string' },
  force: { type: 'boolean', default: false },
  call: { type: 'string' },
  slowest: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  notes: { type: 'boolean', default: true },
  'show-private': { type: 'boolean', default: false },
  theme: { type: 'string', default: 'light' },
  width: { type: 'string', default: '1280' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    allowPositionals: true,
    allowNegative: true,
    options: optionTypes,
  });
}
type Values = ReturnType<typeof parse>['values'];

/** The options, `help`, or the sentence that says what is wrong with them. */
export function parseExportOptions(
  args: readonly string[],
): ExportOptions | 'help' | { readonly wrong: string } {
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse(args);
  } catch (error) {
    return { wrong: optionProblem(error) };
  }
  const { values, positionals } = parsed;
  if (values.help) return 'help';
  const wrong = findWrong(values, positionals);
  if (wrong !== undefined) return { wrong };
  const { markdown, svg, stalltrace, slowest } = values;
  return {
    file: positionals[0] ?? '',
    ...(markdown !== undefined && { markdown }),
    ...(svg !== undefined && { svg }),
    ...(stalltrace !== undefined && { stalltrace }),
    ...(slowest !== undefined && { slowest }),
    ...(values.call !== undefined && { call: Number(values.call) }),
    ...timesOf(values),
    force: values.force,
    notes: values.notes,
    showPrivate: values['show-private'],
    theme: values.theme === 'dark' ? 'dark' : 'light',
    widthPx: Number(values.width),
  };
}

function timesOf({ from, to }: Values): { fromNs?: number; toNs?: number } {
  const fromNs = from === undefined ? undefined : parseTime(from);
  const toNs = to === undefined ? undefined : parseTime(to);
  return { ...(fromNs !== undefined && { fromNs }), ...(toNs !== undefined && { toNs }) };
}

/** The first of all that can be wrong with the values. */
function findWrong(values: Values, positionals: readonly string[]): string | undefined {
  const { theme, width, call, slowest } = values;
  if (positionals.length === 0 || positionals[0] === '') return 'Name the file to export from.';
  if (positionals.length > 1) return 'Name one file only.';
  if (!/^(light|dark)$/.test(theme)) return `--theme ${theme} is neither light nor dark.`;
  if (!/^\d{3,4}$/.test(width) || Number(width) < 320 || Number(width) > 8000) {
    return `--width ${width} is no number from 320 to 8000.`;
  }
  if (call !== undefined && !/^\d{1,10}$/.test(call)) return `--call ${call} is no row number.`;
  if (call !== undefined && slowest !== undefined) return 'Give --call or --slowest, not both.';
  return wrongOutputs(values) ?? wrongTimes(values);
}

function wrongOutputs({ markdown, svg, stalltrace, notes }: Values): string | undefined {
  const outputs = [markdown, svg, stalltrace].filter((output) => output !== undefined);
  if (outputs.length === 0) return 'Say what to write: --markdown, --svg or --stalltrace.';
  if (outputs.includes('')) return 'The name of an output is empty.';
  if (stalltrace === '-') return 'A .stalltrace file is not written to stdout: name a file.';
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
