import type { Diagnosis } from '../../shared/answers/diagnosis.ts';
import type { Verdict } from '../../shared/library/investigation.ts';
import type { Result } from '../../shared/rpc/result.ts';
import type { CommonError } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { verdictKind } from '../../shared/words/verdict-answer.ts';
import type { Services } from '../services/services.ts';
import type { OpenTrace } from '../traces/open-traces.ts';

/** What slows an open trace. One of the library has it in the list from then on. */
export async function diagnose(
  { library, emit }: Pick<Services, 'library' | 'emit'>,
  { client, investigation: id }: Pick<OpenTrace, 'client' | 'investigation'>,
): Promise<Result<Diagnosis, CommonError>> {
  const diagnosed = await client.call('trace.diagnose', {});
  if (!diagnosed.ok || id === undefined) return diagnosed;
  const { headline } = diagnosed.value;
  const answer = verdictKind(diagnosed.value);
  const kind: Verdict['kind'] = answer === 'unknown' ? 'unclear' : answer;
  const found = { kind, text: cleanText(headline, 300) };
  // A library that can't be written must not keep anyone from reading the trace.
  const noted = await library.call('noteFound', { id, found });
  if (noted.ok && noted.value) emit('library.changed', null);
  return diagnosed;
}
