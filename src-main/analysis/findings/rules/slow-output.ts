import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { plural } from '../../../shared/text/units.ts';
import { type HostWork, joinedWork } from '../../host/host-parts.ts';
import { makesText } from '../../host/text-of-values.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { processText } from '../facts/job-shape.ts';
import { DOMINANT_SHARE } from '../facts/loader-work.ts';
import { wakersOf, workOfThread } from '../facts/thread-work.ts';
import { judgeHost, worksOf } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop waits until somebody has read what it prints or logs, or works on its lines itself. */
export const slowOutput: Rule = { id: 'slow-output', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  const isText = isMostlyText(facts);
  return judgeHost(facts, {
    kind: 'slow-output',
    title: isText
      ? 'The training loop makes values into text'
      : 'The training loop waits for its own output',
    doing: isText ? 'making tensors and other values into text' : 'printing and logging',
    more: (work) => readerOf(facts, work),
    fix: () => (isText ? textFix : fix),
  });
}

/** Whether most of that time is CPU time in which tensors and other values became text, to be shown or not. */
function isMostlyText(facts: RankFacts): boolean {
  const work = joinedWork(worksOf(facts).filter(({ kind }) => kind === 'slow-output'));
  if (work === undefined) return false;
  const { isSample, row, ns } = facts.host.evidence;
  const { stack } = facts.trace.tables.cpu_sample.columns;
  const text = makesText(facts.trace);
  const making = work.at.filter((at) => isSample[at] === 1 && text[stack?.[row[at]] ?? NONE] === 1);
  const makingNs = making.reduce((sum, at) => sum + ns[at], 0);
  return makingNs > 0 && makingNs >= work.ns * DOMINANT_SHARE;
}

/** Who reads so slowly, and what it did meanwhile. */
function readerOf(facts: RankFacts, work: HostWork) {
  const [peer] = wakersOf(facts, work);
  const { process = -1 } = facts.trace.threads[peer?.thread ?? -1] ?? {};
  if (peer === undefined || process === facts.rank.process) return { say: [], facts: [] };
  const name = processText(facts.trace, process);
  const did = workOfThread(facts, peer.thread, peer.spans);
  const meanwhile = did === undefined ? '' : `; meanwhile that was ${did}`;
  const text = `${name} took the lines away and so ended ${plural(peer.rows.length, 'wait')}`;
  return {
    say: [`It is read by ${name}${meanwhile}.`],
    facts: [evidence(text, 'exact', refsTo('off_cpu', peer.rows))],
  };
}

const textFix: Fix = {
  title: 'Make text only of what is shown, and of few values',
  text: 'An f-string makes its text at once, whether a line is written or not. A logger that is given the values makes it only where its level lets the line through. A tensor as text takes far longer than its mean or its shape, which tell as much. One line in a hundred steps is enough.',
  before: `for step, batch in enumerate(your_loader):
    outputs = your_step(batch)
    your_log.debug(f"step {step}: {outputs}")  # made into text, and thrown away`,
  after: `for step, batch in enumerate(your_loader):
    outputs = your_step(batch)
    your_log.debug("step %d: %s", step, outputs)  # made into text only where debug lines are shown`,
  language: 'python',
  sources: [
    {
      title: 'Python: Logging HOWTO, optimization',
      url: 'https://docs.python.org/3/howto/logging.html#optimization',
    },
  ],
};

const fix: Fix = {
  title: 'Hand lines to a queue, and let a thread write them; write fewer',
  text: 'A write to a pipe, a terminal or a socket lasts until its reader has made room. A queue takes the line at once, and a thread waits in place of the loop. Lines of print() have to become lines of a logger for that. A progress bar needs no line at every step: tqdm(mininterval=5), or one line in a hundred steps. Where the reader is your own, let it read larger pieces.',
  before: `for step, batch in enumerate(your_loader):
    your_step(batch)
    your_log.info("step %d", step)  # waits until there is room`,
  after: `import queue
from logging.handlers import QueueHandler, QueueListener

lines = queue.Queue()
writer = QueueListener(lines, *your_log.handlers, respect_handler_level=True)
your_log.handlers = [QueueHandler(lines)]  # from here on a thread writes what the loop logs
writer.start()
for step, batch in enumerate(your_loader):
    your_step(batch)
    your_log.info("step %d", step)
writer.stop()  # writes what is left`,
  language: 'python',
  sources: [
    {
      title: 'Python: Logging cookbook, dealing with handlers that block',
      url: 'https://docs.python.org/3/howto/logging-cookbook.html#dealing-with-handlers-that-block',
    },
    {
      title: 'Linux: pipe(7), pipe capacity',
      url: 'https://man7.org/linux/man-pages/man7/pipe.7.html',
    },
  ],
};
