import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { Investigation } from '../../shared/library/investigation.ts';
import type { RemoteSession } from './remote-session.ts';

/**
 * What slows a trace that was just added and is still open for that: whoever waits here wants to know,
 * and the list has it from then on. The trace is in the library already: a diagnosis that fails or is
 * interrupted fails nothing.
 */
export async function diagnoseBrought(
  { app, context, speaker }: Pick<RemoteSession, 'app' | 'context' | 'speaker'>,
  { id }: Investigation,
): Promise<Diagnosis | undefined> {
  speaker.show('Working out why the GPU waited …');
  const opened = await app.handlers['trace.open']({ id }, context);
  if (!opened.ok) return undefined;
  const { traceId } = opened.value;
  const diagnosed = await app.handlers['trace.diagnose']({ traceId }, context);
  return diagnosed.ok ? diagnosed.value : undefined;
}
