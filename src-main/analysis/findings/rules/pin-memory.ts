import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatRate,
  plural,
} from '../../../shared/text/units.ts';
import type { CopyGroup } from '../../steps/h2d-groups.ts';
import { placeOfCopies } from '../facts/copy-places.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, joinedRefs } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText, workersOption } from '../facts/job-shape.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { debugGuide, optimisationGuide, pytorchDocs } from '../fixes/sources.ts';
import { memoryKind } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * Copies to the GPU from pageable memory, where the loop did nothing but copy. A pageable copy
 * behind unfinished kernels waits for these, so only time counts in which its stream was provably
 * empty, or in which the GPU was at the copy itself by its own record of it.
 */
export const pinMemory: Rule = {
  id: 'pin-memory',
  needs: [memoryKind],
  judge,
};

const isStaging = ({ phase, cause }: CostCell) => phase === 'h2d' && cause === 'staging';

/** Pageable copies, those of exact and of inferred kind together. */
interface Pageable {
  readonly calls: number;
  readonly bytes: number;
  readonly onEmptyStream: number;
  readonly onEmptyStreamNs: number;
  readonly recorded: number;
  readonly recordedBytes: number;
  readonly recordedNs: number;
  readonly exact: boolean;
  readonly byStack: ReadonlyMap<number, number>;
  readonly events: EventRefs;
}

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isStaging);
  const copies = pageableCopies(facts.h2d);
  if (copies === undefined || !isWorthTelling(facts, cost.ns)) return undefined;
  const basis = copies.exact ? 'exact' : 'inferred';
  const { lost, how } = lostTime(facts, cost);
  const copied = evidence(
    `${plural(copies.calls, 'copy', 'copies')} of ${formatBytes(copies.bytes)} in all went to the GPU from pageable memory${copies.exact ? '' : ', inferred from how they behaved or what was mapped'}`,
    basis,
    copies.events,
  );
  // Which part of a call it was that the loop copied in is worked out.
  const staged = evidence(
    `${lost} of copying by the training loop itself, without its waits for a CPU`,
    'inferred',
    cost.events,
  );
  const beside = besideKernels(facts);
  const pins = facts.rank.pinThreads.length > 0;
  const made = placeOfCopies(facts, copies.byStack);
  const where = made === undefined ? '' : `, most of that time in ${made.place}`;
  return {
    title: 'Copies to the GPU start from pageable memory',
    ...blames(made?.place),
    sentence: `${copied.text}${where}. ${how}`,
    confidence: copies.exact && !cost.isBound ? 'proven' : 'likely',
    evidence: [
      ...[copied, ...madeIn(made?.place, copies), ...emptyStream(copies), staged],
      ...[...gpuRate(copies), ...beside, ...pinThread(pins)],
    ],
    claims: isStaging,
    fix: made?.isBesideBatches
      ? pinOnceFix(made.place, copies, lost)
      : pins
        ? afterPinningFix(facts)
        : pinFix(facts, copies, lost),
    chain: {
      system: copied,
      host: staged,
      cuda: evidence(
        'The stream had no other work in that time: it waited for the data of these copies',
        'inferred',
        copies.events,
      ),
    },
  };
}

/** What the copying took: with the stream empty all of the call, else what the GPU’s records show at least. */
function lostTime(facts: RankFacts, { ns, isBound }: ReturnType<typeof claimed>) {
  const share = shareText(facts, ns);
  if (!isBound)
    return {
      lost: share,
      how: `The training loop spent ${share} on the copying itself, while the GPU had no other work on their stream.`,
    };
  const lost = `at least ${share}`;
  const how = `The training loop spent ${lost} on the copying itself: calls that found their stream empty, and for the others the copy time in the GPU’s records. It is not known when in a call the thread was off the CPU, so all its off-CPU time is subtracted.`;
  return { lost, how };
}

function pageableCopies(groups: readonly CopyGroup[]): Pageable | undefined {
  // With every copy behind unfinished work, the time is the kernels'.
  const pageable = groups.filter(
    ({ memory, onEmptyStream, recorded }) =>
      memory === 'pageable' && (onEmptyStream !== 0 || recorded > 0),
  );
  if (pageable.length === 0) return undefined;
  const sum = (figure: (group: CopyGroup) => number) =>
    pageable.reduce((total, group) => total + Math.max(0, figure(group)), 0);
  return {
    calls: sum(({ calls }) => calls),
    bytes: sum(({ bytes }) => bytes),
    onEmptyStream: sum(({ onEmptyStream }) => onEmptyStream),
    onEmptyStreamNs: sum(({ onEmptyStreamNs }) => onEmptyStreamNs),
    recorded: sum(({ recorded }) => recorded),
    recordedBytes: sum(({ recordedBytes }) => recordedBytes),
    recordedNs: sum(({ recordedNs }) => recordedNs),
    exact: pageable.every(({ exact }) => exact),
    byStack: joinedTimes(pageable),
    events: joinedRefs(pageable.map(({ events }) => events)),
  };
}

function joinedTimes(groups: readonly CopyGroup[]): ReadonlyMap<number, number> {
  const all = new Map<number, number>();
  for (const { byStack } of groups)
    for (const [stack, ns] of byStack) all.set(stack, (all.get(stack) ?? 0) + ns);
  return all;
}

