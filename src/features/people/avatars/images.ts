/** Recognises images by their first bytes. Nothing is decoded: browsers get the type that these bytes state. */

export interface Picture {
  readonly type: "image/png" | "image/jpeg" | "image/gif" | "image/webp"
  readonly width: number
  readonly height: number
}

/** The image type and the size in pixels that the first bytes state; undefined for anything else. */
export function recognizePicture(bytes: Buffer): Picture | undefined {
  return png(bytes) ?? gif(bytes) ?? webp(bytes) ?? jpeg(bytes)
}

const startsWith = (bytes: Buffer, text: string, at = 0): boolean => bytes.toString("latin1", at, at + text.length) === text

function png(bytes: Buffer): Picture | undefined {
  if (bytes.length < 24 || !startsWith(bytes, "\x89PNG\r\n\x1a\n") || !startsWith(bytes, "IHDR", 12)) return undefined
  return { type: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }
}

function gif(bytes: Buffer): Picture | undefined {
  if (bytes.length < 10 || !(startsWith(bytes, "GIF87a") || startsWith(bytes, "GIF89a"))) return undefined
  return { type: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }
}

function webp(bytes: Buffer): Picture | undefined {
  if (bytes.length < 30 || !startsWith(bytes, "RIFF") || !startsWith(bytes, "WEBP", 8)) return undefined
  const size = webpSize(bytes)
  return size && { type: "image/webp", ...size }
}

/** The three layouts of a WebP's first chunk: lossy, lossless, extended. */
function webpSize(bytes: Buffer): { readonly width: number; readonly height: number } | undefined {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff }
    case "VP8L": {
      const packed = bytes.readUInt32LE(21)
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 }
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 }
    default:
      return undefined
  }
}

/** Markers that begin a frame and so carry its size; 0xc4, 0xc8 and 0xcc in between mean something else. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

function jpeg(bytes: Buffer): Picture | undefined {
  if (!startsWith(bytes, "\xff\xd8\xff")) return undefined
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xff) at++
    else if (isFrame(marker)) return { type: "image/jpeg", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) }
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}
