import type { Fix } from '../../../shared/answers/diagnosis.ts';

/** How a loop does not wait for somebody’s answer: what is shown, and who says so. */
export const askAhead: Pick<Fix, 'before' | 'after' | 'language' | 'sources'> = {
  before: `for step, batch in enumerate(your_loader):
    answer = your_request(step)  # the GPU waits for it
    your_step(batch, answer)`,
  after: `from concurrent.futures import ThreadPoolExecutor

asker = ThreadPoolExecutor(1)  # one thread: what is asked keeps its order
ahead = asker.submit(your_request, 0)
for step, batch in enumerate(your_loader):
    answer = ahead.result()
    if step + 1 < len(your_loader):
        ahead = asker.submit(your_request, step + 1)  # while this step is computed
    your_step(batch, answer)`,
  language: 'python',
  sources: [
    {
      title: 'Python: concurrent.futures',
      url: 'https://docs.python.org/3/library/concurrent.futures.html',
    },
  ],
};
