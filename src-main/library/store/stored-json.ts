import type { z } from 'zod';

/** A stored JSON value; `undefined` where there is none, or none that this version understands. */
export function parseStored<Schema extends z.ZodType>(
  text: string | null,
  schema: Schema,
): z.infer<Schema> | undefined {
  if (text === null) return undefined;
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
