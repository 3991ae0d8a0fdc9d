import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { filesInWorkers, loadingDocs } from './loader-fix.ts';

/** Where threads or other processes of the job make something for the loop, and make it too slowly. */
export const madeAheadFix: Fix = {
  title: 'Have the batches made ahead, by more processes, or make less for each',
  text: 'A thread of Python computes only while no other thread of the process does, the training loop included: what it computes belongs into a process. A DataLoader has workers for that, hands tensors over in shared memory and keeps batches ready; num_workers says how many, up to the CPUs that are free. Where all of them are busy, only less work helps: do once, before training, what is the same each time, and keep the result.',
  before: `import queue
import threading

ready = queue.Queue(maxsize=4)

def fill():
    for start in range(0, len(files), batch_size):
        ready.put(torch.stack([torch.from_numpy(decode(file)) for file in files[start:start + batch_size]]))
    ready.put(None)

threading.Thread(target=fill, daemon=True).start()
while (inputs := ready.get()) is not None:
    inputs = inputs.to(device)`,
  after: filesInWorkers,
  language: 'python',
  sources: [
    loadingDocs,
    {
      title: 'Python: concurrent execution, the global interpreter lock',
      url: 'https://docs.python.org/3/glossary.html#term-global-interpreter-lock',
    },
  ],
};
