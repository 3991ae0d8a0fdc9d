import type { FetchJob } from './fetch-job.ts';

/** Some parts come twice: of a channel that stalls, and what was on its way when the link was lost. */
const TIMES = 4;
const MORE_BYTES = 512 * 1024 ** 2;

/** Ends a job for which far more came than its trace has: the link is too bad, or the host goes round in circles. */
export function checkWire({ identity, meter, stop }: FetchJob): void {
  if (meter.wireBytes <= TIMES * identity.bytes + MORE_BYTES) return;
  stop({
    code: 'link-lost',
    message: `More than ${TIMES} times the size of the trace came over the connection, and it is still not complete: check the network and the host, then bring it back again; what is here is kept.`,
  });
}
