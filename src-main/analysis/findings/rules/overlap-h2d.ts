import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import { isH2d } from '../../loop/loop-calls.ts';
import type { CopyGroup } from '../../steps/h2d-groups.ts';
import { claimed, evidence, joinedRefs } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { shareText, windowNs, workersOption } from '../facts/job-shape.ts';
import { windowCalls } from '../facts/window-calls.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { debugGuide, pytorchDocs } from '../fixes/sources.ts';
import { memoryKind } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** A second stream is a change of the training loop: not for less than this share of the time. Our own choice. */
const NOTABLE_SHARE = 0.05;
/** Nine of ten copies pinned: else pinning comes first. */
const PINNED_SHARE = 0.9;

/** The loop waits for transfers of pinned memory that could run beside its kernels. */
export const overlapH2d: Rule = {
  id: 'overlap-h2d',
  needs: [memoryKind],
  judge,
};

/** In a copy, or by the GPU's own records in a wait for it while it only copied. */
const isTransfer = ({ phase, cause }: CostCell) =>
  (phase === 'h2d' || phase === 'compute') && cause === 'transfer';

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isTransfer);
  if (cost.ns < windowNs(facts) * NOTABLE_SHARE) return undefined;
  const pinned = facts.h2d.filter(({ memory }) => memory === 'pinned' || memory === 'registered');
  const calls = sumCalls(pinned);
  if (calls === 0 || calls < sumCalls(facts.h2d) * PINNED_SHARE) return undefined;
  const beside = besideKernels(facts, pinned);
  if (!takeTurns(facts, pinned)) return undefined;
  const lost = shareText(facts, cost.ns);
  const events = joinedRefs(pinned.map(({ events: refs }) => refs));
  const copied = evidence(
    `${plural(calls, 'copy', 'copies')} to the GPU from pinned memory, on the stream that runs the kernels`,
    pinned.every(({ exact }) => exact) ? 'exact' : 'inferred',
    events,
  );
  const waited = evidence(`The training loop waited ${lost} for transfers`, 'exact', cost.events);
  return {
    title: 'Copies and kernels take turns',
    sentence: `${waited.text}: ${copied.text}, so that neither ran beside the other.`,
    confidence: beside.length > 0 ? 'proven' : 'likely',
    evidence: [copied, waited, ...beside],
    claims: isTransfer,
    fix: fixFor(facts),
    chain: {
      system: copied,
      host: waited,
      cuda:
        beside[0] ??
        evidence('No kernel was submitted until the copy had ended', 'inferred', cost.events),
    },
  };
}

function sumCalls(groups: readonly CopyGroup[]): number {
  return groups.reduce((sum, { calls }) => sum + calls, 0);
}

/** With more of the copying beside kernels there is little to win. Our own choice. */
const MOSTLY_BESIDE = 0.5;

/** By the GPU's own records where they are there: else copies and kernels have the same streams. */
function takeTurns(facts: RankFacts, pinned: readonly CopyGroup[]): boolean {
  const { recordedNs, besideNs } = recordedCopies(pinned);
  if (facts.starvation.recorded === undefined || recordedNs === 0)
    return sharesStream(facts) === true;
  return besideNs < recordedNs * MOSTLY_BESIDE;
}

function recordedCopies(groups: readonly CopyGroup[]) {
  return {
    recordedNs: groups.reduce((sum, group) => sum + group.recordedNs, 0),
    besideNs: groups.reduce((sum, group) => sum + group.besideKernelsNs, 0),
  };
}

function besideKernels({ starvation }: RankFacts, pinned: readonly CopyGroup[]) {
  const { recordedNs, besideNs } = recordedCopies(pinned);
  if (starvation.recorded === undefined || recordedNs === 0) return [];
  const text = `The GPU copied for ${formatDuration(recordedNs)}, and computed beside that for ${formatDuration(besideNs)}`;
  const events = joinedRefs(pinned.map((group) => group.events));
  return [evidence(text, 'exact', events)];
}

/** Whether copies to the GPU and kernels are submitted to the same streams; undefined = not recorded. */
function sharesStream(facts: RankFacts): boolean | undefined {
  const { stream } = facts.trace.tables.cuda_call.columns;
  if (stream === undefined) return undefined;
  const { rows, kindOf } = windowCalls(facts);
  const streamsOf = (picks: (row: number) => boolean) =>
    new Set(rows.filter((row) => stream[row] >= 0 && picks(row)).map((row) => stream[row]));
  const copies = streamsOf((row) => isH2d(facts.trace, row));
  const kernels = streamsOf((row) => kindOf(row) === 'launch');
  if (copies.size === 0 || kernels.size === 0) return undefined;
  return [...copies].every((copy) => kernels.has(copy));
}

function fixFor(facts: RankFacts): Fix {
  const loader = loaderLine(`${workersOption(facts)}, pin_memory=True`);
  return {
    title: 'Copy the next batch on a second stream while this one is computed',
    text: 'A copy on a stream of its own runs beside the kernels of the last batch. The training stream waits for the copy before it uses the batch, and record_stream keeps the memory until it has.',
    before: `${loader}
for inputs, targets in loader:
    your_step(inputs.to(your_device, non_blocking=True), targets.to(your_device, non_blocking=True))`,
    after: `${loader}
stream = torch.cuda.Stream() if torch.cuda.is_available() else None

def ahead(loader):
    ready = None
    for batch in loader:
        with torch.cuda.stream(stream):
            following = [each.to(your_device, non_blocking=True) for each in batch]
        if ready is not None:
            yield ready
        if stream is not None:
            torch.cuda.current_stream().wait_stream(stream)
            for each in following:
                each.record_stream(torch.cuda.current_stream())
        ready = following
    if ready is not None:
        yield ready

for inputs, targets in ahead(loader):
    your_step(inputs, targets)`,
    language: 'python',
    sources: [
      pytorchDocs('CUDA streams', 'docs/stable/notes/cuda.html#cuda-streams'),
      debugGuide('10–15 % shorter steps'),
    ],
  };
}
