import type { Trace } from '../../shared/model/trace.ts';
import { cleanText, MAX_NAME_LENGTH } from '../../shared/text/text.ts';
import { formatCount } from '../../shared/text/units.ts';

/** Characters of all texts of a summary: as JSON they may double, and a string has room for 2^29. */
const MAX_CHARACTERS = 2 ** 26;
/** What texts are cut to where all of them together are too long, in this order. */
const shorterLengths = [MAX_NAME_LENGTH, 256, 64, 24] as const;

/** `trace` with its texts cut to the greatest of a few lengths at which its summary stays small enough. */
export function limitTexts(trace: Trace): Trace {
  const { processes, threads, names, nameSources, hosts, gpus, jobs, sourceFindings } = trace;
  const texts = { processes, threads, names, nameSources, hosts, gpus, jobs, sourceFindings };
  if (totalLength(texts, Number.POSITIVE_INFINITY) <= MAX_CHARACTERS) return trace;
  const length =
    shorterLengths.find((limit) => totalLength(texts, limit) <= MAX_CHARACTERS) ??
    shorterLengths[shorterLengths.length - 1];
  const text = `The names in this file are too long to be shown together: they are cut to ${formatCount(length)} characters.`;
  return {
    ...trace,
    ...mapTexts(texts, length),
    notices: [...trace.notices, { level: 'warning', text }],
  };
}

/** Characters of all texts inside `value`, each counted up to `limit`. */
function totalLength(value: unknown, limit: number): number {
  if (typeof value === 'string') return Math.min(value.length, limit);
  if (typeof value !== 'object' || value === null) return 0;
  let total = 0;
  for (const part of Object.values(value)) total += totalLength(part, limit);
  return total;
}

function mapTexts<T>(value: T, length: number): T;
function mapTexts(value: unknown, length: number): unknown {
  if (typeof value === 'string')
    // Roles, words of ours, and severities are shorter than any of the lengths.
    return value.length > length ? cleanText(value, length) : value;
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, length));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, mapTexts(part, length)]),
  );
}
