import {
  type RemoteProcessCalls,
  type RemoteProcessEvents,
  remoteProcessCalls,
} from '../../shared/contract/remote-process-calls.ts';
import type { Handlers } from '../../shared/rpc/rpc.ts';

type Emit = <E extends keyof RemoteProcessEvents>(name: E, payload: RemoteProcessEvents[E]) => void;

/** The process that speaks SSH, for tests: what the test says; a call it says nothing of is a bug. */
export class FakeRemote {
  readonly handlers: Handlers<RemoteProcessCalls>;
  /** The names of the calls so far. */
  readonly asked: string[] = [];
  /** Set by whoever launches it. */
  emit: Emit = () => undefined;

  constructor(answers: Partial<Handlers<RemoteProcessCalls>>) {
    const names = Object.keys(remoteProcessCalls) as (keyof RemoteProcessCalls)[];
    const guarded = names.map((name) => [
      name,
      (...args: unknown[]) => {
        this.asked.push(name);
        const answer = answers[name] as ((...all: unknown[]) => unknown) | undefined;
        if (answer === undefined) throw new Error(`the test did not expect ${name}`);
        return answer(...args);
      },
    ]);
    this.handlers = Object.fromEntries(guarded) as Handlers<RemoteProcessCalls>;
  }
}
