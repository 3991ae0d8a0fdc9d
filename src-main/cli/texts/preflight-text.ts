import { modeSpec } from '../../shared/capture-modes/modes.ts';
import {
  type HostProcess,
  type HostProcesses,
  PREFLIGHT_GROUPS,
  type Preflight,
} from '../../shared/remote/preflight.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes, plural } from '../../shared/text/units.ts';

const STATUS = { ok: 'ok', info: '-', warn: 'WARN', fail: 'FAIL' } as const;
const MAX_TEXT = 500;
/** Trees beyond these are nobody's job. */
const MAX_TREES = 12;

/** What `check` prints for a person: the table, what can be had, what could be captured. */
export function preflightText(preflight: Preflight, processes: HostProcesses | undefined): string {
  const { headline, sees, cannotSee, mode } = preflight;
  const isUnlimited = mode !== 'none' && modeSpec(mode).limits === undefined;
  return [
    ...tableLines(preflight),
    '',
    cleanText(headline, MAX_TEXT),
    ...(isUnlimited ? [] : listOf('It sees', sees)),
    ...listOf('It cannot see', cannotSee),
    ...(processes === undefined ? [] : processLines(processes)),
  ].join('\n');
}

function tableLines({ rows }: Preflight): string[] {
  const labelWidth = Math.max(...rows.map(({ label }) => cleanText(label, 60).length), 0);
  const statusWidth = Math.max(...Object.values(STATUS).map((word) => word.length));
  const indent = ' '.repeat(labelWidth + statusWidth + 6);
  return rows.flatMap(({ group, label, status, detail, next }, at) => {
    const name = cleanText(label, 60).padEnd(labelWidth);
    return [
      ...(group === rows[at - 1]?.group ? [] : [PREFLIGHT_GROUPS[group]]),
      `  ${name}  ${STATUS[status].padEnd(statusWidth)}  ${cleanText(detail, MAX_TEXT)}`,
      ...(next === undefined ? [] : [`${indent}→ ${cleanText(next, MAX_TEXT)}`]),
    ];
  });
}

function listOf(title: string, texts: readonly string[]): string[] {
  if (texts.length === 0) return [];
  return [`${title}:`, ...texts.map((text) => `  - ${cleanText(text, MAX_TEXT)}`)];
}

function processLines({ trees, gpuDetail }: HostProcesses): string[] {
  const jobs = trees.filter((tree) => usesGpu(tree)).slice(0, MAX_TREES);
  const why = gpuDetail === undefined ? [] : [`  ${cleanText(gpuDetail, MAX_TEXT)}`];
  if (jobs.length === 0) return ['', 'No process uses a GPU or CUDA now.', ...why];
  return ['', 'Processes that use a GPU or CUDA:', ...jobs.map(jobLine), ...why];
}

/** `4242  python train.py  (ada, 9.5 GiB of GPU memory, 8 more processes)`. */
function jobLine(tree: HostProcess): string {
  const more = countOf(tree) - 1;
  const facts = [
    cleanText(tree.user, 60),
    ...(tree.gpuMemoryBytes === undefined
      ? []
      : [`${formatBytes(tree.gpuMemoryBytes)} of GPU memory`]),
    ...(more > 0 ? [plural(more, 'more process', 'more processes')] : []),
  ];
  const command = cleanText(tree.commandLine === '' ? tree.name : tree.commandLine, 100);
  return `  ${String(tree.pid).padStart(7)}  ${command}  (${facts.join(', ')})`;
}

function usesGpu({ usesGpu: own, mapsCuda, children }: HostProcess): boolean {
  return own || mapsCuda || children.some(usesGpu);
}

function countOf({ children }: HostProcess): number {
  return children.reduce((sum, child) => sum + countOf(child), 1);
}
