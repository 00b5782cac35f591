import { once } from "node:events"
import type { Readable } from "node:stream"
import type { Services } from "../../../core/services.ts"
import { openDownload } from "../../code/mirrors/downloads.ts"
import type { Origin } from "./origin.ts"

/** A file that a record names: of the origin itself, or of the server at its address. The caller destroys it. Undefined where there is none. Throws RemoteRefused, RemoteTrouble. */
export async function openFile(services: Services, origin: Origin, address: string, signal: AbortSignal): Promise<Readable | undefined> {
  if (origin.open) return origin.open(address)
  return openDownload(services, address, origin.headersFor(address) ?? {}, signal)
}

/** How files begin that texts show; some servers name them without an extension, and this one asks for it. */
const BEGINNINGS = [
  [/^\x89PNG\r\n/, "png"],
  [/^\xff\xd8\xff/, "jpg"],
  [/^GIF8[79]a/, "gif"],
  [/^RIFF....WEBP/s, "webp"],
  [/^....ftyp(?:qt)/s, "mov"],
  [/^....ftyp/s, "mp4"],
  [/^\x1a\x45\xdf\xa3/, "webm"],
  [/^%PDF-/, "pdf"],
  [/^PK\x03\x04/, "zip"],
] as const

/** The name of the file at an address, with an extension by its first bytes where it has none. Nothing of the content is lost. */
export async function nameOfFile(origin: Origin, address: string, content: Readable): Promise<string> {
  const name = origin.nameOf?.(address) ?? decodeURIComponent(new URL(address).pathname.split("/").at(-1) ?? "")
  if (name.includes(".")) return name
  if (content.readableLength === 0 && !content.readableEnded) await once(content, "readable")
  const first: unknown = content.read()
  if (!Buffer.isBuffer(first)) return name
  content.unshift(first)
  const head = first.toString("latin1", 0, 16)
  const extension = BEGINNINGS.find(([beginning]) => beginning.test(head))?.[1]
  return extension === undefined ? name : `${name}.${extension}`
}
