import { cleanText } from '../text/text.ts';

/** Longest severity kept: a word or two. */
const MAX_LENGTH = 24;

/** What stands for a severity that a tool left empty. */
const NOT_STATED = 'not stated';

/** How a tool’s severity is drawn and sorted. */
export type SeverityLevel = 'high' | 'unknown' | 'medium' | 'low';

/** Words that tools use, and where one of their own stands: it may be as bad as any but the worst. */
const levels: ReadonlyMap<string, SeverityLevel> = new Map([
  ['CRITICAL', 'high'],
  ['HIGH', 'high'],
  ['?', 'unknown'],
  ['MEDIUM', 'medium'],
  ['LOW', 'low'],
  ['INFO', 'low'],
]);
const order = [...levels.keys()];

/** The severity that a file says, as it is written. */
export function writtenSeverity(cell: unknown): string {
  const written = typeof cell === 'string' ? cleanText(cell.trim(), MAX_LENGTH) : '';
  return written === '' ? NOT_STATED : written;
}

/** 0 for the worst, and more for what is less severe. */
export function severityRank(severity: string): number {
  const known = order.indexOf(severity.toUpperCase());
  return known === -1 ? order.indexOf('?') : known;
}

export function severityLevel(severity: string): SeverityLevel {
  return levels.get(severity.toUpperCase()) ?? 'unknown';
}
