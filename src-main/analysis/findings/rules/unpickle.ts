import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { batchMaker, handover } from '../facts/handover.ts';
import { isWorthTelling, workersOption } from '../facts/job-shape.ts';
import { DOMINANT_SHARE, inputCell, production, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { pytorchDocs, pytorchIssue } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { pythonSamples } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** The training process takes batches of workers apart, or pins them, while the loop waits for them. */
export const unpickle: Rule = { id: 'unpickle', needs: [pythonSamples], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const { taken, taking } = handover(facts);
  if (facts.workers.length === 0 || taken < SAMPLES_AT_LEAST) return undefined;
  const objects = [...taking.unpickling, ...taking.receiving];
  if (objects.length >= taken * DOMINANT_SHARE) return judgeObjects(facts, objects);
  if (taking.pinning.length >= taken * DOMINANT_SHARE) return judgePinning(facts, taking.pinning);
  if (taking.sharing.length >= taken * DOMINANT_SHARE) return judgeSharing(facts, taking.sharing);
  return undefined;
}

/** What the training process and its pinning thread did themselves for a batch that had been sent. */
const isOwnWork = inputCell('main', 'running', 'fault');

/** `120 of 150 CPU samples of taking batches were …` */
function samplesText(facts: RankFacts, rows: readonly number[], where: string): Evidence {
  const { taken } = handover(facts);
  const text = `${formatCount(rows.length)} of ${formatCount(taken)} CPU samples of taking batches from the workers were ${where}`;
  return evidence(text, 'inferred', refsTo('cpu_sample', rows));
}

function judgeObjects(facts: RankFacts, rows: readonly number[]): Judgement | undefined {
  const { taken, sent, pickling } = handover(facts);
  const sends = sent >= SAMPLES_AT_LEAST && pickling.length >= sent * DOMINANT_SHARE;
  const isSending = inputCell('worker', 'sending');
  const claims = (cell: CostCell) => isOwnWork(cell) || (sends && isSending(cell));
  const { ns, events } = claimed(facts.costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const maker = batchMaker(facts);
  const shown = samplesText(facts, rows, 'in unpickling them, or in reading them from a pipe');
  const pickled = evidence(
    `${formatCount(pickling.length)} of ${formatCount(sent)} CPU samples of the workers’ sending threads were in pickling`,
    'inferred',
    refsTo('cpu_sample', pickling),
  );
  const before = sends ? ' Before that, the workers pickle them.' : '';
  return {
    title: `The training process unpickles the objects in each batch${whereText(maker)}`,
    ...blames(maker?.place),
    sentence: `The training loop waited ${formatDuration(ns)} while batches that its workers had made were handed over: ${formatShare(rows.length, taken)} of the CPU time in the loader went to reading and unpickling them.${before}${makerText(maker)}`,
    confidence: 'likely',
    evidence: sends ? [shown, pickled] : [shown],
    hotThreads: [facts.rank.mainThread, ...facts.rank.pinThreads],
    claims,
    gain: { reach: 'waits' },
    fix: objectsFix(facts),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'waited for batches to be unpickled'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

function whereText(maker: ReturnType<typeof batchMaker>): string {
  if (maker === undefined) return '';
  return `${maker.unpickles ? ', mostly in' : ' from'} ${maker.place}`;
}

function makerText(maker: ReturnType<typeof batchMaker>): string {
  if (maker === undefined) return ' Which objects they are, no stack shows.';
  return maker.unpickles
    ? ` Of the job’s own functions, ${maker.place} is called most for that.`
    : ` The batches come from ${maker.place}.`;
}

function judgePinning(facts: RankFacts, rows: readonly number[]): Judgement | undefined {
  const { ns, events } = claimed(facts.costs, isOwnWork);
  if (!isWorthTelling(facts, ns)) return undefined;
  const shown = samplesText(facts, rows, 'in copying them to pinned memory');
  return {
    title: 'The training loop waits while batches are copied to pinned memory',
    sentence: `The training loop waited ${formatDuration(ns)} for batches that its workers had made, mostly while they were copied to pinned memory: one thread does that, a batch after the other.`,
    confidence: 'likely',
    evidence: [shown],
    hotThreads: [facts.rank.mainThread, ...facts.rank.pinThreads],
    claims: isOwnWork,
    gain: { reach: 'waits' },
    fix: pinningFix(facts),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'waited for batches to be pinned'), 'exact', events),
      cuda: idleDevice(facts, isOwnWork),
    },
  };
}

/**
 * 49 tensors took the training process 15 ms (hands_over_many_tensors.py of the ground truth, PyTorch 1.13): in less time few
 * are handed over. Our own choice.
 */
const MANY_TENSORS_NS = 4e6;

/** Each tensor of a batch is opened by itself: by default over a connection of its own to the worker. */
function judgeSharing(facts: RankFacts, rows: readonly number[]): Judgement | undefined {
  const claims = (cell: CostCell) => isOwnWork(cell) || inputCell('worker', 'sending')(cell);
  const { ns, events } = claimed(facts.costs, claims);
  // The sending alone may be the copying of a few large ones.
  const ownNs = claimed(facts.costs, isOwnWork).ns;
  const { batches } = production(facts);
  if (!isWorthTelling(facts, ns) || batches === 0 || ownNs < batches * MANY_TENSORS_NS)
    return undefined;
  const found = batchMaker(facts);
  const maker = found?.unpickles === true ? undefined : found;
  const shown = samplesText(facts, rows, 'in opening the shared memory of their tensors');
  return {
    title: `Each batch has many tensors, and each is handed over by itself${whereText(maker)}`,
    ...blames(maker?.place),
    sentence: `The training loop waited ${formatDuration(ns)} while batches that its workers had made were handed over, ${formatDuration(ns / batches)} for each. Every tensor of a batch lies in shared memory of its own, which the training process opens by itself: with a few tensors that takes a millisecond or two.${maker === undefined ? '' : makerText(maker)}`,
    confidence: 'likely',
    evidence: [shown],
    hotThreads: [facts.rank.mainThread, ...facts.rank.pinThreads],
    claims,
    gain: { reach: 'waits' },
    fix: tensorsFix(facts),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'waited for batches to be handed over'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

function tensorsFix(facts: RankFacts): Fix {
  const loader = `loader = DataLoader(your_samples, batch_size=your_batch_size, collate_fn=your_collate_fn, ${workersOption(facts)}, **your_options)`;
  return {
    title: 'Join the tensors of a batch in collate_fn',
    text: 'How many tensors there are counts, and not their size. What differs in length from sample to sample can be joined all the same, beside the lengths, and taken apart in the loop: that copies nothing. Where it has to be many, torch.multiprocessing.set_sharing_strategy("file_system") needs no connection for each.',
    before: `def your_collate_fn(samples):
    return samples  # two tensors for each sample

${loader}`,
    after: `def your_collate_fn(samples):
    joined = {key: torch.cat([sample[key] for sample in samples]) for key in samples[0]}  # each sample a dict of tensors
    lengths = {key: [len(sample[key]) for sample in samples] for key in samples[0]}
    return joined, lengths  # joined[key].split(lengths[key]): those of each sample

${loader}`,
    language: 'python',
    sources: [
      pytorchDocs(
        'Multiprocessing: sharing strategies',
        'docs/stable/multiprocessing.html#sharing-strategies',
      ),
    ],
  };
}

function objectsFix(facts: RankFacts): Fix {
  const loader = `loader = DataLoader(your_objects, batch_size=your_batch_size, collate_fn=your_collate_fn, ${workersOption(facts)}, **your_options)`;
  return {
    title: 'Put tensors into a batch instead of Python objects',
    text: 'Every object of a batch is pickled in the worker and made again in the training process, one after the other, by the thread that trains. A tensor goes through shared memory, however large it is: a few large ones cost next to nothing. Send nothing that the loop does not use; what never changes, such as names, can stay in the training process and be looked up by number.',
    before: `def your_collate_fn(samples):
    return samples

${loader}`,
    after: `def your_collate_fn(samples):
    keys = samples[0][0]  # of each object
    joined = {key: torch.tensor([each[key] for sample in samples for each in sample]) for key in keys}
    counts = torch.tensor([len(sample) for sample in samples])
    return joined, counts  # joined[key].split(counts.tolist()): those of each sample

${loader}`,
    language: 'python',
    sources: [
      pytorchIssue(123439, 'objects in batches slow down loading with workers'),
      pytorchDocs('Multiprocessing best practices', 'docs/stable/notes/multiprocessing.html'),
    ],
  };
}

function pinningFix(facts: RankFacts): Fix {
  const workers = workersOption(facts);
  return {
    title: 'Hand over fewer bytes, and convert them on the GPU',
    text: 'An image in bytes is a quarter of one in floats, both to pin and to send. What is converted on the GPU takes no time of the loader.',
    before: `loader = DataLoader(your_float_images, batch_size=your_batch_size, ${workers}, pin_memory=True, **your_options)
for images, targets in loader:
    images = images.to(your_device, non_blocking=True)`,
    after: `loader = DataLoader(your_byte_images, batch_size=your_batch_size, ${workers}, pin_memory=True, **your_options)
for images, targets in loader:
    images = images.to(your_device, non_blocking=True).float() / 255  # as your dataset did`,
    language: 'python',
    sources: [pytorchDocs('Memory pinning', 'docs/stable/data.html#memory-pinning')],
  };
}
