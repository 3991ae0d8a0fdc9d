import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { workersOption } from '../facts/job-shape.ts';
import { batchesInWorkers, loadingDocs } from '../fixes/loader-fix.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training thread itself copies, converts or puts together the batch before it goes to the GPU. */
export const hostDataMovement: Rule = { id: 'host-data-movement', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'host-data-movement',
    title: 'The training thread itself gets each batch ready for the GPU',
    doing: 'copying, converting or putting together batches on the CPU',
    fix: ({ place }) => (hasLoader(facts) ? fixFor(facts, place) : loaderFix(place)),
  });
}

/** Whether something makes batches for it. Batches of a loader without workers are input too. */
function hasLoader({ workers, steps }: RankFacts): boolean {
  return workers.length > 0 || steps.total.input > 0;
}

/** For a loop that reads and prepares what it gives to the GPU by itself. */
function loaderFix(place: string | undefined): Fix {
  return {
    title: `Let workers do ${place === undefined ? 'this' : `what ${place} does`}, ahead of the loop`,
    text: 'While the loop prepares the next batch, the GPU has nothing to do. The workers of a DataLoader prepare batches in processes of their own while the GPU computes the one before. Where most of the time is in NumPy, OpenCV or other native code that lets go of Python’s lock, a thread with a short queue is enough. What is drawn at random is drawn in the workers then, each with a seed of its own.',
    before: `for part in your_parts:
    your_step(your_make(part))  # the GPU waits for it`,
    after: batchesInWorkers,
    language: 'python',
    sources: [loadingDocs],
  };
}

function fixFor(facts: RankFacts, place: string | undefined): Fix {
  return {
    title: `Do ${place === undefined ? 'this' : `what ${place} does`} in the workers or on the GPU`,
    text: 'Whatever is done to a batch in the training loop, the GPU waits for. In collate_fn the workers do it for batches that are not needed yet, and pin_memory=True pins them in a thread. What it draws at random is drawn in the workers then. A change of type or of order is faster on the GPU, and a smaller type is copied faster.',
    before: `for batch in your_loader:
    your_step(your_make(batch))  # the GPU waits for it`,
    after: `def made_in_worker(samples):
    return your_make(your_collate(samples))  # while the GPU computes

loader = DataLoader(your_dataset, batch_size=your_batch_size, ${workersOption(facts)}, collate_fn=made_in_worker, pin_memory=torch.cuda.is_available(), **your_options)
for batch in loader:
    your_step(batch)`,
    language: 'python',
    sources: [
      pytorchDocs('pin_memory() and non_blocking', 'tutorials/intermediate/pinmem_nonblock.html'),
    ],
  };
}