function madeIn(place: string | undefined, { events }: Pageable) {
  if (place === undefined) return [];
  const text = `Most of the time of the copies whose stack was recorded was of those that ${place} makes`;
  return [evidence(text, 'inferred', events)];
}

function emptyStream({ calls, onEmptyStream, onEmptyStreamNs, recorded, events }: Pageable) {
  if (onEmptyStream === 0) return [];
  const began = `${onEmptyStream === calls ? 'All' : `${formatCount(onEmptyStream)} of them`} began with nothing left to do on their stream, and took ${formatDuration(onEmptyStreamNs)} from call to return, waits for a CPU included`;
  const counted = recorded > 0 ? 'only what the GPU’s own records show it copying' : 'no time';
  const rest = onEmptyStream < calls ? `; of the others ${counted} is counted` : '';
  return [evidence(`${began}${rest}`, 'exact', events)];
}

/** How fast the GPU got them, by its own records. */
function gpuRate({ recorded, recordedBytes, recordedNs, calls, events }: Pageable) {
  if (recordedNs === 0) return [];
  const which = recorded === calls ? 'them' : `${formatCount(recorded)} of them`;
  const rate = formatRate(recordedBytes, recordedNs);
  return [evidence(`The GPU got ${which} at ${rate}, by its own records`, 'exact', events)];
}

/** What of the copying other work of the GPU hid: that costs nothing. */
function besideKernels({ costs }: RankFacts) {
  const cells = costs.filter((cell) => isStaging(cell) && cell.hiddenNs > 0);
  const hiddenNs = cells.reduce((sum, cell) => sum + cell.hiddenNs, 0);
  if (hiddenNs < 1) return [];
  const text = `For ${formatDuration(hiddenNs)} of the copying the GPU computed beside it: that costs nothing`;
  return [evidence(text, 'exact')];
}

/** The thread hands on as they are batches that it cannot pin: it proves nothing of what was copied. */
function pinThread(pins: boolean) {
  if (!pins) return [];
  const text =
    'A pin-memory thread runs, so a loader has pin_memory=True; what was copied was not pinned all the same';
  return [evidence(text, 'inferred')];
}

function pinFix(facts: RankFacts, { calls }: Pageable, lost: string): Fix {
  const workers = workersOption(facts);
  return {
    title: 'Pin the loader’s batches, and copy them without waiting',
    text: `A copy from pinned memory returns at once, and the GPU fetches the data by itself. The loop spent ${lost} on the copying of these ${plural(calls, 'copy', 'copies')}. Pinned memory cannot be swapped out: it takes as much RAM as the batches that wait.`,
    before: `${loaderLine(workers)}
for inputs, targets in loader:
    inputs, targets = inputs.to(your_device), targets.to(your_device)`,
    after: `${loaderLine(`${workers}, pin_memory=True`)}
for inputs, targets in loader:
    inputs = inputs.to(your_device, non_blocking=True)
    targets = targets.to(your_device, non_blocking=True)`,
    language: 'python',
    sources,
  };
}

/** What a step does not begin with is no batch of the loader's: where it is made, it is pinned. */
function pinOnceFix(place: string, { calls }: Pageable, lost: string): Fix {
  return {
    title: `Pin what ${place} copies from, once, and copy without waiting`,
    text: `These are not the loader’s batches, so its pin_memory does nothing for them. Memory that is copied again and again is pinned where it is made; then a copy returns at once, and the GPU fetches the data by itself while it computes. The loop spent ${lost} on the copying of these ${plural(calls, 'copy', 'copies')}. Pinned memory cannot be swapped out. What fits on the GPU is best left there.`,
    before: `for tensor in your_tensors:
    your_use_of(tensor.to(your_device))`,
    after: `if torch.cuda.is_available():
    your_tensors = [tensor.pin_memory() for tensor in your_tensors]  # once
for tensor in your_tensors:
    your_use_of(tensor.to(your_device, non_blocking=True))`,
    language: 'python',
    sources,
  };
}

/** A loader pins, and yet what is copied is not pinned: which of the two reasons it is the job can tell. */
function afterPinningFix(facts: RankFacts): Fix {
  const loader = loaderLine(`${workersOption(facts)}, pin_memory=True`);
  return {
    title: 'Check is_pinned() of a batch, and copy before you convert',
    text: 'There is a pin-memory thread, but what was copied was not pinned. `is_pinned()` of a batch fresh from the loader tells why. False: batches of a type of your own are handed on as they are; give the type a method `pin_memory`. True: an operation between the loader and the copy made a new tensor in pageable memory; copy first, then convert.',
    before: `${loader}
for inputs, targets in loader:
    inputs = inputs.float().to(your_device)`,
    after: `${loader}
for inputs, targets in loader:
    print(inputs.is_pinned())  # once: remove it when you know
    inputs = inputs.to(your_device, non_blocking=True).float()`,
    language: 'python',
    sources,
  };
}

const sources = [
  pytorchDocs('pin_memory() and non_blocking', 'tutorials/intermediate/pinmem_nonblock.html'),
  debugGuide('20–40 % faster transfers'),
  optimisationGuide('up to 2–3 times on PCIe 3 and 4'),
];
