import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { lowerFirst } from '../../../shared/text/text.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, workersAtOnce } from '../facts/job-shape.ts';
import {
  DOMINANT_SHARE,
  inputCell,
  loaderSamples,
  makersOf,
  type Production,
  production,
  SAMPLES_AT_LEAST,
} from '../facts/loader-work.ts';
import { investigation } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** More waiting for disks than this share of the making of batches: the data is not all in memory. */
const DISK_AT_MOST = 0.02;
/** The same for other waits, a file server's among them. Both our own choice. */
const SLEEP_AT_MOST = 0.1;

/**
 * Where stacks are missing: a process that copies into fresh shared memory and does little else
 * faults 275,000 to 390,000 times a second (measured with PyTorch 1.13), one that also calculates
 * for as long half as often.
 */
const COPYING_FAULTS_PER_SECOND = 200_000;

/** A dataset in memory is picked apart row by row and put together again. */
export const directIndexing: Rule = {
  id: 'direct-indexing',
  needs: [completeSwitches],
  judge,
};

const isStaging = ({ cause }: CostCell) => cause === 'staging';

function judge(facts: RankFacts): Judgement | undefined {
  const made = production(facts);
  if (readsFiles(made)) return undefined;
  const shown = sampledCopying(facts) ?? faultingCopies(facts, made);
  if (shown === undefined) return undefined;
  const claims = claimsOf(facts);
  const { ns, events } = claimed(facts.costs, claims);
  if (!isWorthTelling(facts, ns)) return undefined;
  const noReading = noReadingText(facts, made);
  return {
    title: 'A dataset in memory goes through the DataLoader',
    sentence: `Making batches meant copying rows together: ${lowerFirst(shown.text)}. The training loop waited ${formatDuration(ns)} for that.`,
    confidence: shown.basis === 'exact' ? 'possible' : 'likely',
    evidence: [shown, ...(noReading === undefined ? [] : [noReading])],
    hotThreads: makersOf(facts),
    claims,
    // A batch that was picked a moment ago may lie in the caches: copying it to the GPU can take next to nothing too.
    gain: { reach: 'waits', moreNs: claimed(facts.costs, isStaging).ns },
    fix: fixFor(facts),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'waited for batches still being copied'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

function readsFiles({ ns, byCause }: Production): boolean {
  return byCause.disk > ns * DISK_AT_MOST || byCause.sleeping > ns * SLEEP_AT_MOST;
}

function claimsOf({ workers }: RankFacts): (cell: CostCell) => boolean {
  return workers.length > 0
    ? inputCell('worker', 'running', 'sending')
    : inputCell('main', 'running', 'fault');
}

/** `undefined`: too few samples, or they show something else. */
function sampledCopying(facts: RankFacts): Evidence | undefined {
  const { count, byStage, picking } = loaderSamples(facts);
  const copying = [...byStage['default-collate'], ...picking];
  if (count < SAMPLES_AT_LEAST || copying.length < count * DOMINANT_SHARE) return undefined;
  return evidence(
    `${formatCount(copying.length)} of ${formatCount(count)} CPU samples of making batches were in PyTorch’s own collate and row picking`,
    'inferred',
    refsTo('cpu_sample', copying),
  );
}

function faultingCopies(facts: RankFacts, made: Production): Evidence | undefined {
  if (loaderSamples(facts).count >= SAMPLES_AT_LEAST) return undefined;
  const { faultsPerSecond, byCause, ns } = made;
  const isBusy = ns > 0 && byCause.running >= ns * DOMINANT_SHARE;
  if (!isBusy || faultsPerSecond < COPYING_FAULTS_PER_SECOND) return undefined;
  return evidence(
    `The workers took ${formatCount(Math.round(faultsPerSecond))} page faults in a second on a CPU, as copying into new memory does`,
    'exact',
  );
}

function noReadingText({ workers }: RankFacts, { ns, byCause }: Production): Evidence | undefined {
  if (workers.length === 0) return undefined;
  return evidence(
    `The workers waited for disks ${formatShare(byCause.disk, ns)} of that time: the data was in memory`,
    'exact',
  );
}

function fixFor(facts: RankFacts): Fix {
  return {
    title: 'Shuffle an index and slice the tensor, without a DataLoader',
    text: 'Where the data is one tensor or array that fits in memory, a shuffled index picks a whole batch in one operation: nothing is copied row by row, sent between processes or put together again. It does not fit where each sample is changed at random on its own.',
    before: `from torch.utils.data import TensorDataset

loader = DataLoader(TensorDataset(your_features, your_labels), batch_size=your_batch_size, shuffle=True, num_workers=${workersAtOnce(facts)})
for inputs, targets in loader:
    your_step(inputs, targets)`,
    after: `order = torch.randperm(len(your_features))  # anew in each epoch; torch.arange() where yours is not shuffled
for rows in order.split(your_batch_size):
    your_step(your_features[rows], your_labels[rows])`,
    language: 'python',
    sources: [
      investigation(
        '7 million rows of 100 numbers: 0.39 s by slicing, 48.49 s with DataLoader(shuffle=True), 43.29 s with 4 workers and pinned memory',
      ),
    ],
  };
}
