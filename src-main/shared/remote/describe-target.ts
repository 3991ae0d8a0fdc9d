import { cleanText } from '../text.ts';
import { plural } from '../units.ts';
import type { CaptureRequest } from './capture-request.ts';
import type { HostProcess } from './preflight.ts';

const LONGEST = 120;

/**
 * What a capture is of, in a few words: `train.py (pid 4242) and 6 more processes`, `python train.py`,
 * `the whole machine`. `trees` are those of the list the processes were chosen from.
 */
export function describeTarget(
  target: CaptureRequest['target'],
  trees: readonly HostProcess[] = [],
): string {
  switch (target.kind) {
    case 'machine':
      return 'the whole machine';
    case 'command':
      return cleanText(target.line.replaceAll(/\s+/g, ' ').trim(), LONGEST);
    case 'processes':
      return describeProcesses(target.pids, trees);
  }
}

function describeProcesses(pids: readonly number[], trees: readonly HostProcess[]): string {
  const all = new Map(trees.flatMap(flatten).map((process) => [process.pid, process]));
  const [first = 0] = pids;
  const chosen = pids.flatMap((pid) => {
    const process = all.get(pid);
    return process === undefined ? [pid] : flatten(process).map((each) => each.pid);
  });
  const others = new Set(chosen).size - 1;
  const process = all.get(first);
  const name = process === undefined ? `pid ${first}` : `${programOf(process)} (pid ${first})`;
  return others > 0 ? `${name} and ${plural(others, 'more process', 'more processes')}` : name;
}

function flatten(process: HostProcess): readonly HostProcess[] {
  return [process, ...process.children.flatMap(flatten)];
}

/** The script that an interpreter runs says more than the interpreter's name. */
export function programOf({
  name,
  commandLine,
}: Pick<HostProcess, 'name' | 'commandLine'>): string {
  const words = commandLine.split(/\s+/);
  const script = words.slice(1).find((word) => /^[^-].*\.(py|sh|jl|R|lua)$/.test(word));
  return cleanText((script ?? name).split('/').at(-1) ?? name, LONGEST);
}
