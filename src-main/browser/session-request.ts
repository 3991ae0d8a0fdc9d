import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { answerText } from './answers.ts';
import type { Guard } from './guard.ts';

const MAX_BODY_LENGTH = 1024;
const sessionBody = z.strictObject({ token: z.string().max(200) });
/** The same ways as `sendArchive` and `sendPerfetto` know, and the upload. */
const TICKET_ACTION =
  /^(?:GET \/archive\/[1-9]\d{0,14}|GET \/perfetto\/[0-9a-f-]{36}\/(?:hidden|shown)|POST \/upload)$/;
const ticketBody = z.strictObject({ action: z.string().regex(TICKET_ACTION) });

/**
 * `POST /session`: the token of a link for the secret of this start. Whether it was taken; a body
 * slower than `bodyMs` is cut.
 */
export async function startSession(
  guard: Guard,
  request: IncomingMessage,
  response: ServerResponse,
  bodyMs: number,
): Promise<boolean> {
  const parsed = sessionBody.safeParse(await readJson(request, bodyMs));
  const secret = parsed.success ? guard.exchange(parsed.data.token) : undefined;
  if (secret === undefined) {
    answerText(
      response,
      403,
      'This link was used before or is older than a minute: the terminal of Stalltrace says how to get a new one.',
    );
    return false;
  }
  answerJson(response, { secret });
  return true;
}

/** `POST /tickets`: a ticket for one download or upload. */
export async function giveTicket(
  guard: Guard,
  request: IncomingMessage,
  response: ServerResponse,
  bodyMs: number,
): Promise<void> {
  const parsed = ticketBody.safeParse(await readJson(request, bodyMs));
  if (!parsed.success) return answerText(response, 400, 'There are no tickets for this.');
  answerJson(response, { ticket: guard.issueTicket(parsed.data.action) });
}

function answerJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(value));
}

/** The body as JSON; `undefined` where it is none, too long, too slow, or its sender has gone. */
async function readJson(request: IncomingMessage, bodyMs: number): Promise<unknown> {
  const late = setTimeout(() => request.destroy(), bodyMs);
  try {
    let text = '';
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      text += String(chunk);
      if (text.length > MAX_BODY_LENGTH) return undefined;
    }
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  } finally {
    clearTimeout(late);
  }
}
