import type { Run, RunPhase } from '../../src-main/shared/remote/run.ts';
import { cleanText, shortenMiddle } from '../../src-main/shared/text/text.ts';
import { formatBytes, plural } from '../../src-main/shared/text/units.ts';
import { clockText } from './clock-text.ts';

/** What a screen calls each phase of a capture. */
export const phaseLabels: Readonly<Record<RunPhase, string>> = {
  starting: 'Starting',
  recording: 'Recording',
  stopping: 'Stopping',
  recorded: 'On the host',
  bringing: 'Coming back',
  brought: 'In the library',
  cleaned: 'Done',
  abandoned: 'Abandoned',
};

const HOST_LENGTH = 40;

/** A host's or a job's name, harmless and short enough for a sentence. */
export const shortWords = (text: string, most = HOST_LENGTH) =>
  shortenMiddle(cleanText(text), most);

/** Whether the recorder is at work. */
export const isRecording = ({ phase }: Pick<Run, 'phase'>) =>
  phase === 'starting' || phase === 'recording' || phase === 'stopping';

/** Whether its trace is on the host, whole, and not here. */
export const isWaiting = ({ phase }: Pick<Run, 'phase'>) =>
  phase === 'recorded' || phase === 'bringing';

/** Whether something of it may still stand on its host, with nothing more to bring back. */
export const isLeftOver = ({ phase, bytesOnHost }: Pick<Run, 'phase' | 'bytesOnHost'>) =>
  phase === 'brought' && bytesOnHost !== 0;

/** Whether anything is still to be done about it. */
export const isUnfinished = (run: Run) => isRecording(run) || isWaiting(run) || isLeftOver(run);

/**
 * How long it has recorded, in seconds. Between two lines of the recorder the clock goes on; where the
 * link is lost that is what it should be by now.
 */
export function elapsedS(run: Run, nowMs: number): number {
  const { live, phase, durationS } = run;
  if (live === undefined)
    return phase === 'recording'
      ? Math.min(durationS, Math.max(0, nowMs - Date.parse(run.startedAt)) / 1000)
      : 0;
  const heard = live.elapsedNs / 1e9;
  if (phase !== 'recording') return heard;
  return Math.min(Math.max(heard, durationS), heard + Math.max(0, nowMs - live.heardAtMs) / 1000);
}

/** One line of the strip that every screen shows while captures are somewhere. */
export interface StripItem {
  readonly key: 'recording' | 'waiting' | 'left';
  readonly text: string;
  /** The capture it leads to. */
  readonly run: Run;
}

function hostsOf(runs: readonly Run[]): string {
  const hosts = [...new Set(runs.map(({ host }) => shortWords(host)))];
  if (hosts.length <= 2) return hosts.join(' and ');
  return `${hosts.length} hosts`;
}

/** What captures are doing on their hosts, newest first: at most one line for each kind. */
export function stripItems(runs: readonly Run[], nowMs: number): StripItem[] {
  const recording = runs.filter(isRecording);
  const waiting = runs.filter(isWaiting);
  const left = runs.filter(isLeftOver);
  const item = (
    key: StripItem['key'],
    of: readonly Run[],
    words: (first: Run, count: string) => string,
  ): StripItem[] => {
    const [run] = of;
    if (run === undefined) return [];
    return [{ key, run, text: words(run, plural(of.length, 'capture')) }];
  };
  const verb = (of: readonly Run[], one: string, many: string) => (of.length === 1 ? one : many);
  return [
    ...item('recording', recording, (first, count) => {
      const alone = recording.length === 1;
      const host = hostsOf(recording);
      // What is not heard of is not known: only what was heard last.
      if (alone && (first.link === 'reconnecting' || first.link === 'lost'))
        return `The link to ${host} is lost; its capture goes on by itself`;
      const time = alone ? ` · ${clockText(elapsedS(first, nowMs))}` : '';
      return `${count} ${verb(recording, 'records', 'record')} on ${host}${time}`;
    }),
    ...item('waiting', waiting, (first, count) => {
      if (waiting.length === 1 && first.phase === 'bringing') {
        const { transfer } = first;
        const share =
          transfer === undefined || transfer.totalBytes === 0
            ? ''
            : ` · ${Math.floor((100 * transfer.doneBytes) / transfer.totalBytes)} %`;
        return `1 capture comes back from ${hostsOf(waiting)}${share}`;
      }
      return `${count} ${verb(waiting, 'waits', 'wait')} on ${hostsOf(waiting)} to be brought back`;
    }),
    ...item('left', left, (first) => {
      const bytes = left.length === 1 ? first.bytesOnHost : undefined;
      const what = bytes === undefined ? 'Something of ours' : formatBytes(bytes);
      return `${what} is still on ${hostsOf(left)}, to be cleaned up`;
    }),
  ];
}
