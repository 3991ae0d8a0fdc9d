import { cleanText } from '../text/text.ts';
import { plural } from '../text/units.ts';
import type { CaptureRequest } from './capture-request.ts';
import type { HostProcess } from './preflight.ts';

const LONGEST = 120;

/**
 * What a capture is of, in a few words: `train.py (pid 4242) and 6 more processes`, `python train.py …`,
 * `the whole machine`. It is kept, so nothing of a command's arguments is in it. `trees` are those of
 * the list the processes were chosen from.
 */
export function describeTarget(
  target: CaptureRequest['target'],
  trees: readonly HostProcess[] = [],
): string {
  switch (target.kind) {
    case 'machine':
      return 'the whole machine';
    case 'command':
      return describeCommand(target.line);
    case 'processes':
      return describeProcesses(target.pids, trees);
  }
}

/** What stands before a program and is none of interest. */
const BEFORE = /^(?:env|export|exec|nohup|time|\w+=.*)$/;
/** Commands that only make ready for the one that follows them, with plain words: `cd job &&`, `source venv/bin/activate;`. */
const READYING =
  /^\s*(?:(?:cd|source|\.)\s+[\w./~+-]+|conda\s+activate\s+[\w./~+-]+)\s*(?:;|&&)\s*/;
const SCRIPT = /^[^-=][^=]*\.(py|sh|jl|R|lua)$/;

function describeCommand(line: string): string {
  if (READYING.test(line)) return describeCommand(line.replace(READYING, ''));
  const words = line.trim().split(/\s+/);
  const begin = words.findIndex((word) => !BEFORE.test(word));
  const [program = '', ...rest] = begin < 0 ? [] : words.slice(begin);
  // A value in quotes may have blanks, and its words would be taken for programs.
  const isQuoted = /["'`\\]/.test(words.slice(0, begin).join(' '));
  if (isQuoted || !/^[\w./+-]+$/.test(program)) return 'a command';
  const script = rest.find((word) => SCRIPT.test(word));
  const shown = script === undefined ? [program] : [program, script];
  const names = shown.map((word) => word.split('/').at(-1) ?? word);
  const more = shown.length < rest.length + 1 ? ' …' : '';
  return `${cleanText(names.join(' '), LONGEST)}${more}`;
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
  const script = words.slice(1).find((word) => SCRIPT.test(word));
  return cleanText((script ?? name).split('/').at(-1) ?? name, LONGEST);
}
