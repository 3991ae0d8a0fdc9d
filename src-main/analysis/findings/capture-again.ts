import { captureModes, modeSpec } from '../../shared/capture-modes/modes.ts';
import { profileSpecs } from '../../shared/capture-modes/profiles.ts';
import type { ProcessInfo, Trace } from '../../shared/model/trace.ts';
import { defaultCapture } from '../../shared/remote/capture-request.ts';
import { shellWord } from '../../shared/text/shell-word.ts';
import { cleanText } from '../../shared/text/text.ts';

const SECOND_NS = 1e9;
/** What nobody can read is not repeated, nor what would be cut where it is shown. */
const MOST_CHARACTERS = 2_000;
/** What the agent writes in the place of a secret: a command with it would start the job with a wrong one. */
const SECRET = '[redacted]';

/**
 * The command line of a second capture: as much is recorded as in this trace, for at least as long, of what was recorded
 * then. What the trace does not say stands in capitals, for the user to fill in.
 */
export function captureAgain(trace: Trace, process: number): string {
  const { options, target } = splitArguments(trace.meta.agentArguments ?? []);
  const seconds = Math.max(defaultCapture.durationS, Math.ceil(trace.meta.lengthNs / SECOND_NS));
  return [
    `stalltrace capture HOST --duration ${seconds}s`,
    ...profilesOf(trace),
    ...repeatedOptions(options),
    ...targetWords(trace, process, options, target),
  ].join(' ');
}

function splitArguments(words: readonly string[]): {
  readonly options: readonly string[];
  /** The words after `--`; undefined where there is none. */
  readonly target: readonly string[] | undefined;
} {
  const at = words.indexOf('--');
  return at < 0
    ? { options: words, target: undefined }
    : { options: words.slice(0, at), target: words.slice(at + 1) };
}

function profilesOf(trace: Trace): string[] {
  const wanted = profileSpecs.filter(({ source }) =>
    trace.capabilities.some(({ name, available }) => name === source && available),
  );
  return wanted.length === 0 ? [] : [`--profile ${wanted.map(({ id }) => id).join(',')}`];
}

/** The options of the agent that change what is recorded, as `stalltrace capture` has them. */
function repeatedOptions(options: readonly string[]): string[] {
  const isSet = (option: string) => options.includes(option);
  const wordAfter = (option: string) => options[options.indexOf(option) + 1] ?? '';
  const samples = isSet('--samples') ? wordAfter('--samples') : '';
  const isUsual = samples === String(defaultCapture.samplesHz);
  return [
    ...(/^\d{1,3}$/.test(samples) && !isUsual ? [`--samples ${samples}`] : []),
    ...modeOption(options),
    ...(isSet('--no-inside') && !isSet('--no-bpf') ? ['--gpu-records off'] : []),
    ...(isSet('--no-cupti') ? ['--gpu-records no-cupti'] : []),
    ...(/^(copies|none)$/.test(wordAfter('--gpu-records'))
      ? [`--gpu-records ${wordAfter('--gpu-records')}`]
      : []),
    ...(isSet('--remote-python') ? ['--remote-python'] : []),
  ];
}

/** The mode whose words for the agent were all said: of several the one with most of them. */
function modeOption(options: readonly string[]): string[] {
  const [mode] = captureModes
    .map(modeSpec)
    .filter(({ agentArguments: words }) => words.every((word) => options.includes(word)))
    .sort((a, b) => b.agentArguments.length - a.agentArguments.length);
  return mode?.choice === undefined ? [] : [`--${mode.choice.option}`];
}

function targetWords(
  trace: Trace,
  process: number,
  options: readonly string[],
  command: readonly string[] | undefined,
): string[] {
  const pids = options.filter((word) => word === '--pid').length;
  if (command !== undefined) return commandTarget(command) ?? ['-- COMMAND…'];
  if (options.includes('--all')) return ['--all'];
  // A job that is started again has another number.
  if (pids > 0 && !options.includes('--from-exec'))
    return [pids === 1 ? '--pid PID' : '--pid PID…'];
  const line = commandLineOf(trace, process);
  return line === undefined ? ['-- COMMAND…'] : [...folderOf(line.split(' ')), `-- ${line}`];
}

/** `/bin/sh -c 'cd …' sh FOLDER`: how the app has a command run in a folder. */
const IN_FOLDER = 5;

/** What `stalltrace capture` was told, where it was that; else the words as the agent was given them. */
function commandTarget(words: readonly string[]): string[] | undefined {
  const isInFolder = words[0] === '/bin/sh' && words[1] === '-c' && words[3] === 'sh';
  const line = shellLine(isInFolder ? words.slice(IN_FOLDER) : words);
  const told =
    line === undefined
      ? [...folderOf(words), `-- ${words.map(shellWord).join(' ')}`]
      : [...(isInFolder ? [`--folder ${shellWord(words[4])}`] : []), ...line];
  const text = told.join(' ');
  const isShown = cleanText(text, MOST_CHARACTERS) === text;
  return isShown && !text.includes(SECRET) ? told : undefined;
}

/** A line for the login shell, with what is set for it: `env NAME=VALUE… /bin/bash -lc LINE`. */
function shellLine(words: readonly string[]): string[] | undefined {
  const [option, line] = words.slice(-2);
  const before = words.slice(0, -2);
  if (option !== '-lc' || before.length === 0) return undefined;
  if (before.length > 1 && before[0] !== 'env') return undefined;
  return [...before.slice(1, -1).map((set) => `--env ${shellWord(set)}`), `-- ${shellWord(line)}`];
}

/** Of what was started by the agent itself nobody wrote down in which folder: `train.py` is in there. */
const RELATIVE = /^(?![-/~])([^=]*\/|[^=]*\.[A-Za-z]\w{0,5}$)/;

function folderOf(words: readonly string[]): string[] {
  return words.some((word) => RELATIVE.test(word)) ? ['--folder DIR'] : [];
}

/**
 * Its arguments are joined by blanks in a trace: of what has other characters nobody knows how it was quoted. An argument with a
 * blank in it looks like two, and becomes two.
 */
const PLAIN_LINE = /^[\w@%+=:,./ -]+$/;

/** The command line of the job: of what launched it, where that is known. */
function commandLineOf({ processes }: Trace, process: number): string | undefined {
  let job: ProcessInfo | undefined = processes[process];
  for (let above = job; above !== undefined; above = processes[above.parent])
    if (above.role === 'launcher' && above.commandLine !== undefined) job = above;
  const line = job?.commandLine ?? '';
  return PLAIN_LINE.test(line) && line.length <= MOST_CHARACTERS ? line.trim() : undefined;
}
