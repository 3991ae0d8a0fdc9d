import { z } from 'zod';

/** How the clock of a host compared with this machine's when it was asked for the time. */
const reading = z.strictObject({
  /** The host's − this machine's, ns. */
  offsetNs: z.number(),
  /** Right to ± this, ns. */
  uncertaintyNs: z.number().nonnegative(),
  /** This machine's date then, ISO 8601. */
  measuredAt: z.string(),
});
export type MeasuredOffset = z.infer<typeof reading>;

/** What was read before a capture, and once more after it, where the host could be asked then. */
export const measuredClock = reading.extend({ atEnd: reading.optional() });
export type MeasuredClock = z.infer<typeof measuredClock>;
