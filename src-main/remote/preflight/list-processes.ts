import { z } from 'zod';
import type { HostError } from '../../shared/remote/connection.ts';
import type { HostProcess, HostProcesses } from '../../shared/remote/preflight.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { HostSession } from '../shell/host-session.ts';
import { askAgent } from './agent-json.ts';

/** More is no list that a person reads. */
const MOST_PROCESSES = 5000;
/** The agent's own limit is 64. */
const DEEPEST = 64;

/** The year 9999. */
const LATEST_UNIX_NS = 253_402_300_799e9;

const text = (most: number) =>
  z
    .string()
    .nullish()
    .transform((each) => cleanText(each ?? '', most));

const listedProcess = z.object({
  pid: z.number().int().positive(),
  parent_pid: z.number().int().nonnegative(),
  depth: z.number().int().min(0).max(DEEPEST),
  name: text(64),
  role: text(40),
  command_line: text(2000),
  user: text(64),
  uses_gpu: z.boolean(),
  maps_cuda: z.boolean(),
  gpu_memory_bytes: z.number().int().nonnegative().nullish(),
  start_unix_ns: z.number().nonnegative().max(LATEST_UNIX_NS).nullish(),
});
type ListedProcess = z.infer<typeof listedProcess>;

/** What the agent's `list --json` prints: parents before their children, each with its depth. */
export const processList = z.object({
  gpu_detail: text(300),
  processes: z
    .array(z.unknown())
    .max(100_000)
    .transform((all) => all.slice(0, MOST_PROCESSES))
    .pipe(z.array(listedProcess)),
});

/** Processes worth capturing, as trees, those that use a GPU first. */
export async function listProcesses(
  session: Pick<HostSession, 'openAgent' | 'privilege'>,
  signal: AbortSignal,
): Promise<Result<HostProcesses, HostError | 'cancelled'>> {
  const asRoot = ['root', 'sudo', 'sudo-password'].includes(session.privilege);
  const listed = await askAgent(session, ['list', '--json'], processList, { asRoot, signal });
  if (!listed.ok) return listed;
  return ok(treesOf(listed.value));
}

/** A tree's node while its children are still found. */
type Growing = HostProcess & { readonly children: HostProcess[] };

export function treesOf({ gpu_detail, processes }: z.infer<typeof processList>): HostProcesses {
  const trees: Growing[] = [];
  const branch: Growing[] = [];
  const seen = new Set<number>();
  for (const listed of processes) {
    // A process is chosen by its number: one that is there twice is none.
    if (seen.has(listed.pid)) continue;
    seen.add(listed.pid);
    const node = toProcess(listed);
    // A depth that skips a level is a child of the deepest there is.
    branch.length = Math.min(listed.depth, branch.length);
    (branch.at(-1)?.children ?? trees).push(node);
    branch.push(node);
  }
  const sorted = trees.toSorted((one, other) => weight(other) - weight(one));
  return { trees: sorted, ...(gpu_detail !== '' && { gpuDetail: gpu_detail }) };
}

/** Trees on a GPU before those that only map CUDA's libraries, and these before others. */
function weight(tree: HostProcess): number {
  const own = tree.usesGpu ? 2 : tree.mapsCuda ? 1 : 0;
  return Math.max(own, ...tree.children.map(weight));
}

function toProcess(listed: ListedProcess): Growing {
  const { gpu_memory_bytes: gpuMemoryBytes, start_unix_ns: startUnixNs } = listed;
  return {
    pid: listed.pid,
    parent: listed.parent_pid,
    name: listed.name,
    commandLine: listed.command_line,
    user: listed.user,
    role: listed.role === '' ? 'other' : listed.role,
    usesGpu: listed.uses_gpu,
    mapsCuda: listed.maps_cuda,
    ...(typeof gpuMemoryBytes === 'number' && { gpuMemoryBytes }),
    ...(typeof startUnixNs === 'number' && { startedAtMs: Math.round(startUnixNs / 1e6) }),
    children: [],
  };
}
