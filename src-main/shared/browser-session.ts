/**
 * What the page and the browser host agree on about who may ask. The desktop has none of it: there
 * the window itself is the proof.
 */

/** The first frame of a socket; nothing is answered before it. */
export interface HelloFrame {
  readonly kind: 'hello';
  readonly secret: string;
}

/** The host's answer to the right secret: frames of the contract follow. */
export interface WelcomeFrame {
  readonly kind: 'welcome';
}

/** Codes a socket is closed with: the host does not know the secret, or has too many pages. */
export const CLOSED_UNKNOWN = 4403;
export const CLOSED_FULL = 4503;

/** `Authorization: Bearer ‹secret›`: this page has the secret of this start of Stalltrace. */
export const SECRET_SCHEME = 'Bearer';
/** `Authorization: Ticket ‹ticket›`, where a header can be sent: else the parameter `ticket`. */
export const TICKET_SCHEME = 'Ticket';

/** Why there is no download, percent-encoded; absent where the host does not know the page. */
export const REASON_HEADER = 'stalltrace-reason';

/** What is said wherever the host does not know the page. */
export const UNKNOWN_PAGE =
  'Stalltrace does not know this page: press Enter in its terminal and open the link that it prints.';
