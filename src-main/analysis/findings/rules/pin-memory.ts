import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import { formatBytes, formatDuration, plural } from '../../../shared/text/units.ts';
import type { CopyGroup } from '../../steps/h2d-groups.ts';
import { claimed, evidence, joinedRefs } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText, workersAtOnce } from '../facts/job-shape.ts';
import { memoryKind } from '../facts/needs.ts';
import type { Judgement, Rule } from '../facts/rule.ts';
import { loaderLine } from '../facts/snippets.ts';
import { debugGuide, optimisationGuide, pytorchDocs } from '../facts/sources.ts';

/**
 * Copies to the GPU from pageable memory, where the loop did nothing but copy. A pageable copy
 * behind unfinished kernels waits for these, so only cells count whose stream was provably empty.
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
  readonly exact: boolean;
  readonly events: EventRefs;
}

function judge(facts: RankFacts): Judgement | undefined {
  const cost = claimed(facts.costs, isStaging);
  const copies = pageableCopies(facts.h2d);
  if (copies === undefined || !isWorthTelling(facts, cost.ns)) return undefined;
  const basis = copies.exact ? 'exact' : 'inferred';
  const copied = evidence(
    `${plural(copies.calls, 'copy', 'copies')} of ${formatBytes(copies.bytes)} in all went to the GPU from pageable memory${copies.exact ? '' : ', inferred from how they behaved or what was mapped'}`,
    basis,
    copies.events,
  );
  const lost = shareText(facts, cost.ns);
  const staged = evidence(`${lost} of staging copies by the training loop`, basis, cost.events);
  const pins = facts.rank.pinThreads.length > 0;
  return {
    title: 'Copies to the GPU start from pageable memory',
    sentence: `${copied.text}. Nothing was left to do on their stream, so the training loop spent ${lost} on the copying itself.`,
    confidence: copies.exact ? 'proven' : 'likely',
    evidence: [copied, ...emptyStream(copies), staged, ...pinThread(pins)],
    claims: isStaging,
    fix: pins ? afterPinningFix(facts) : pinFix(facts, copies, lost),
    chain: {
      system: copied,
      host: staged,
      cuda: evidence(
        'The stream was empty when these copies began, and the GPU had to wait for their data',
        basis,
        copies.events,
      ),
    },
  };
}

function pageableCopies(groups: readonly CopyGroup[]): Pageable | undefined {
  // With every copy behind unfinished work, the time is the kernels'.
  const pageable = groups.filter(
    ({ memory, onEmptyStream }) => memory === 'pageable' && onEmptyStream !== 0,
  );
  if (pageable.length === 0) return undefined;
  const sum = (figure: (group: CopyGroup) => number) =>
    pageable.reduce((total, group) => total + Math.max(0, figure(group)), 0);
  return {
    calls: sum(({ calls }) => calls),
    bytes: sum(({ bytes }) => bytes),
    onEmptyStream: sum(({ onEmptyStream }) => onEmptyStream),
    onEmptyStreamNs: sum(({ onEmptyStreamNs }) => onEmptyStreamNs),
    exact: pageable.every(({ exact }) => exact),
    events: joinedRefs(pageable.map(({ events }) => events)),
  };
}

function emptyStream({ onEmptyStream, onEmptyStreamNs, events }: Pageable) {
  if (onEmptyStream === 0) return [];
  const text = `${plural(onEmptyStream, 'of them', 'of them')} began with nothing left to do on their stream, and took ${formatDuration(onEmptyStreamNs)}`;
  return [evidence(text, 'exact', events)];
}

function pinThread(pins: boolean) {
  if (!pins) return [];
  return [evidence('A pin-memory thread runs, so the loader’s own batches are pinned', 'exact')];
}

function pinFix(facts: RankFacts, { calls }: Pageable, lost: string): Fix {
  const workers = workersAtOnce(facts);
  return {
    title: 'Pin the loader’s batches, and copy them without waiting',
    text: `A copy from pinned memory returns at once, and the GPU fetches the data by itself. These ${plural(calls, 'copy', 'copies')} held the loop for ${lost}. Pinned memory cannot be swapped out: it takes as much RAM as the batches that wait.`,
    before: `${loaderLine(`num_workers=${workers}`)}
for inputs, targets in loader:
    inputs, targets = inputs.to(device), targets.to(device)`,
    after: `${loaderLine(`num_workers=${workers}, pin_memory=True`)}
for inputs, targets in loader:
    inputs = inputs.to(device, non_blocking=True)
    targets = targets.to(device, non_blocking=True)`,
    language: 'python',
    sources,
  };
}

/** The batches are pinned, and yet what is copied is not: a new tensor was made on the way. */
function afterPinningFix(facts: RankFacts): Fix {
  const loader = loaderLine(`num_workers=${workersAtOnce(facts)}, pin_memory=True`);
  return {
    title: 'Copy the pinned batch itself, and convert it on the GPU',
    text: 'The loader pins its batches, but what is copied is not pinned: each operation on a batch makes a new tensor in pageable memory. Copy first, then convert. Batches of a type of your own are pinned only if they have a method pin_memory.',
    before: `${loader}
for inputs, targets in loader:
    inputs = inputs.float().to(device)`,
    after: `${loader}
for inputs, targets in loader:
    inputs = inputs.to(device, non_blocking=True).float()`,
    language: 'python',
    sources,
  };
}

const sources = [
  pytorchDocs('pin_memory() and non_blocking', 'tutorials/intermediate/pinmem_nonblock.html'),
  debugGuide('20–40 % faster transfers'),
  optimisationGuide('up to 2–3 times on PCIe 3 and 4'),
];
