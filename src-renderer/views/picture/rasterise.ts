/** What Chromium's canvases hold at most: pixels a side, and in all. */
const MAX_SIDE = 16_384;
const MAX_PIXELS = 2 ** 28;

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** How large a picture is, from its own first line. */
export function pictureSize(svg: string): PictureSize {
  const [, width, height] = /^<svg [^>]*?width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  return { width: Number(width), height: Number(height) };
}

/** Whether a picture can be made of pixels, `scale` for each of its own. */
export function fitsCanvas({ width, height }: PictureSize, scale: number): boolean {
  const side = Math.max(width, height) * scale;
  return side <= MAX_SIDE && width * height * scale ** 2 <= MAX_PIXELS;
}

/** A picture as an address that `img` may load under the page's policy. */
export const pictureAddress = (svg: string): string =>
  `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

/** The picture as PNG with `scale` pixels for each of its own. */
export async function rasterise(svg: string, scale: number): Promise<Blob> {
  const { width, height } = pictureSize(svg);
  const image = new Image(width, height);
  image.src = pictureAddress(svg);
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d', { alpha: false });
  if (context === null) throw new Error('this browser has no 2D canvas');
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (png) => (png === null ? reject(new Error('no PNG')) : resolve(png)),
      'image/png',
    );
  });
}
