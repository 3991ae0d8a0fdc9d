import { z } from 'zod';
import type { RequestFrame } from '../shared/rpc/rpc.ts';

const id = z.number().int().nonnegative();

/** What a peer may send; apart from shared/rpc.ts, so that the renderer need not carry zod. */
export const requestFrame: z.ZodType<RequestFrame> = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('call'), id, name: z.string(), args: z.unknown() }),
  z.strictObject({ kind: z.literal('cancel'), id }),
]);
