import {
  isCopy,
  returnCodeText,
  sizeText,
  threadText,
} from '../../../src-main/shared/call-text.ts';
import type { CallExplanation } from '../../../src-main/shared/explanation.ts';
import type { TraceSummary } from '../../../src-main/shared/summary.ts';
import { partLabels } from '../../../src-main/shared/terms.ts';
import { cleanText } from '../../../src-main/shared/text.ts';
import { formatDuration, formatMoment } from '../../../src-main/shared/units.ts';

/**
 * A finding as Markdown for an issue report, in raw ns. All text of the trace is hostile: prose is
 * escaped, names stand in code spans, and nothing of it can notify, link or open a tag.
 */

/** Text as literal Markdown. The empty comment keeps GitHub from linking `@name` and `#1`. */
export function escapeMarkdown(text: string): string {
  return cleanText(text, 4096)
    .replace(/[\\`*_{}[\]<>|~!&]/g, '\\$&')
    .replace(/([@#])(?=\w)/g, '$1<!-- -->')
    .replace(/:\/\//g, ':<!-- -->//')
    .replace(/\bwww\./gi, '$&<!-- -->')
    .replace(/^(\s*\d*)([-+#.)])/, '$1\\$2');
}

/** Text as a code span, whatever backticks it holds (CommonMark 6.1). */
export function codeSpan(text: string): string {
  const clean = cleanText(text, 4096);
  const longest = Math.max(0, ...[...clean.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(clean) ? ' ' : '';
  return `${fence}${pad}${clean === '' ? ' ' : clean}${pad}${fence}`;
}

/** `65.00 ms (65000369 ns)`: to read and to compute with. */
function exact(ns: number): string {
  return `${formatDuration(ns)} (${ns} ns)`;
}

/** The explanation of one call of the trace named `traceName`, for the clipboard. */
export function explanationMarkdown(
  explanation: CallExplanation,
  summary: TraceSummary,
  traceName: string,
): string {
  const sections = [
    [`### Why slow: ${codeSpan(explanation.call.name)}`],
    [escapeMarkdown(explanation.headline)],
    callLines(explanation, summary, traceName),
    ['Wall time:', ...partLines(explanation)],
    evidenceLines(explanation),
    stackLines(explanation),
    noticeLines(summary),
    cannotTellLines(explanation),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function callLines({ call }: CallExplanation, summary: TraceSummary, traceName: string): string[] {
  const lines = [
    `- trace: ${codeSpan(traceName)}, ${codeSpan([summary.format, summary.version, summary.recorder].filter(Boolean).join(' '))}`,
    `- start: ${formatMoment(call.startNs)} (${call.startNs} ns) after the trace's start (Unix ${codeSpan(summary.beginUnixNs)} ns)`,
    `- duration: ${exact(call.durationNs)}`,
    `- thread: ${threadText(call, ', ', codeSpan)}`,
  ];
  if (summary.synthetic !== undefined) lines.unshift('- **synthetic trace**: made by a script');
  const returnCode = returnCodeText(call);
  if (returnCode !== undefined) lines.push(`- return code: ${returnCode}`);
  return [...lines, ...sizeLines(call)];
}

function sizeLines(call: CallExplanation['call']): string[] {
  if (!isCopy(call) && call.bytes < 0) return [];
  const bytes = call.bytes < 0 ? '' : ` (${call.bytes} bytes)`;
  return [`- size: ${sizeText(call)}${bytes}${isCopy(call) ? `, ${call.direction}` : ''}`];
}

function partLines({ accounting }: CallExplanation): string[] {
  return accounting.map(
    ({ kind, ns, reason }) => `- ${partLabels[kind]}: ${exact(ns)} – ${escapeMarkdown(reason)}`,
  );
}

function evidenceLines({ call, hostMemory, rate, rank, wholeFile }: CallExplanation): string[] {
  const lines = [
    `- rank: ${rank.rank} of ${rank.of}${rank.partial ? ' stored (the file keeps only some calls)' : ''} (${codeSpan(rank.peers)}), median ${exact(rank.medianNs)}, p95 ${exact(rank.p95Ns)}, max ${exact(rank.maxNs)}`,
  ];
  if (isCopy(call))
    lines.push(
      `- host memory: ${hostMemory.kind} (${hostMemory.basis}): ${escapeMarkdown(hostMemory.note)}`,
    );
  if (rate !== undefined)
    lines.push(
      `- rate: ${rate.bytesPerNs.toPrecision(4)} GB/s (${rate.basis}): ${escapeMarkdown(rate.note)}`,
    );
  if (wholeFile.ruledOut !== undefined)
    lines.push(`- ruled out: ${escapeMarkdown(wholeFile.ruledOut)}`);
  return ['Evidence:', ...lines];
}

const STACK_FRAMES = 12;

function stackLines({ call }: CallExplanation): string[] {
  if (call.stack.length === 0) return [];
  const frames = call.stack.slice(0, STACK_FRAMES).map(({ symbol, file, line }) => {
    const place =
      file === undefined ? '' : ` – ${codeSpan(line === undefined ? file : `${file}:${line}`)}`;
    return `- ${codeSpan(symbol)}${place}`;
  });
  const rest = call.stack.length - frames.length;
  return ['Called from:', ...frames, ...(rest > 0 ? [`- … ${rest} more`] : [])];
}

function noticeLines({ notices }: TraceSummary): string[] {
  if (notices.length === 0) return [];
  return ['About this trace:', ...notices.map(({ text }) => `- ${escapeMarkdown(text)}`)];
}

function cannotTellLines({ cannotTell }: CallExplanation): string[] {
  if (cannotTell.length === 0) return [];
  const lines = cannotTell.map(
    ({ question, because }) => `- ${escapeMarkdown(question)} ${escapeMarkdown(because)}`,
  );
  return ['This trace cannot tell:', ...lines];
}
