import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { BRIDGE_NAME, type DesktopBridge } from './contract/api.ts';
import { REPLY_CHANNEL, REQUEST_CHANNEL } from './desktop/channels.ts';
import type { ReplyFrame } from './shared/rpc/rpc.ts';

/** All the page gets: frames out, frames in, and the path of a file it was handed. Main checks each frame. */
const bridge: DesktopBridge = {
  post: (frame) => ipcRenderer.send(REQUEST_CHANNEL, frame),
  // The event object carries ipcRenderer itself and stays here.
  onFrame: (listener) => {
    ipcRenderer.on(REPLY_CHANNEL, (_event, frame: ReplyFrame) => listener(frame));
  },
  pathForFile: (file) => webUtils.getPathForFile(file),
};

contextBridge.exposeInMainWorld(BRIDGE_NAME, bridge);
