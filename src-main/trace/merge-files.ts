import { createHash } from 'node:crypto';
import { createReadStream, rmSync } from 'node:fs';
import type { Notice, Trace } from '../shared/model/trace.ts';
import type { MeasuredClock } from '../shared/remote/measured-clock.ts';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { Progress } from '../shared/rpc/rpc.ts';
import { noTraceErrors, type TraceFileError } from '../shared/rpc/trace-file-errors.ts';
import { plural } from '../shared/text/units.ts';
import { type Alignment, alignTraces } from './align/align-traces.ts';
import { alignmentWords } from './align/alignment-words.ts';
import { fileFailure } from './content/file-failure.ts';
import type { TraceCopy } from './content/trace-copy.ts';
import { writeTraceFile } from './formats/stalltrace/writer.ts';
import type { MergeInput } from './merge/merge-input.ts';
import { mergeTraces } from './merge/merge-traces.ts';
import { stretchTrace } from './merge/stretch-trace.ts';
import { type OpenFileOptions, openFile } from './open-file.ts';

export interface MergedFile {
  readonly path: string;
  /** What the user calls it. */
  readonly name: string;
  /** How its machine's clock compared with this one's; of all files with this one's alike. */
  readonly clock?: MeasuredClock | undefined;
}

/** One trace of several files. */
export interface MergedCopy extends TraceCopy {
  /** Which of the files are in it. */
  readonly merged: readonly number[];
  /** Why the others are not, a sentence each. */
  readonly leftOut: readonly string[];
  /** Which of those that are in it are not whole, a sentence each. */
  readonly cutOff: readonly string[];
}

export interface MergeOptions extends Omit<OpenFileOptions, 'fileName'> {
  /** Whether what is no trace is left out, as in a folder. A trace that is damaged ends it all the same: a rank would be missing. */
  readonly leavesOut: boolean;
}

export type MergeFilesError = TraceFileError | 'traces-apart' | 'not-writable';

/** Of the whole, what is read before all is put together. */
const READING = 0.8;

/**
 * Reads the traces of several ranks or machines, brings their clocks in line, and writes one trace of all to `target`,
 * which must not exist. The files stay as they are; of what fails nothing is left. All are in memory at once.
 * `file-not-a-trace`: also where fewer than two traces are left.
 */
export async function mergeFiles(
  files: readonly MergedFile[],
  target: string,
  options: MergeOptions,
): Promise<Result<MergedCopy, MergeFilesError>> {
  const traces: Trace[] = [];
  const merged: number[] = [];
  const leftOut: string[] = [];
  for (const [at, { path, name }] of files.entries()) {
    const progress = (part: Progress) =>
      options.progress({
        text: `${name}: ${part.text}`,
        fraction: (READING * (at + (part.fraction ?? 0))) / files.length,
      });
    const opened = await openFile(path, { ...options, fileName: name, progress });
    if (opened.ok) {
      merged.push(at);
      traces.push(opened.value);
    } else if (options.leavesOut && noTraceErrors.includes(opened.error.code)) {
      leftOut.push(opened.error.message);
    } else return opened;
  }
  if (traces.length < 2) return tooFew(traces.length, leftOut);
  options.progress({ text: 'Aligning the clocks', fraction: READING });
  const clocks = merged.map((at) => files[at]?.clock);
  const alignments = alignTraces(traces, clocks);
  const names = merged.map((at) => files[at]?.name ?? '');
  const lonely = apartFromOthers(traces, alignments);
  if (lonely >= 0) return areApart(names[lonely] ?? '', names.length);
  const cutOff = traces.flatMap((trace, at) => lossOf(names[at] ?? '', trace));
  const whole = mergeTraces(inputsOf(traces.map(withoutCuts), alignments, names));
  if (!whole.ok) return areApart(names.at(-1) ?? '', names.length);
  options.progress({ text: 'Writing one trace of all', fraction: READING + 0.1 });
  const told = {
    ...whole.value,
    notices: [
      ...noticesOf(names, alignments),
      ...cutOff.map((text): Notice => ({ level: 'warning', text })),
      ...whole.value.notices,
    ],
  };
  const written = writeTraceFile(target, told);
  if (!written.ok) return written;
  try {
    return ok({ ...(await hashOf(target)), merged, leftOut, cutOff });
  } catch (thrown) {
    rmSync(target, { force: true });
    if (thrown instanceof Error && 'syscall' in thrown) return fileFailure(thrown, target);
    throw thrown;
  }
}

