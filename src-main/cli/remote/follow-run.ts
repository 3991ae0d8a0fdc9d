import type { LinkState } from '../../shared/remote/connection.ts';
import type { Run, RunPhase } from '../../shared/remote/run.ts';
import { cleanText } from '../../shared/text.ts';
import { runLine } from './live-line.ts';
import type { HostSession } from './remote-session.ts';

/** `ended`: there is a trace to bring back. `left`: the user leaves it running. `lost`: nobody can follow it now. */
type Followed = { readonly how: 'ended' | 'left' | 'lost'; readonly run: Run };

const RECORDING: ReadonlySet<RunPhase> = new Set(['starting', 'recording', 'stopping']);

/**
 * Shows a capture until it has ended. The first Ctrl+C ends it, the second leaves it running, as do a
 * polite kill and a terminal that is closed.
 */
export function followRun(session: HostSession, started: Run): Promise<Followed> {
  const { app, connection, context, interrupts, speaker } = session;
  let run = started;
  const told = new Set<string>();
  return new Promise((resolve) => {
    let done = false;
    const end = (how: Followed['how']) => {
      if (done) return;
      done = true;
      interrupts.onInterrupt(undefined);
      resolve({ how, run });
    };
    const look = (next: Run) => {
      run = next;
      if (done) return;
      for (const { level, text } of next.notices) {
        if (told.has(text)) continue;
        told.add(text);
        speaker.say(`${cleanText(level, 20)}: ${cleanText(text, 1000)}`, {
          event: 'notice',
          level,
          text,
        });
      }
      if (!RECORDING.has(next.phase)) return end('ended');
      speaker.show(runLine(next));
    };
    app.onEvent((name, payload) => {
      if (done) return;
      if (name === 'remote.run' && (payload as Run).id === started.id) {
        if (speaker.json) speaker.say('', { event: 'run', run: payload });
        look(payload as Run);
      }
      if (name === 'remote.link') linkChanged(payload as { connection: string; state: LinkState });
    });
    const linkChanged = (link: { readonly connection: string; readonly state: LinkState }) => {
      if (link.connection !== connection) return;
      const { state } = link;
      if (state.kind === 'connected') return;
      const { why } = state;
      const sentence = `${cleanText(why, 500)} Still recording there${state.kind === 'closed' ? '.' : '; reconnecting …'}`;
      if (state.kind === 'closed' || state.attempt === 1)
        speaker.say(sentence, { event: 'link', state });
      if (state.kind === 'closed') end('lost');
    };
    interrupts.onInterrupt(() => {
      speaker.say('Stopping; Ctrl+C again leaves it running.', { event: 'stopping' });
      interrupts.onInterrupt(() => end('left'));
      void stop();
    });
    async function stop(): Promise<void> {
      const stopped = await app.handlers['remote.stop']({ run: started.id }, context);
      if (stopped.ok) return look(stopped.value);
      if (!done) speaker.say(stopped.error.message, { event: 'not-stopped', error: stopped.error });
    }
    context.signal.addEventListener('abort', () => end('left'), { once: true });
    if (context.signal.aborted) end('left');
    look(started);
  });
}
