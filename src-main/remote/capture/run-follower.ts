import { modeSpec } from '../../shared/capture-modes/modes.ts';
import type { LiveFigures } from '../../shared/remote/run.ts';
import type { RunRecord } from '../state/run-record.ts';
import { type AgentLine, type AgentLineOf, parseAgentLine } from './agent-lines.ts';
import { addFinished, addProgress } from './live-figures.ts';
import { endOfError, endOfFinished, type RunEnd } from './run-end.ts';

const MOST_NOTICES = 50;

/** What is told of a run that is followed. */
export interface FollowerEvents {
  figures(live: LiveFigures): void;
  notice(level: string, text: string): void;
  /** A line of Python by which a running process comes in. */
  pastedLine(line: string): void;
  /** Once: it records no more, and its trace is whole. */
  ended(end: RunEnd): void;
  /** A command of ours that outlived its capture has ended. */
  jobEnded(exitCode: number | null): void;
}

/**
 * Makes figures, notices and the end of a run out of its lines, however often they are told anew: each
 * is taken once.
 */
export class RunFollower {
  readonly #record: Pick<RunRecord, 'request'>;
  readonly #events: FollowerEvents;
  readonly #noticed = new Set<string>();
  #live: LiveFigures | undefined;
  #end: RunEnd | undefined;
  #jobEnded = false;
  #badLines = 0;
  /** Of the last line `alive`. */
  #state: AgentLineOf<'alive'> | undefined;

  constructor(record: Pick<RunRecord, 'request'>, events: FollowerEvents) {
    this.#record = record;
    this.#events = events;
  }

  get end(): RunEnd | undefined {
    return this.#end;
  }

  get state(): AgentLineOf<'alive'> | undefined {
    return this.#state;
  }

  /** `undefined`: a line that could not be read. */
  take(text: string | undefined): AgentLine | undefined {
    const line = parseAgentLine(text);
    if (line === 'unknown') return undefined;
    if (line === 'bad') {
      this.#badLine();
      return undefined;
    }
    this.#takeLine(line);
    return line;
  }

  /** For an end that its lines don't tell. */
  finish(end: RunEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#events.ended(end);
  }

  #takeLine(line: AgentLine): void {
    switch (line.event) {
      case 'progress':
        this.#progress(line);
        break;
      case 'notice':
        this.#notice(line.level, line.text, `${line.time_unix_ns}`);
        break;
      case 'started':
        if (line.inside_line) this.#events.pastedLine(line.inside_line);
        this.#missingSources(line);
        break;
      case 'finished':
        this.#finished(line);
        break;
      case 'error':
        this.finish(endOfError(line));
        break;
      case 'target-exited':
        this.#targetExited(line);
        break;
      case 'alive':
        this.#state = line;
        break;
      case 'detached':
    }
  }

  #finished(line: AgentLineOf<'finished'>): void {
    if (this.#end !== undefined) return;
    this.#live = addFinished(this.#live, line, Date.now());
    this.#events.figures(this.#live);
    this.finish(endOfFinished(line, this.#record));
  }

  #progress(line: AgentLineOf<'progress'>): void {
    const live = addProgress(this.#live, line, Date.now());
    if (live === undefined || this.#end !== undefined) return;
    this.#live = live;
    this.#events.figures(live);
  }

  #targetExited(line: AgentLineOf<'target-exited'>): void {
    if (this.#jobEnded) return;
    this.#jobEnded = true;
    this.#events.jobEnded(line.exit_code);
  }

  /** What the mode that was chosen does not see has been said before it began. */
  #missingSources({ sources }: AgentLineOf<'started'>): void {
    if (modeSpec(this.#record.request.mode).limits !== undefined) return;
    for (const { name, wanted, available, detail } of sources)
      if (wanted && !available)
        this.#notice('warning', `${name.replaceAll('_', ' ')} can't be recorded: ${detail}`, '');
  }

  #notice(level: string, text: string, key: string): void {
    const id = `${key} ${text}`;
    if (this.#noticed.has(id) || this.#noticed.size >= MOST_NOTICES) return;
    this.#noticed.add(id);
    this.#events.notice(level, text);
  }

  #badLine(): void {
    this.#badLines++;
    if (this.#badLines > 1) return;
    this.#events.notice(
      'warning',
      'The host sent lines that the agent does not print; they are left out of the live view. The trace is not affected.',
    );
  }
}
