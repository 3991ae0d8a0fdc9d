import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatBytes, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { claimed, evidence, partlyClaimed } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { isWorthTelling, workersAtOnce } from '../facts/job-shape.ts';
import { inputCell, production } from '../facts/loader-work.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { investigation, pytorchDocs } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** PyTorch's default. */
const DEFAULT_FACTOR = 2;
/** Batches that wait in memory may take this share of it. Our own choice. */
const MEMORY_AT_MOST = 0.25;

const claims = inputCell('worker', 'waiting-for-index');

/**
 * The loop waits for batches that a worker was told to make too late, when it had long had nothing to do: too few
 * are asked for ahead, where batches are taken faster than they are made for a while, or some take longer than others.
 */
export const prefetch: Rule = { id: 'prefetch', needs: [completeSwitches], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const { ns: madeNs, byCause } = production(facts);
  const idleNs = byCause['waiting-for-index'];
  const waited = claimed(facts.costs, claims);
  // The time in which a worker had nothing to do is all that it could have begun earlier by.
  const claimPart = () => Math.min(1, idleNs / waited.ns);
  const { ns, events } = partlyClaimed(facts.costs, claims, claimPart);
  if (facts.ahead === 0 || !isWorthTelling(facts, ns) || !fitsMemory(facts)) return undefined;
  const idle = evidence(
    `The workers had nothing to do for ${formatShare(idleNs, madeNs + idleNs)} of their time: they waited to be told what to load next`,
    'exact',
  );
  return {
    title: 'Too few batches are prepared ahead',
    sentence: `The training loop waited ${formatDuration(ns)} for batches that the workers had the time to make before, had they been asked: each makes a few ahead and then waits until one of them is taken.`,
    confidence: 'likely',
    evidence: [idle],
    claims,
    claimPart,
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: fixFor(facts),
    chain: {
      system: idle,
      host: evidence(waitOf(facts, ns, 'waited for batches that were begun late'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** Bytes of one batch as it is copied to the GPU; 0 = not known. */
function batchBytes({ h2d, steps }: RankFacts): number {
  const bytes = h2d.reduce((sum, group) => sum + group.bytes, 0);
  return steps.count > 0 ? bytes / steps.count : 0;
}

const nextFactor = ({ ahead }: RankFacts) => DEFAULT_FACTOR + ahead;

function heldBytes(facts: RankFacts): number {
  return batchBytes(facts) * workersAtOnce(facts) * nextFactor(facts);
}

function fitsMemory(facts: RankFacts): boolean {
  const { hosts, processes } = facts.trace;
  const memoryBytes = hosts[processes[facts.rank.process]?.host ?? 0]?.memoryBytes;
  return memoryBytes === undefined || heldBytes(facts) <= memoryBytes * MEMORY_AT_MOST;
}

function fixFor(facts: RankFacts): Fix {
  const held = heldBytes(facts);
  const next = nextFactor(facts);
  const memory =
    held > 0
      ? ` With ${next}, up to ${formatBytes(held)} of batches wait in memory.`
      : ' Each batch that waits takes memory.';
  const workers = `num_workers=${workersAtOnce(facts)}`;
  return {
    title: `Raise prefetch_factor from ${DEFAULT_FACTOR}, its default, to ${next}`,
    text: `Each worker is given prefetch_factor batches ahead; more of them even out batches and steps that take longer than others. If yours is set already, add ${facts.ahead} to it.${memory}`,
    before: loaderLine(`${workers}, prefetch_factor=${DEFAULT_FACTOR}`),
    after: loaderLine(`${workers}, prefetch_factor=${next}`),
    language: 'python',
    sources: [
      pytorchDocs('DataLoader', 'docs/stable/data.html#torch.utils.data.DataLoader'),
      investigation('keep 2 where the data is larger than memory'),
    ],
  };
}
