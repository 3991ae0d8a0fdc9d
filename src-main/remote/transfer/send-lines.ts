import { z } from 'zod';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { parseJson } from '../../shared/text/parse-json.ts';
import { cleanText } from '../../shared/text/text.ts';

/** What `stalltrace-agent send` says, a line each; what it adds one day is left out. */
const size = z.number().int().nonnegative();
const hash = z.string().regex(/^[0-9a-f]{64}$/);
const decimal = z.string().regex(/^-?\d{1,20}$/);
const v = z.literal(1);

const readyLine = z.object({
  v,
  event: z.literal('ready'),
  bytes: size,
  inode: decimal,
  modified_unix_ns: decimal,
});
const frameLine = z.object({
  v,
  event: z.literal('frame'),
  offset: size,
  length: size,
  encoding: z.enum(['zstd', 'stored']),
  bytes: size,
  sha256: hash,
});
const hashLine = z.object({ v, event: z.literal('hash'), bytes: size, sha256: hash });
/** That it still computes the hash. */
const hashingLine = z.object({ v, event: z.literal('hashing'), bytes: size });
const errorLine = z.object({
  v,
  event: z.literal('error'),
  code: z.string().max(64),
  message: z.string().transform((text) => cleanText(text, 500)),
});
const sendLine = z.discriminatedUnion('event', [
  readyLine,
  frameLine,
  hashLine,
  hashingLine,
  errorLine,
]);
export type SendLine = z.infer<typeof sendLine>;
export type FrameLine = z.infer<typeof frameLine>;

/** Beyond the longest path a `ready` line can name. */
export const LONGEST_LINE_BYTES = 32 * 1024;

export function parseSendLine(text: string): Result<SendLine, 'protocol'> {
  const parsed = sendLine.safeParse(parseJson(text));
  if (parsed.success) return ok(parsed.data);
  return fail('protocol', 'It answered with a line that makes no sense.', cleanText(text, 200));
}
