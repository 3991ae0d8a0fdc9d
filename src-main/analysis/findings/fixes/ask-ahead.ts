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

losses, told = [], []
with ThreadPoolExecutor(2) as others:
    ahead = others.submit(ask, 0)
    for step in range(8):
        answer = ahead.result()
        if step + 1 < 8:
            ahead = others.submit(ask, step + 1)  # while this step is computed
        losses.append(model(answer.to(device)).mean().detach())
        if len(losses) == 3 or step == 7:  # or a hundred: one request for all, nobody waits for it
            told.append(others.submit(tell, torch.stack(losses).tolist()))
            losses = []
for each in told:
    each.result()  # raises what was raised in the thread`,
  language: 'python',
  sources: [
    {
      title: 'Python: concurrent.futures',
      url: 'https://docs.python.org/3/library/concurrent.futures.html',
    },
  ],
};
