import type { RemoteQuestion } from '../shared/remote/questions.ts';
import type { RemoteClient } from './services/remote-client.ts';
import type { Services } from './services/services.ts';
import type { SignInSecrets } from './sign-in/sign-in-secrets.ts';

/**
 * Tells every window what the process that speaks SSH tells; each knows what is meant for it: it chose
 * the ids of its connections. Questions that a kept secret answers reach nobody.
 */
export function forwardRemoteEvents(
  remote: RemoteClient,
  signIn: SignInSecrets,
  emit: Services['emit'],
): void {
  /** Questions that are being looked at. */
  const looking = new Set<string>();

  async function ask(question: RemoteQuestion): Promise<void> {
    looking.add(question.id);
    const asked = await signIn.question(question);
    // It may have been taken back meanwhile.
    if (looking.delete(question.id) && asked !== undefined) emit('remote.question', asked);
  }

  remote.onEvent({
    question: (question) => void ask(question),
    questionGone(gone) {
      looking.delete(gone.id);
      emit('remote.questionGone', gone);
    },
    link: (link) => emit('remote.link', link),
    run: (run) => emit('remote.run', run),
    changed: () => emit('remote.changed', null),
  });
}
