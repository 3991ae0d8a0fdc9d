/*
 * What a sandboxed preload script finds in Electron, for one that runs in a page of plain Chromium
 * before the page's own scripts. preload.ts puts this text in front of the built preload.
 * The page's world is shared: what contextBridge isolates in Electron is only imitated here.
 */

// biome-ignore lint/correctness/noUnusedVariables: called by the text that preload.ts appends
function runPreload(preload) {
  // Without nodeIntegrationInSubFrames frames inside the page get no preload.
  if (window.top !== window) return;
  const listeners = new Map();
  const filePaths = {};

  /** Electron copies what crosses the bridge and refuses what can't be copied, except functions. */
  function cross(value) {
    if (typeof value !== 'function') return value instanceof File ? value : structuredClone(value);
    return (...args) => cross(value(...args.map(cross)));
  }

  function strict(path, object) {
    return new Proxy(object, {
      get(target, member) {
        if (!(member in target)) {
          throw new Error(`electron double: ${path}${String(member)} is not implemented`);
        }
        const value = target[member];
        return typeof value === 'object' ? strict(`${path}${member}.`, value) : value;
      },
    });
  }

  const electron = {
    ipcRenderer: {
      send(channel, ...args) {
        void window.__electronDoubleSend(channel, structuredClone(args));
      },
      on(channel, listener) {
        listeners.set(channel, [...(listeners.get(channel) ?? []), listener]);
      },
    },
    webUtils: {
      getPathForFile(file) {
        if (!(file instanceof File)) throw new TypeError('getPathForFile: not a File');
        return filePaths[file.name] ?? '';
      },
    },
    contextBridge: {
      exposeInMainWorld(name, api) {
        const members = Object.entries(api).map(([key, value]) => [key, cross(value)]);
        const value = Object.freeze(Object.fromEntries(members));
        Object.defineProperty(window, name, { value, enumerable: true });
      },
    },
  };

  Object.defineProperty(window, '__electronDoubleFilePaths', { value: filePaths });
  Object.defineProperty(window, '__electronDoubleReceive', {
    value(channel, args) {
      for (const listener of listeners.get(channel) ?? []) listener({}, ...structuredClone(args));
    },
  });
  const module = { exports: {} };
  const require = (name) => {
    if (name !== 'electron') throw new Error(`a sandboxed preload can't require "${name}"`);
    return strict('', electron);
  };
  preload(require, module, module.exports);
}
