import type { Session } from 'electron';

/**
 * Stalltrace needs no camera, location, notification, clipboard reading or device. Electron grants
 * what no handler refuses, and asks three of them: before a prompt, on a query, for a device.
 */
export function denyPermissions(session: Session): void {
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false));
  session.setPermissionCheckHandler(() => false);
  session.setDevicePermissionHandler(() => false);
}
