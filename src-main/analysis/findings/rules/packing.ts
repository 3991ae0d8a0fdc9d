import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { RankFacts } from '../facts/facts.ts';
import { onlyPacks } from '../facts/saving-parts.ts';
import { pytorchDocs } from '../fixes/sources.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop stands still while it makes bytes of values, which never come to a file as far as is seen. */
export const packing: Rule = { id: 'packing', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  return judgeHost(facts, {
    kind: 'checkpoint',
    title: 'The training loop stands still while it packs what it sends or keeps',
    doing: 'making bytes of values (serialising)',
    isMeant: (work) => onlyPacks(facts, work),
    more: () => ({
      say: ['It was never seen to write a file meanwhile: the bytes are sent, or kept in memory.'],
      facts: [],
    }),
    fix: () => fix,
  });
}

const fix: Fix = {
  title: 'Share the memory with who needs the values, or pack a copy beside the loop',
  text: 'The time goes to making bytes of tensors or objects, not to sending or storing them. Another process on this machine needs no bytes: it can read the same memory, into which the loop copies the new values. It must have read them before the loop copies again: let it answer, and wait for the answer before the next copy. What goes to another machine or to a file can be packed by another process, from such a copy.',
  before: `import io

for step, batch in enumerate(your_loader):
    your_step(batch)
    if step % your_every == 0:
        buffer = io.BytesIO()
        torch.save(your_tensors_by_name(), buffer)
        your_connection.send_bytes(buffer.getvalue())`,
  after: `shared = {name: value.detach().cpu().clone().share_memory_() for name, value in your_tensors_by_name().items()}
your_connection.send(shared)  # once: the other process gets the same memory
for step, batch in enumerate(your_loader):
    your_step(batch)
    if step % your_every == 0:
        your_connection.recv()  # it has read what was there before
        for name, value in your_tensors_by_name().items():
            shared[name].copy_(value)
        your_connection.send("new values")`,
  language: 'python',
  sources: [
    pytorchDocs('torch.multiprocessing: sharing tensors', 'docs/stable/multiprocessing.html'),
    pytorchDocs('Multiprocessing best practices', 'docs/stable/notes/multiprocessing.html'),
  ],
};
