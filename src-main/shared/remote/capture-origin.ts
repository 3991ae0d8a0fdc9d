import { z } from 'zod';
import { targetKinds } from '../capture-modes/modes.ts';
import { type CaptureRequest, captureRequest } from './capture-request.ts';
import { hostTarget } from './host-target.ts';
import { measuredClock } from './measured-clock.ts';

/** How a trace was captured, as far as it is kept: to do so again. No secret: nothing of a command but its folder. */
export const captureOrigin = z.strictObject({
  /** What the user called the host. */
  label: z.string().max(255),
  target: hostTarget,
  kind: z.enum(targetKinds),
  folder: z.string().max(4096).optional(),
  settings: captureRequest.omit({ target: true }),
  /** As the host was checked, before its capture began. */
  clock: measuredClock.optional(),
});
export type CaptureOrigin = z.infer<typeof captureOrigin>;

export function originOf(
  { label, target, clock }: Pick<CaptureOrigin, 'label' | 'target' | 'clock'>,
  { target: captured, ...settings }: CaptureRequest,
): CaptureOrigin {
  const folder = captured.kind === 'command' ? captured.folder : undefined;
  return {
    ...{ label, target, kind: captured.kind, settings },
    ...(folder !== undefined && { folder }),
    ...(clock !== undefined && { clock }),
  };
}
