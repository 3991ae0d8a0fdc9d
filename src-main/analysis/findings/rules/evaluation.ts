import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { judgeHost } from '../facts/judge-host.ts';
import { hostActivity } from '../facts/needs.ts';
import type { Rule } from '../facts/rule.ts';
import { pytorchDocs } from '../facts/sources.ts';

/** Training waits while the model is evaluated. */
export const evaluation: Rule = { id: 'evaluation', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'evaluation',
    title: 'Training waits while the model is evaluated',
    doing: 'evaluating, outside of CUDA calls',
    fix: () => fix,
  });
}

const fix: Fix = {
  title: 'Evaluate in larger batches, on the GPU, and less often',
  text: 'Training stands still for all of it. Without gradients a batch may be larger, sums on the GPU need one look at the end, and a sample of the data tells as much between epochs. The whole set can be evaluated from a checkpoint, in a job of its own.',
  before: `def evaluate():
    right = 0
    for inputs, targets in DataLoader(dataset, batch_size=1):
        right += int(model(inputs.to(device)).argmax(1).cpu() == targets)
    return right / len(dataset)`,
  after: `def evaluate():
    right = torch.zeros((), device=device)
    with torch.inference_mode():
        for inputs, targets in DataLoader(dataset, batch_size=8 * batch_size):
            right += (model(inputs.to(device)).argmax(1) == targets.to(device)).sum()
    return right.item() / len(dataset)`,
  language: 'python',
  sources: [
    pytorchDocs(
      'inference_mode',
      'docs/stable/generated/torch.autograd.grad_mode.inference_mode.html',
    ),
  ],
};
