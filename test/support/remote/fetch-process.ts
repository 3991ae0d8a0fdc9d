import { fetchTrace } from '../../../src-main/remote/transfer/fetch-trace.ts';
import { LARGEST_CAPTURE_BYTES } from '../../../src-main/shared/remote/capture-request.ts';
import { openTraceSession } from './trace-host.ts';
import type { FetchOrder } from './troubled-fetch.ts';

/** An app that brings one trace back: what `troubled-fetch.ts` starts, and kills. */

const order = JSON.parse(process.argv[2] ?? '') as FetchOrder;
const { address, port, hostKeys, user, remoteFile, folder, keepAliveMs } = order;
const session = await openTraceSession({ address, port, hostKeys: new Map(hostKeys) }, user, {
  keepAliveMs,
  delaysMs: [50, 100, 200],
});
process.send?.({ signedIn: true });
const fetched = await fetchTrace(session, {
  remoteFile,
  folder,
  mostBytes: LARGEST_CAPTURE_BYTES,
  signal: new AbortController().signal,
  onProgress: (progress) => process.send?.({ progress }),
  onNotice: (notice) => process.send?.({ notice }),
});
session.link.close();
process.send?.({ fetched });
process.disconnect();
