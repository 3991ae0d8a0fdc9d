import type { Fix } from '../../../shared/answers/diagnosis.ts';

/**
 * A function of the job’s that the loop does not wait for: a process of its own computes it, and the loop takes the result a step
 * later. `call`: the function; `turn`: the line below which it is done, where that is not at every step.
 */
export function besideLoop(
  call: string,
  turn = '',
): Pick<Fix, 'before' | 'after' | 'language' | 'sources'> {
  const enumerated = turn === '' ? 'batch in your_loader' : 'step, batch in enumerate(your_loader)';
  const [inner, head] = turn === '' ? ['    ', ''] : ['        ', `    ${turn}\n`];
  return {
    before: `for ${enumerated}:
    your_step(batch)
${head}${inner}your_use_of(${call}(your_values))  # the GPU waits for it`,
    after: `import os
from concurrent.futures import ProcessPoolExecutor

aside = ProcessPoolExecutor(1)
aside.submit(os.getpid).result()  # its process starts here, before anything uses CUDA
late = None
for ${enumerated}:
    your_step(batch)
${head}${inner}if late is not None:
${inner}    your_use_of(late.result())  # of the time before
${inner}late = aside.submit(${call}, your_values)  # arrays and numbers: nothing on the GPU
if late is not None:
    your_use_of(late.result())
aside.shutdown()`,
    language: 'python',
    sources: [
      {
        title: 'Python: concurrent.futures',
        url: 'https://docs.python.org/3/library/concurrent.futures.html',
      },
    ],
  };
}

/** What `besideLoop` asks of the function, and what changes with it: for the text of a fix. */
export const BESIDE_LOOP =
  'As below, another process computes it while the loop goes on, and the loop takes each result a step later, in the same order. What is sent there are arrays or numbers, as .cpu().numpy() of a tensor. One that is called many times a step does too little for that each time: send away what calls it. What this step itself needs cannot be late: compute that on the GPU, for the whole batch at once, or less of it.';