const LOSS_WORDS: Readonly<Record<NonNullable<Notice['loss']>, string>> = {
  cut: 'is cut off: its readable part is merged, and what came last is missing.',
  log: 'is not whole: its readable part is merged, and what was recorded last may be missing.',
};

/** The sentence on a file that lacks its end; how far each of its tables is whole, they say themselves. */
function lossOf(name: string, { notices }: Trace): string[] {
  const loss = notices.find((notice) => notice.loss !== undefined)?.loss;
  return loss === undefined ? [] : [`“${name}” ${LOSS_WORDS[loss]}`];
}

/** What only says that “the file” is cut off: of several, which one is said instead. */
function withoutCuts(trace: Trace): Trace {
  return { ...trace, notices: trace.notices.filter(({ loss }) => loss !== 'cut') };
}

function tooFew(traces: number, leftOut: readonly string[]): Result<never, 'file-not-a-trace'> {
  const sentence = `There is ${traces === 0 ? 'no trace' : 'only one trace'} here: choose at least two to merge.`;
  return fail('file-not-a-trace', [sentence, ...leftOut].join(' '));
}

/** Index of a trace that was recorded at a time at which no other was; -1 = none. */
function apartFromOthers(traces: readonly Trace[], alignments: readonly Alignment[]): number {
  const [first] = traces;
  const spans = traces.map(({ meta }, at) => {
    const later = meta.beginUnixNs - (first?.meta.beginUnixNs ?? 0n);
    const startNs = Number(later) + (alignments[at]?.offsetNs ?? 0);
    return [startNs, startNs + meta.lengthNs] as const;
  });
  return spans.findIndex(([startNs, endNs], at) =>
    spans.every(([from, to], other) => other === at || from > endNs || to < startNs),
  );
}

function areApart(name: string, files: number): Result<never, 'traces-apart'> {
  const others = files === 2 ? 'the other one' : 'any of the others';
  return fail(
    'traces-apart',
    `“${name}” was recorded at another time than ${others}, so they are not of one run: compare them instead.`,
  );
}

function inputsOf(
  traces: readonly Trace[],
  alignments: readonly Alignment[],
  names: readonly string[],
): MergeInput[] {
  return traces.map((trace, at): MergeInput => {
    const { offsetNs, offsetAtEndNs, uncertaintyNs, sameHostAs } = alignments[at] as Alignment;
    const gainNs = (offsetAtEndNs ?? offsetNs) - offsetNs;
    const who = whoOf(trace, names[at] ?? '');
    const hostname = trace.hosts[0]?.hostname;
    return {
      ...{
        trace: gainNs === 0 ? trace : stretchTrace(trace, gainNs / trace.meta.lengthNs),
        offsetNs,
      },
      ...(uncertaintyNs !== undefined && { uncertaintyNs }),
      ...(sameHostAs !== undefined && { sameHostAs }),
      ...(trace.hosts.length === 1 && {
        hostname: hostname ?? `host of ${who}`,
        label: hostname === undefined ? who : `${hostname}, ${who}`,
      }),
    };
  });
}

/** `rank 3`, where it has one rank that says so; else the file. */
function whoOf({ processes }: Trace, fileName: string): string {
  const ranks = new Set(processes.flatMap(({ rank }) => (rank === undefined ? [] : [rank])));
  const [only] = ranks;
  return ranks.size === 1 ? `rank ${only}` : fileName;
}

function noticesOf(names: readonly string[], alignments: readonly Alignment[]): Notice[] {
  const each = alignments.map(
    (alignment, at): Notice => ({
      level: alignment.by === 'none' ? 'warning' : 'info',
      text: alignmentWords(names[at] ?? '', alignment),
    }),
  );
  return [{ level: 'info', text: `One trace of ${plural(names.length, 'file')}.` }, ...each];
}

async function hashOf(path: string): Promise<TraceCopy> {
  const hash = createHash('sha256');
  let sizeBytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    sizeBytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), sizeBytes };
}
