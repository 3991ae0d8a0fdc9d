import type { Diagnosis, TraceVerdict } from '../../shared/answers/diagnosis.ts';
import type { Verdict } from '../../shared/library/investigation.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { CommonError } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { Services } from '../services/services.ts';
import type { OpenTrace } from '../traces/open-traces.ts';

/** The list's words for what the analysis says: the text says the rest. */
const KINDS: Readonly<Record<TraceVerdict, Verdict['kind']>> = {
  'input-bound': 'input-bound',
  'input-straggler': 'input-bound',
  'h2d-bound': 'h2d-bound',
  'compute-bound': 'compute-bound',
  balanced: 'balanced',
  unknown: 'unclear',
};

/** What slows an open trace. One of the library has it in the list from then on. */
export async function diagnose(
  { library, emit }: Pick<Services, 'library' | 'emit'>,
  { client, investigation: id }: OpenTrace,
): Promise<Result<Diagnosis, CommonError>> {
  const diagnosed = await client.call('trace.diagnose', {});
  if (!diagnosed.ok || id === undefined) return diagnosed;
  const { verdict, headline } = diagnosed.value;
  const found = { kind: KINDS[verdict], text: cleanText(headline, 300) };
  // A library that can't be written must not keep anyone from reading the trace.
  const noted = await library.call('noteFound', { id, found });
  if (noted.ok && noted.value) emit('library.changed', null);
  return diagnosed;
}
