/** The two ipc channels between a window's preload script and the main process; frames of shared/rpc.ts. */
export const REQUEST_CHANNEL = 'stalltrace:request';
export const REPLY_CHANNEL = 'stalltrace:reply';
