import type { Fix } from '../../../shared/answers/diagnosis.ts';

/** How a loop does not wait for somebody’s answer: what is shown, and who says so. */
export const askAhead: Pick<Fix, 'before' | 'after' | 'language' | 'sources'> = {
  before: `def ask(step):
    return torch.rand(8)  # a request, and a wait for its answer

def tell(values):
    return len(values)  # another one, whose answer nobody needs

for step in range(8):
    answer = ask(step)
    loss = model(answer.to(device)).mean()
    tell([float(loss)])`,
  after: `from concurrent.futures import ThreadPoolExecutor

def ask(step):
    return torch.rand(8)  # a request, and a wait for its answer

def tell(values):
    return len(values)  # another one, whose answer nobody needs

losses = []
with ThreadPoolExecutor(2) as others:
    ahead = others.submit(ask, 0)
    for step in range(8):
        answer = ahead.result()
        ahead = others.submit(ask, step + 1)  # while this step is computed
        losses.append(model(answer.to(device)).mean().detach())
        if len(losses) == 4:  # or a hundred: one request for all of them, and nobody waits for it
            others.submit(tell, torch.stack(losses).tolist())
            losses = []`,
  language: 'python',
  sources: [
    {
      title: 'Python: concurrent.futures',
      url: 'https://docs.python.org/3/library/concurrent.futures.html',
    },
  ],
};
