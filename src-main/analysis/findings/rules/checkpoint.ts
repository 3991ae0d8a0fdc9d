import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop stands still while it saves its state to a file. */
export const checkpoint: Rule = { id: 'checkpoint', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'checkpoint',
    title: 'The training loop stands still while it saves',
    doing: 'saving to files',
    fix: () => fix,
  });
}

const fix: Fix = {
  title: 'Save in the background: copy the state, then let a thread write it',
  text: 'Only the copy has to be made while the loop stands still. The file is written while the next steps run, under another name first, so that a half-written one is never taken for a checkpoint. A local disk is faster than a network one, and saving less often costs less. With PyTorch 2.3 or newer torch.distributed.checkpoint.async_save() does the same.',
  before: `for step, (inputs, targets) in enumerate(DataLoader(dataset, batch_size=batch_size)):
    optimizer.zero_grad()
    loss_fn(model(inputs.to(device)), targets.to(device)).backward()
    optimizer.step()
    if step % 4 == 0:
        torch.save(model.state_dict(), "model.pt")`,
  after: `from concurrent.futures import ThreadPoolExecutor

def write(state, path):
    torch.save(state, path + ".part")
    os.replace(path + ".part", path)

saver = ThreadPoolExecutor(1)
saved = None
for step, (inputs, targets) in enumerate(DataLoader(dataset, batch_size=batch_size)):
    optimizer.zero_grad()
    loss_fn(model(inputs.to(device)), targets.to(device)).backward()
    optimizer.step()
    if step % 4 == 0 and (saved is None or saved.done()):
        state = {name: value.detach().cpu().clone() for name, value in model.state_dict().items()}
        saved = saver.submit(write, state, "model.pt")
saver.shutdown()  # the last one has to be on disk before the job ends`,
  language: 'python',
  sources: [
    pytorchDocs(
      'Asynchronous saving with distributed checkpoint',
      'tutorials/recipes/distributed_async_checkpoint_recipe.html',
    ),
    { title: 'Linux: fsync(2)', url: 'https://man7.org/linux/man-pages/man2/fsync.2.html' },
  ],
};
