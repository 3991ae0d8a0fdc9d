import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { answerText } from './answers.ts';
import type { Guard } from './guard.ts';

const MAX_BODY_LENGTH = 1024;
const sessionBody = z.strictObject({ token: z.string().max(200) });

/** `POST /session`: the launch token for this instance's cookie. A body slower than `bodyMs` is cut. */
export async function startSession(
  guard: Guard,
  request: IncomingMessage,
  response: ServerResponse,
  bodyMs: number,
): Promise<void> {
  if (request.headers['content-type'] !== 'application/json') {
    return answerText(response, 415, 'A token is sent as JSON.');
  }
  const parsed = sessionBody.safeParse(await readJson(request, bodyMs));
  const cookie = parsed.success ? guard.exchange(parsed.data.token) : undefined;
  if (cookie === undefined) {
    return answerText(response, 403, 'This link was used before or is older than a minute.');
  }
  response.writeHead(204, { 'set-cookie': cookie }).end();
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
