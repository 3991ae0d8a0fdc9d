import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop works out figures on the CPU between two batches. */
export const hostMetrics: Rule = { id: 'host-metrics', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'host-metrics',
    title: 'The training loop works out figures on the CPU',
    doing: 'metrics and other figures on the CPU',
    fix: ({ place }) => fixFor(place),
  });
}

function fixFor(place: string | undefined): Fix {
  return {
    title: `Work out ${place === undefined ? 'the figures' : `what ${place} does`} on the GPU, and every hundred steps`,
    text: 'The GPU gets nothing new to do while the CPU computes. Sums that stay on the GPU cost next to nothing, and are read when they are shown. What has to be on the CPU can be done of one step in a hundred, or in a process of its own.',
    before: `scores = []
for inputs, targets in DataLoader(dataset, batch_size=batch_size):
    guesses = model(inputs.to(device)).argmax(1).cpu().numpy()
    scores.append(float(np.mean(guesses == targets.numpy())))
accuracy = sum(scores) / len(scores)`,
    after: `right = torch.zeros((), device=device)
seen = 0
for inputs, targets in DataLoader(dataset, batch_size=batch_size):
    guesses = model(inputs.to(device)).argmax(1)
    right += (guesses == targets.to(device)).sum()
    seen += len(targets)
accuracy = right.item() / seen`,
    language: 'python',
    sources: [
      pytorchDocs(
        'Performance tuning guide, on avoiding unnecessary CPU-GPU synchronization',
        'tutorials/recipes/recipes/tuning_guide.html',
      ),
    ],
  };
}
