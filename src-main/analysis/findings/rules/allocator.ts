import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { formatCount, formatDuration, plural } from '../../../shared/text/units.ts';
import { stackKinds } from '../../host/stack-kinds.ts';
import { callSites } from '../facts/call-site.ts';
import { blames } from '../facts/culprit.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { unevenText } from '../facts/how-often.ts';
import { isWorthTelling, shareText } from '../facts/job-shape.ts';
import { windowCalls } from '../facts/window-calls.ts';
import { pytorchDocs, pytorchIssue } from '../fixes/sources.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Steps in which PyTorch’s allocator may still be filling its cache: our own choice. */
const WARM_UP_STEPS = 5;
/** No less than this share of the window counts as warm-up, however many steps it has. */
const WARM_UP_SHARE = 0.1;
/** One allocation in so many steps is none of the loop’s habits. */
const MIN_PER_STEP = 0.1;

/** Memory of the GPU, or pinned memory, is allocated and freed in the steps, long after the first ones. */
export const allocator: Rule = {
  id: 'allocator',
  needs: [],
  judge,
};

const isAllocation = ({ cause }: CostCell) => cause === 'allocation';

function judge(facts: RankFacts): Judgement | undefined {
  const { steps, trace } = facts;
  if (steps.basis === 'none' || steps.count <= WARM_UP_STEPS) return undefined;
  const { rows, ns, byName } = lateCalls(facts, warmUntilNs(facts));
  const perStep = rows.length / (steps.count - WARM_UP_STEPS);
  if (perStep < MIN_PER_STEP || !isWorthTelling(facts, ns)) return undefined;
  const { startNs, durationNs } = trace.tables.cuda_call.columns;
  const repeats = facts.rowsRepeat(startNs, rows, (row) => durationNs[row]);
  const events = refsTo('cuda_call', rows);
  const names = [...byName].toSorted((a, b) => b[1] - a[1]).map(([name]) => name);
  const called = evidence(
    `${plural(rows.length, 'call')} after the first steps (${names.slice(0, 3).join(', ')}), ${perStep.toFixed(1)} a step${unevenText(repeats)}`,
    'exact',
    events,
  );
  const took = evidence(`They took ${shareText(facts, ns)}`, 'exact', events);
  const { sites, main } = callSites(trace, rows);
  const [first] = sites;
  const site =
    first === undefined
      ? []
      : [evidence(`${first.place} makes ${formatCount(first.count)} of them`, 'exact')];
  return {
    title: `${isOfHost(byName, ns) ? 'Pinned memory' : 'Memory'} is allocated ${repeats?.everySteps === 1 ? 'in every step' : 'long after the first steps'}${main === undefined ? '' : `, in ${main.place}`}`,
    ...blames(main?.place),
    sentence: `${called.text}. ${took.text}: allocating and freeing makes the GPU finish its work first.`,
    confidence: 'proven',
    evidence: [called, took, ...site],
    claims: isAllocation,
    // It holds up more than itself: mapping and zeroing take the CPUs, and new memory is mapped again where it is used.
    gain: { reach: 'waits', moreNs: besideNs(facts, rows) },
    fix: isOfHost(byName, ns) ? hostFix(ns) : deviceFix(byName, ns),
    chain: {
      system: site[0] ?? called,
      host: took,
      cuda: evidence(`${names[0]} waits until the GPU is done`, 'inferred', events),
    },
  };
}

/** What the functions that made these calls did besides, ns: it may be for them. */
function besideNs({ trace, host: { evidence: seen } }: RankFacts, rows: readonly number[]): number {
  const { functions } = stackKinds(trace);
  const { stack } = trace.tables.cuda_call.columns;
  const callers = new Set(rows.map((row) => functions[stack?.[row] ?? NONE] ?? NONE));
  callers.delete(NONE);
  let ns = 0;
  for (let at = 0; at < seen.length; at++) if (callers.has(seen.func[at])) ns += seen.ns[at];
  return ns;
}

const OF_HOST = /Host/;

