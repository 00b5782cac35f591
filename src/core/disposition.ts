import type { FileHeaders } from "./download.ts"

/** File types that browsers may display, with the content type to send; all others are downloads. None can run scripts under the policy they are sent with. */
const SHOWN: Readonly<Record<string, string>> = {
  csv: "text/plain; charset=utf-8",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  json: "text/plain; charset=utf-8",
  log: "text/plain; charset=utf-8",
  md: "text/plain; charset=utf-8",
  mov: "video/quicktime",
  mp4: "video/mp4",
  patch: "text/plain; charset=utf-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=utf-8",
  webm: "video/webm",
  webp: "image/webp",
}

/** The headers that a file is sent with, by its extension; a type that its uploader declared is never used. */
export function fileHeadersOf(name: string): Required<FileHeaders> {
  const ending = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ""
  const type = Object.hasOwn(SHOWN, ending) ? SHOWN[ending] : undefined
  return { type: type ?? "application/octet-stream", disposition: `${type ? "inline" : "attachment"}; ${fileNameOf(name)}` }
}

/** The name in ASCII for old programs, and whole for all others (RFC 6266, RFC 8187). */
function fileNameOf(name: string): string {
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, "_")
  const whole = encodeURIComponent(name).replaceAll(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
  return plain === name ? `filename="${plain}"` : `filename="${plain}"; filename*=UTF-8''${whole}`
}
