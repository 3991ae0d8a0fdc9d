import { escapeInline, escapeMarkdown } from '../markdown/escape.ts';
import { GITHUB_LIMIT } from '../shared/answers/report.ts';
import type { TraceSummary } from '../shared/answers/summary.ts';
import { UNNAMED_HOST } from '../shared/model/hosts.ts';
import { ganttText } from './gantt.ts';
import {
  fileOnly,
  type HostName,
  hider,
  homeOwners,
  hostWord,
  nameHider,
  type PrivateWords,
  withoutArguments,
  withoutCommand,
} from './private-words.ts';
import type { ReportInput } from './report-input.ts';
import { reportMarkdown } from './report-markdown.ts';

/** Who looks at the trace: their names may be in notes and in the path of the file. */
export interface Viewer {
  readonly host: string;
  readonly user: string;
}

/**
 * The report without host, users, paths and arguments: they are taken out of every text it is made
 * of, and then once more out of the whole, should one have come together there.
 */
export function privateReport(input: ReportInput, summary: TraceSummary, viewer: Viewer): string {
  const words = privateWords(input, summary, viewer);
  const hidden = hideIn(input, words);
  const text = sweep(reportMarkdown(hidden), words);
  // A name that is one of the report's own words can make it longer.
  const excess = text.length - GITHUB_LIMIT;
  return excess <= 0 ? text : sweep(reportMarkdown(hidden, GITHUB_LIMIT - 2 * excess), words);
}

/** All that is to be hidden, looked for in every text of the trace and of the report. */
export function privateWords(input: unknown, summary: TraceSummary, viewer: Viewer): PrivateWords {
  const users = new Set([viewer.user]);
  const folders = new Set<string>();
  eachText([input, summary], (text, key) => {
    for (const owner of homeOwners(text)) users.add(owner);
    const folder = key === 'file' ? folderOf(text) : undefined;
    if (folder !== undefined) folders.add(folder);
  });
  return {
    hosts: [...hostNames(summary), { name: viewer.host, word: hostWord() }],
    users: [...users],
    commandLines: summary.processes.flatMap(({ commandLine }) => commandLine ?? []),
    folders: [...folders],
  };
}

/** Of several hosts each has a word of its own; that one has no name is no secret. */
function hostNames({ hosts }: Pick<TraceSummary, 'hosts'>): HostName[] {
  return hosts.flatMap(({ hostname }, index) =>
    hostname === undefined || hostname === UNNAMED_HOST
      ? []
      : [{ name: hostname, word: hostWord(index, hosts.length) }],
  );
}

function folderOf(path: string): string | undefined {
  const end = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return /^([~/]|[A-Za-z]:[\\/]|\\\\)/.test(path) && end > 0 ? path.slice(0, end) : undefined;
}

function eachText(value: unknown, visit: (text: string, key: string) => void, key = ''): void {
  if (typeof value === 'string') visit(value, key);
  else if (typeof value === 'object' && value !== null)
    for (const [name, field] of Object.entries(value)) eachText(field, visit, name);
}

/** Fields whose values are words of ours, which screens and tables look up. */
const OWN_WORDS = new Set(
  'kind detail state proof cause phase relation verdict confidence finding url direction role basis language severity level layer table columns id slot beginUnixNs createdAt updatedAt'.split(
    ' ',
  ),
);
/** Fields that may hold a whole command line. */
const NAMES = new Set(['name', 'threadName', 'title', 'empty']);

/** `input` with every text of it hidden. */
function hideIn(input: ReportInput, words: PrivateWords): ReportInput {
  const hide = hider(words);
  function hidden(value: unknown, key: string): unknown {
    if (typeof value === 'string') {
      if (OWN_WORDS.has(key)) return value;
      if (key === 'file') return hide(fileOnly(value));
      if (key === 'capture') return withoutCommand(value);
      return hide(NAMES.has(key) ? withoutArguments(value) : value);
    }
    if (Array.isArray(value)) return value.map((each) => hidden(each, key));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, hidden(field, name)]),
    );
  }
  return { ...(hidden(input, '') as ReportInput), version: input.version, hidden: true };
}

/** Words that make the report what it is: a host of that name was taken out of the texts already. */
const STRUCTURE = new Set(
  'mermaid gantt title section dateformat axisformat todaymarker active crit done details summary init leftpadding stalltrace'.split(
    ' ',
  ),
);
const SHORTEST_SWEPT = 4;

/** The names once more in the finished text, also as they are written in Markdown and in the chart. */
function sweep(text: string, { hosts, users }: PrivateWords): string {
  const swept = hosts.flatMap(({ name, word }) =>
    formsOf(name).map((form) => ({ name: form, word })),
  );
  return nameHider(swept, users.flatMap(formsOf))(text);
}

function formsOf(name: string): string[] {
  const isSwept = name.length >= SHORTEST_SWEPT && !STRUCTURE.has(name.toLowerCase());
  return isSwept ? [name, escapeMarkdown(name), escapeInline(name), ganttText(name)] : [];
}
