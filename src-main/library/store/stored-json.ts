import type { z } from 'zod';
import { parseJson } from '../../shared/text/parse-json.ts';

/** A stored JSON value; `undefined` where there is none, or none that this version understands. */
export function parseStored<Schema extends z.ZodType>(
  text: string | null,
  schema: Schema,
): z.infer<Schema> | undefined {
  return text === null ? undefined : schema.safeParse(parseJson(text)).data;
}
