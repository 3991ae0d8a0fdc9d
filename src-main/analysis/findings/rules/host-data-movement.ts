import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { filesInWorkers, loadingDocs } from '../fixes/loader-fix.ts';
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
    fix: ({ place }) => (hasLoader(facts) ? fixFor(place) : loaderFix(place)),
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
    text: 'While the loop prepares the next batch, the GPU has nothing to do. The workers of a DataLoader prepare batches in processes of their own while the GPU computes the one before. Where most of the time is in NumPy, OpenCV or other native code that lets go of Python’s lock, a thread with a short queue is enough.',
    before: `for start in range(0, len(files), batch_size):
    inputs = torch.stack([torch.from_numpy(decode(file)) for file in files[start:start + batch_size]])
    inputs = inputs.to(device)`,
    after: filesInWorkers,
    language: 'python',
    sources: [loadingDocs],
  };
}

function fixFor(place: string | undefined): Fix {
  return {
    title: `Do ${place === undefined ? 'this' : `what ${place} does`} in the workers or on the GPU`,
    text: 'Whatever is done to a batch in the training loop, the GPU waits for. In collate_fn the workers do it for batches that are not needed yet, and pin_memory=True pins them in a thread. A change of type or of order is faster on the GPU, and a smaller type is copied faster.',
    before: `for inputs, targets in DataLoader(dataset, batch_size=batch_size):
    inputs = ((inputs.double() - 0.5) / 0.25).float().contiguous()
    loss_fn(model(inputs.to(device)), targets.to(device)).backward()`,
    after: `loader = DataLoader(dataset, batch_size=batch_size, num_workers=num_workers, pin_memory=torch.cuda.is_available())
for inputs, targets in loader:
    inputs = inputs.to(device, non_blocking=True)
    inputs = (inputs - 0.5) / 0.25
    loss_fn(model(inputs), targets.to(device, non_blocking=True)).backward()`,
    language: 'python',
    sources: [
      pytorchDocs('pin_memory() and non_blocking', 'tutorials/intermediate/pinmem_nonblock.html'),
    ],
  };
}
