import type { Events } from '../../contract/contract.ts';
import type { Run, RunPhase } from '../../shared/remote/run.ts';
import { cleanText } from '../../shared/text/text.ts';
import { runLine } from '../texts/live-line.ts';
import type { HostSession } from './remote-session.ts';

interface Followed {
  /** `ended`: there is a trace to bring back. `left`: by the user. `lost`: nobody can follow it now. */
  readonly how: 'ended' | 'left' | 'lost';
  readonly run: Run;
}

const RECORDING: ReadonlySet<RunPhase> = new Set(['starting', 'recording', 'stopping']);

/**
 * Shows a capture until it has ended. The first Ctrl+C ends it, the second leaves it running, as do a
 * polite kill and a terminal that is closed.
 */
export function followRun(session: HostSession, started: Run): Promise<Followed> {
  return new Promise((resolve) => new Following(session, started, resolve).begin());
}

class Following {
  readonly #session: HostSession;
  readonly #resolve: (followed: Followed) => void;
  readonly #told = new Set<string>();
  #run: Run;
  #isOver = false;
  /** Until it has ended, the capture is in other hands. */
  #isStopping = false;

  constructor(session: HostSession, started: Run, resolve: (followed: Followed) => void) {
    this.#session = session;
    this.#run = started;
    this.#resolve = resolve;
  }

  begin(): void {
    const { app, context, interrupts, speaker } = this.#session;
    app.onEvent((name, payload) => {
      if (this.#isOver) return;
      if (name === 'remote.link') this.#linkChanged(payload as Events['remote.link']);
      if (name !== 'remote.run' || (payload as Run).id !== this.#run.id) return;
      if (speaker.json) speaker.say('', { event: 'run', run: payload });
      this.#look(payload as Run);
    });
    interrupts.onInterrupt(() => void this.#stop());
    const leave = () => this.#end('left');
    context.signal.addEventListener('abort', leave, { once: true });
    if (context.signal.aborted) leave();
    else this.#look(this.#run);
  }

  #look(run: Run): void {
    if (this.#isOver) return;
    const { speaker } = this.#session;
    this.#run = run;
    for (const { level, text } of run.notices.filter((notice) => !this.#told.has(notice.text))) {
      this.#told.add(text);
      const line = `${cleanText(level, 20)}: ${cleanText(text, 1000)}`;
      speaker.say(line, { event: 'notice', level, text });
    }
    if (RECORDING.has(run.phase)) speaker.show(runLine(run));
    else if (!this.#isStopping) this.#end('ended');
  }

  #linkChanged({ connection, state }: Events['remote.link']): void {
    if (connection !== this.#session.connection || state.kind === 'connected') return;
    const isFirst = state.kind === 'closed' || state.attempt === 1;
    const goesOn = state.kind === 'closed' ? '.' : '; reconnecting …';
    const sentence = `${cleanText(state.why, 500)} Still recording there${goesOn}`;
    if (isFirst) this.#session.speaker.say(sentence, { event: 'link', state });
    if (state.kind === 'closed') this.#end('lost');
  }

  async #stop(): Promise<void> {
    const { app, context, interrupts, speaker } = this.#session;
    speaker.say('Stopping; Ctrl+C again leaves it running.', { event: 'stopping' });
    interrupts.onInterrupt(() => this.#end('left'));
    this.#isStopping = true;
    const stopped = await app.handlers['remote.stop']({ run: this.#run.id }, context);
    this.#isStopping = false;
    if (!stopped.ok && !this.#isOver)
      speaker.say(stopped.error.message, { event: 'not-stopped', error: stopped.error });
    this.#look(stopped.ok ? stopped.value : this.#run);
  }

  #end(how: Followed['how']): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#session.interrupts.onInterrupt(undefined);
    this.#resolve({ how, run: this.#run });
  }
}
