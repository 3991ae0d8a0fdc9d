import { resolve } from 'node:path';
import type { RunningStatement } from '../../app/statements/statements.ts';
import { ColumnKinds, ParquetRows } from '../../parquet/parquet-rows.ts';
import type { StatementCell, StatementStart } from '../../shared/answers/statement.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { csvRow } from '../../shared/statements/csv.ts';
import { cleanText, escapeInvisible } from '../../shared/text/text.ts';
import { formatDuration } from '../../shared/text/units.ts';
import { type Write, writeNewFile } from '../../system/write-file.ts';
import { parseTime } from '../arguments/parse-time.ts';
import { defineCommand } from '../command/command.ts';
import { checkOutputs } from '../output/check-outputs.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { type UsedTrace, withTrace } from '../trace/with-trace.ts';

type Format = 'table' | 'json' | 'csv' | 'parquet';

interface SqlOptions {
  /** Absolute. */
  readonly file: string;
  readonly statement: string;
  readonly format: Format;
  readonly timeLimitNs: number;
  /** Of the Parquet file, absolute. */
  readonly output: string;
  readonly force: boolean;
}

/** Of a table for people; CSV and JSON have every row. */
const SHOWN_ROWS = 1000;
const SHOWN_CHARACTERS = 60;
const CHUNK_ROWS = 5000;
/** Of a row group: what a reader skips or reads at once. */
const GROUP_ROWS = 100_000;

export const sql = defineCommand({
  name: 'sql',
  synopsis: "FILE 'SELECT …' [--json | --csv | --parquet OUT]",
  summary: 'the answer to an SQL statement over its tables',
  usage: `Usage: stalltrace sql FILE 'SELECT …' [--json | --csv | --parquet OUT [--force]] [--time-limit TIME]

Answers one SELECT, in the SQL of SQLite, over the tables of a trace of any format. What
is not known is NULL. SELECT * FROM README lists the tables and views; calls, waits, cpu_slices and
gpu_runs are a good start.

  --json              columns and all rows as one object
  --csv               all rows as CSV; without any of these the first 1,000 as a table
  --parquet OUT       all rows as a Parquet file, for DuckDB, pandas, Polars
  --force             replace OUT where it exists
  --time-limit TIME   give up after this time: 30s, 5min (default 1min)`,
  options: {
    json: { type: 'boolean', default: false },
    csv: { type: 'boolean', default: false },
    parquet: { type: 'string' },
    force: { type: 'boolean', default: false },
    'time-limit': { type: 'string', default: '1min' },
  },
  takesOperands: true,
  read({ values, operands: [file = '', statement = '', ...more] }, startFolder) {
    const timeLimitNs = parseTime(values['time-limit']);
    if (file === '') return 'Name the trace file.';
    if (statement.trim() === '') return 'Give the statement in quotes, behind the file.';
    if (more.length > 0) return 'Give one file and one statement, in quotes.';
    const { json, csv, parquet, force } = values;
    if ([json, csv, parquet !== undefined].filter(Boolean).length > 1)
      return 'Give one of --json, --csv and --parquet.';
    if (parquet === '' || parquet === '-')
      return 'Name the Parquet file: it is not written to stdout.';
    if (force && parquet === undefined) return '--force goes with --parquet.';
    if (timeLimitNs === undefined || timeLimitNs <= 0)
      return `--time-limit ${values['time-limit']}: a time is given with its unit, as in 30s or 5min.`;
    const output = parquet === undefined ? '' : resolve(startFolder, parquet);
    const format: Format = json ? 'json' : csv ? 'csv' : output === '' ? 'table' : 'parquet';
    return { file: resolve(startFolder, file), statement, format, timeLimitNs, output, force };
  },
  async run(options: SqlOptions) {
    const stop = new AbortController();
    onStopSignal(stop);
    const context = contextUntil(stop.signal);
    const { file, format, output, force } = options;
    const outputs = format === 'parquet' ? [output] : [];
    const free = await checkOutputs(file, outputs, force);
    if (!free.ok) return reportFailure(free.error);
    const done = await withTrace(file, { needsEntry: false, context }, (trace) =>
      answer(trace, options, context),
    );
    return done.ok ? 0 : reportFailure(done.error, format === 'json');
  },
});

/** Only the time of the statement counts, not how slowly its rows are taken. */
async function answer(
  { app, traceId }: UsedTrace,
  options: SqlOptions,
  context: CallContext,
): Promise<Result<null>> {
  const { statement: text, timeLimitNs, format } = options;
  const run: Run = async (use) => {
    const done = await app.runStatement(traceId, { text, timeMs: timeLimitNs / 1e6 }, context, use);
    if (done.ok || done.error.code !== 'too-slow') return done;
    const message = `The statement took longer than ${formatDuration(timeLimitNs)} and was ended: ask for less, or give it more with --time-limit.`;
    return fail('too-slow', message);
  };
  if (format === 'parquet') return writeParquet(run, options);
  return run(async (running) => {
    const printed = await printRows(running, format);
    if (printed.ok) sayNotRecorded(running.start);
    return printed;
  });
}

