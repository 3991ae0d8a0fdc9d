/**
 * A thread that took a request from a socket hands it on within this: it parses the request and puts it
 * in a queue. Our own choice.
 */
export const HANDED_ON_WITHIN_NS = 20e6;
