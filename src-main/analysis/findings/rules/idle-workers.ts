import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, plural } from '../../../shared/text/units.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { windowNs } from '../facts/job-shape.ts';
import { inputCell } from '../facts/loader-work.ts';
import { batchesOf, unevenWorkers } from '../facts/uneven-workers.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { completeSwitches } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** Share of the time from which TraceML warns of waiting for input. */
const INPUT_AT_LEAST = 0.1;
const claims = inputCell('worker', 'running', 'sleeping', 'disk', 'lock');

/** Some workers of a loader get next to nothing to do while the loop waits for the others. */
export const idleWorkers: Rule = { id: 'idle-workers', needs: [completeSwitches], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const [shared] = unevenWorkers(facts);
  const { ns, events } = claimed(facts.costs, claims);
  if (shared === undefined || ns < windowNs(facts) * INPUT_AT_LEAST) return undefined;
  const { all, busy, batches } = shared;
  const idle = all - busy.length;
  const who = `${idle} of the ${all} DataLoader workers`;
  const others = busy.length === 1 ? 'the other one' : `the other ${busy.length}`;
  const text = `${who} made ${batches === 0 ? 'no batch' : plural(batches, 'batch', 'batches')}, ${others} made ${formatCount(batchesOf(busy))}`;
  const shown = evidence(text, 'exact', events);
  return {
    title: `${who} ${idle === 1 ? 'has' : 'have'} nothing to do`,
    sentence: `${text}. What ${idle === 1 ? 'the idle one was' : 'the idle ones were'} to read was nothing, or soon used up. The training loop waited ${formatDuration(ns)} for workers meanwhile.`,
    confidence: 'likely',
    evidence: [shown],
    claims,
    claimShare: idle / all,
    gain: { reach: 'waits', cpus: facts.cpus.usable },
    fix: fixFor(all),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'waited for batches still being made'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

function fixFor(all: number): Fix {
  const loader = `loader = DataLoader(YourDataset(), batch_size=your_batch_size, num_workers=${all}, **your_options)`;
  return {
    title: 'Give every worker a share of the data',
    text: `Where whole files are shared out, there have to be at least as many as workers: write the data into more of them (\`to_iterable_dataset(num_shards=${all})\` of Hugging Face datasets, more tar files of WebDataset). Or let every worker go through all files and prepare every n-th sample, as below: that helps where preparing takes longer than reading. Where neither is possible, fewer workers do the same and take less memory.`,
    before: `from torch.utils.data import IterableDataset, get_worker_info

class YourDataset(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        for file in your_files[info.id :: info.num_workers]:  # with one file, worker 0 has all
            yield from your_read(file)

${loader}`,
    after: `from torch.utils.data import IterableDataset, get_worker_info

class YourDataset(IterableDataset):
    def __iter__(self):
        info = get_worker_info()
        for file in your_files:
            for number, sample in enumerate(your_read(file)):
                if number % info.num_workers == info.id:  # each worker has its share of the samples
                    yield sample  # prepare it here, after that

${loader}`,
    language: 'python',
    sources: [
      pytorchDocs('IterableDataset', 'docs/stable/data.html#torch.utils.data.IterableDataset'),
    ],
  };
}