/** Runs the statement, which can be done again. */
type Run = <T>(use: (running: RunningStatement) => Promise<Result<T>>) => Promise<Result<T>>;

function sayNotRecorded({ notRecorded }: StatementStart): void {
  for (const column of notRecorded)
    console.error(`stalltrace: ${column} was not recorded in this trace: it is NULL in every row.`);
}

async function printRows(
  running: RunningStatement,
  format: Exclude<Format, 'parquet'>,
): Promise<Result<null>> {
  const writer = writers[format](running.start);
  const rowsWanted = format === 'table' ? SHOWN_ROWS : Number.POSITIVE_INFINITY;
  let rows = 0;
  for (let done = false; !done && rows < rowsWanted; ) {
    const next = await running.next(Math.min(CHUNK_ROWS, rowsWanted - rows));
    if (!next.ok) return next;
    rows += next.value.rows.length;
    done = next.value.done;
    if (!(await print(writer.rows(next.value.rows)))) return fail('cancelled', 'Cancelled.');
    if (!done && rows >= rowsWanted)
      console.error(`stalltrace: the first ${SHOWN_ROWS} rows; --csv and --json have all.`);
  }
  await print(writer.end());
  return ok(null);
}

/** Asks twice: what kind of values a column has is known once all rows were seen. */
async function writeParquet(run: Run, { output, force }: SqlOptions): Promise<Result<null>> {
  const kinds = await run(async (running) => {
    const seen = new ColumnKinds(running.start.columns);
    const done = await eachRows(running, async (rows) => seen.see(rows));
    return done.ok ? ok(seen.all) : done;
  });
  if (!kinds.ok) return kinds;
  return run(async (running) => {
    const written = await writeNewFile(output, force, (write) =>
      writeGroups(running, kinds.value, write),
    );
    if (written.ok) sayNotRecorded(running.start);
    return written.ok ? ok(null) : written;
  });
}

async function writeGroups(
  running: RunningStatement,
  kinds: ColumnKinds['all'],
  write: Write,
): Promise<Result<null>> {
  const file = new ParquetRows(running.start.columns, kinds);
  let group: Rows[number][] = [];
  const done = await eachRows(running, async (rows) => {
    group.push(...rows);
    if (group.length < GROUP_ROWS) return;
    await write(await file.rows(group));
    group = [];
  });
  if (!done.ok) return done;
  await write(await file.rows(group));
  await write(await file.end());
  return ok(null);
}

/** All rows that are left. */
async function eachRows(
  running: RunningStatement,
  take: (rows: Rows) => Promise<void>,
): Promise<Result<null>> {
  for (let done = false; !done; ) {
    const next = await running.next(CHUNK_ROWS);
    if (!next.ok) return next;
    await take(next.value.rows);
    done = next.value.done;
  }
  return ok(null);
}

/** False once nobody reads any more. */
function print(text: string): Promise<boolean> {
  if (text === '') return Promise.resolve(true);
  return new Promise((resolve) => process.stdout.write(text, (error) => resolve(error == null)));
}

type Rows = readonly (readonly StatementCell[])[];

interface Writer {
  rows(rows: Rows): string;
  end(): string;
}

const writers: Readonly<Record<Exclude<Format, 'parquet'>, (start: StatementStart) => Writer>> = {
  csv({ columns }) {
    let head = csvRow(columns);
    return {
      rows(rows) {
        const text = head + rows.map(csvRow).join('');
        head = '';
        return text;
      },
      end: () => '',
    };
  },
  json({ columns }) {
    let before = `{"columns": ${jsonOf(columns)}, "rows": [\n`;
    return {
      rows(rows) {
        const lines = rows.map((row) => {
          const line = `${before}${jsonOf(row)}`;
          before = ',\n';
          return line;
        });
        return lines.join('');
      },
      end: () => `${before === ',\n' ? '' : before}\n]}\n`,
    };
  },
  table({ columns }) {
    const all: string[][] = [columns.map((name) => cleanText(name, SHOWN_CHARACTERS))];
    return {
      rows(rows) {
        for (const row of rows) all.push(row.map(shown));
        return '';
      },
      end() {
        const widths = columns.map((_, at) =>
          all.reduce((width, row) => Math.max(width, (row[at] ?? '').length), 0),
        );
        const lines = all.map((row) =>
          row
            .map((cell, at) => cell.padEnd(widths[at] ?? 0))
            .join('  ')
            .trimEnd(),
        );
        return `${lines.join('\n')}\n`;
      },
    };
  },
};

const jsonOf = (value: unknown) => escapeInvisible(JSON.stringify(value));

function shown(cell: StatementCell): string {
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') return cleanText(cell, SHOWN_CHARACTERS);
  return Number.isInteger(cell) ? String(cell) : String(Number(cell.toPrecision(9)));
}
