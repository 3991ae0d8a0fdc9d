import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { batchesInWorkers, loadingDocs } from './loader-fix.ts';

/** Where threads or other processes of the job make something for the loop, and make it too slowly. */
export const madeAheadFix: Fix = {
  title: 'Have the batches made ahead, by more processes, or make less for each',
  text: 'A thread of Python computes only while no other thread of the process does, the training loop included: what it computes belongs into a process. A DataLoader has workers for that, hands tensors over in shared memory and keeps batches ready; num_workers says how many, up to the CPUs that are free. Where all of them are busy, only less work helps: do once, before training, what is the same each time, and keep the result. What is drawn at random is drawn in the workers then, each with a seed of its own.',
  before: `import queue
import threading

ready = queue.Queue(maxsize=4)

def fill():
    for part in your_parts:
        ready.put(your_make(part))  # takes turns with the loop
    ready.put(None)

threading.Thread(target=fill, daemon=True).start()
for batch in iter(ready.get, None):
    your_step(batch)`,
  after: batchesInWorkers,
  language: 'python',
  sources: [
    loadingDocs,
    {
      title: 'Python: concurrent execution, the global interpreter lock',
      url: 'https://docs.python.org/3/glossary.html#term-global-interpreter-lock',
    },
  ],
};