/** Whether most of the time went to pinned memory of the host. */
function isOfHost(byName: ReadonlyMap<string, number>, ns: number): boolean {
  const hostNs = [...byName].reduce(
    (sum, [name, each]) => sum + (OF_HOST.test(name) ? each : 0),
    0,
  );
  return hostNs * 2 > ns;
}

function hostFix(ns: number): Fix {
  return {
    title: 'Pin a buffer once, and copy into it',
    text: `To pin memory the driver maps each of its pages for the GPU, and to free it waits until the GPU is done; here that took ${formatDuration(ns)}. A buffer that is allocated before the loop serves all batches: as long as the copy to the GPU is one that waits, it is free again after it. Pinned memory that PyTorch frees is kept for the next tensor, unless sizes grow from step to step; what a library allocates by cudaHostAlloc or cudaHostRegister is not.`,
    before: `for inputs, targets in your_loader:
    buffer = torch.empty(inputs.shape, dtype=inputs.dtype, pin_memory=torch.cuda.is_available())  # in every step
    buffer.copy_(inputs)
    your_step(buffer.to(your_device), targets)`,
    after: `buffer = None
for inputs, targets in your_loader:
    if buffer is None or len(buffer) < len(inputs):  # once: the last batch may be smaller
        buffer = torch.empty(inputs.shape, dtype=inputs.dtype, pin_memory=torch.cuda.is_available())
    pinned = buffer[:len(inputs)].copy_(inputs)
    your_step(pinned.to(your_device), targets)  # waits for the copy: then the buffer is free again`,
    language: 'python',
    sources: [
      pytorchDocs(
        'Use pinned memory buffers',
        'docs/stable/notes/cuda.html#use-pinned-memory-buffers',
      ),
    ],
  };
}

function deviceFix(byName: ReadonlyMap<string, number>, ns: number): Fix {
  const freed = [...byName.keys()].some((name) => /Free/.test(name));
  const hint = freed
    ? ' Memory is also freed: look for torch.cuda.empty_cache() in the loop, and take it out.'
    : '';
  return {
    title: 'Keep memory that was allocated, and use it again',
    text: `PyTorch keeps freed memory for the next tensor of that size. It goes back to the driver where sizes change from step to step or memory is nearly full; here that took ${formatDuration(ns)}.${hint} Segments that grow need fewer allocations where sizes vary.`,
    before: `for batch in your_loader:
    your_step(batch)
    torch.cuda.empty_cache()`,
    after: `import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"  # before CUDA is first used

for batch in your_loader:
    your_step(batch)  # and no torch.cuda.empty_cache()`,
    language: 'python',
    sources: [
      pytorchDocs('CUDA memory management', 'docs/stable/notes/cuda.html#memory-management'),
      pytorchIssue(173382),
    ],
  };
}

/** When the first steps are over, ns. */
function warmUntilNs({ steps, window: [startNs, endNs] }: RankFacts): number {
  const byShare = startNs + (endNs - startNs) * WARM_UP_SHARE;
  const byStep = steps.steps.find(({ index }) => index >= WARM_UP_STEPS)?.startNs ?? byShare;
  return Math.max(byShare, byStep);
}

/** Calls that allocate or free, from `fromNs` on; those ordered on a stream cost next to nothing. */
function lateCalls(facts: RankFacts, fromNs: number) {
  const { startNs, durationNs } = facts.trace.tables.cuda_call.columns;
  const calls = windowCalls(facts);
  const rows = calls.rows.filter((row) => {
    const kind = calls.kindOf(row);
    const isOne = kind === 'allocate' || kind === 'free';
    return isOne && startNs[row] >= fromNs && !/Async/.test(calls.nameOf(row));
  });
  const byName = new Map<string, number>();
  let ns = 0;
  for (const row of rows) {
    ns += durationNs[row];
    byName.set(calls.nameOf(row), (byName.get(calls.nameOf(row)) ?? 0) + durationNs[row]);
  }
  return { rows, ns, byName };
}
