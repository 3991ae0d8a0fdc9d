import type { HostProcess } from '../../src-main/shared/remote/preflight.ts';
import { roleLabels } from '../../src-main/shared/words/terms.ts';

/** One line of the list of a host's processes. */
export interface HostProcessRow {
  readonly process: HostProcess;
  /** 0 for the root of a tree. */
  readonly depth: number;
  readonly isOpen: boolean;
  /** `parent`: a process above it is chosen, so it is recorded too. */
  readonly chosen: 'itself' | 'parent' | undefined;
}

interface Shown {
  readonly filter: string;
  readonly closed: ReadonlySet<number>;
  readonly chosen: ReadonlySet<number>;
}

/** A process among others: pids are used again. */
const keyOf = ({ pid, startedAtMs }: HostProcess) => `${pid}:${startedAtMs ?? ''}`;

/** Whether a process is on a GPU, or could be. */
const isOnGpu = ({ usesGpu, mapsCuda }: HostProcess) => usesGpu || mapsCuda;

/** What a process is to its job; empty where that is not known. */
export function roleText({ role }: Pick<HostProcess, 'role'>): string {
  return Object.hasOwn(roleLabels, role) && role !== 'other'
    ? roleLabels[role as keyof typeof roleLabels]
    : '';
}

function fits(process: HostProcess, words: readonly string[]): boolean {
  const { pid, name, commandLine, user } = process;
  const text = `${pid} ${name} ${commandLine} ${user} ${roleText(process)}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Every process of `trees`, those above before those below. */
export function* walkProcesses(trees: readonly HostProcess[]): Generator<HostProcess> {
  for (const process of trees) {
    yield process;
    yield* walkProcesses(process.children);
  }
}

/** The trees as lines. What a filter finds is shown with all above and below it, also where it is closed. */
export function hostProcessRows(trees: readonly HostProcess[], shown: Shown): HostProcessRow[] {
  const words = shown.filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const rows: HostProcessRow[] = [];
  const add = (process: HostProcess, depth: number, isFound: boolean, isChosen: boolean): void => {
    const found = isFound || fits(process, words);
    const below = process.children;
    if (!found && ![...walkProcesses(below)].some((each) => fits(each, words))) return;
    const isOpen = words.length > 0 || !shown.closed.has(process.pid);
    const itself = shown.chosen.has(process.pid);
    const chosen = isChosen ? 'parent' : itself ? 'itself' : undefined;
    rows.push({ process, depth, isOpen, chosen });
    if (isOpen) for (const child of below) add(child, depth + 1, found, isChosen || itself);
  };
  for (const tree of trees) add(tree, 0, false, false);
  return rows;
}

/**
 * `next` in the order in which `shown` has them, so that a list that is read does not jump: new ones
 * come last of those on a GPU, and of the others.
 */
export function inShownOrder(
  shown: readonly HostProcess[],
  next: readonly HostProcess[],
): HostProcess[] {
  const before = new Map(shown.map((process) => [keyOf(process), process]));
  const place = new Map([...before.keys()].map((key, index) => [key, index]));
  const known = next
    .filter((process) => place.has(keyOf(process)))
    .sort((one, other) => (place.get(keyOf(one)) ?? 0) - (place.get(keyOf(other)) ?? 0));
  const added = next.filter((process) => !place.has(keyOf(process)));
  const lastOnGpu = known.findLastIndex(isOnGpu) + 1;
  const ordered = [
    ...known.slice(0, lastOnGpu),
    ...added.filter(isOnGpu),
    ...known.slice(lastOnGpu),
    ...added.filter((process) => !isOnGpu(process)),
  ];
  return ordered.map((process) => ({
    ...process,
    children: inShownOrder(before.get(keyOf(process))?.children ?? [], process.children),
  }));
}

/** Jobs on a GPU: the topmost process of each that maps CUDA. */
export function gpuJobs(trees: readonly HostProcess[]): HostProcess[] {
  return trees.flatMap((process) => (isOnGpu(process) ? [process] : gpuJobs(process.children)));
}
