/** Codes of everything that can be wrong with a trace file. */
export const traceFileErrors = [
  'file-missing',
  'file-unreadable',
  'file-empty',
  'file-not-a-trace',
  'file-lfs-pointer',
  'file-truncated',
  'file-damaged',
  'file-unknown-database',
  // A trace or profile of a format that is known and can't be read.
  'file-unsupported',
  'file-no-events',
  'file-too-new',
  'file-busy',
  'file-unsafe',
  'disk-full',
  'no-temporary-folder',
  'process-lost',
  'too-many-open',
] as const;
export type TraceFileError = (typeof traceFileErrors)[number];

/** Of files that lie beside traces: what is named one by one is told of, in a folder it is left out. */
export const noTraceErrors: readonly string[] = [
  'file-empty',
  'file-not-a-trace',
  'file-unknown-database',
  'file-unsupported',
] satisfies readonly TraceFileError[];

/** Those that are about the bytes of a file: they stay until it has other ones. */
export const traceDamages = [
  'file-empty',
  'file-not-a-trace',
  'file-lfs-pointer',
  'file-truncated',
  'file-damaged',
  'file-unknown-database',
  'file-unsupported',
  'file-no-events',
  'file-unsafe',
] as const satisfies readonly TraceFileError[];
