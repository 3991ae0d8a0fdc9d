import type { CallExplanation } from '../../../src-main/shared/explanation.ts';
import type { TraceSummary } from '../../../src-main/shared/summary.ts';
import { cleanText } from '../../../src-main/shared/text.ts';
import { partLabels } from './part-labels.ts';

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

/** The explanation of one call, for the clipboard. */
export function explanationMarkdown(explanation: CallExplanation, summary: TraceSummary): string {
  const sections = [
    [`### Why slow: ${codeSpan(explanation.call.name)}`],
    [escapeMarkdown(explanation.headline)],
    callLines(explanation, summary),
    ['Wall time:', ...partLines(explanation)],
    evidenceLines(explanation),
    cannotTellLines(explanation),
  ];
  return `${sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function callLines({ call }: CallExplanation, summary: TraceSummary): string[] {
  const lines = [
    `- trace: ${codeSpan([summary.format, summary.version, summary.recorder].filter(Boolean).join(' '))}`,
    `- start: ${call.startNs} ns after the trace's begin (Unix ${codeSpan(summary.beginUnixNs)} ns)`,
    `- duration: ${call.durationNs} ns`,
    `- thread: ${codeSpan(call.threadName)}, pid ${call.pid}, tid ${call.tid}`,
  ];
  if (summary.synthetic !== undefined) lines.unshift('- **synthetic trace**: made by a script');
  if (call.bytes >= 0) lines.push(`- size: ${call.bytes} bytes, ${codeSpan(call.direction)}`);
  if ((call.returnCode ?? 0) !== 0) lines.push(`- return code: ${call.returnCode}`);
  return lines;
}

function partLines({ accounting }: CallExplanation): string[] {
  return accounting.map(
    ({ kind, ns, reason }) => `- ${partLabels[kind]}: ${ns} ns (${escapeMarkdown(reason)})`,
  );
}

function evidenceLines({ hostMemory, rate, rank, wholeFile }: CallExplanation): string[] {
  const lines = [
    `- rank: ${rank.rank} of ${rank.of} (${codeSpan(rank.peers)}), median ${rank.medianNs} ns, p95 ${rank.p95Ns} ns, max ${rank.maxNs} ns`,
    `- host memory: ${hostMemory.kind} (${hostMemory.basis}): ${escapeMarkdown(hostMemory.note)}`,
  ];
  if (rate !== undefined)
    lines.push(
      `- rate: ${rate.bytesPerNs.toPrecision(4)} GB/s (${rate.basis}): ${escapeMarkdown(rate.note)}`,
    );
  if (wholeFile.ruledOut !== undefined)
    lines.push(`- ruled out: ${escapeMarkdown(wholeFile.ruledOut)}`);
  return ['Evidence:', ...lines];
}

function cannotTellLines({ cannotTell }: CallExplanation): string[] {
  if (cannotTell.length === 0) return [];
  const lines = cannotTell.map(
    ({ question, because }) => `- ${escapeMarkdown(question)} ${escapeMarkdown(because)}`,
  );
  return ['This trace cannot tell:', ...lines];
}
