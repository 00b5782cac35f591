import { once } from "node:events"
import type { Readable } from "node:stream"
import type { Services } from "../../../core/services.ts"
import { openDownload } from "../../code/mirrors/downloads.ts"
import type { Origin } from "./origins/origin.ts"

/** A file that a record names: of the origin itself, or of the server at its address. The caller destroys it. Undefined where there is none. Throws RemoteRefused, RemoteTrouble. */
export async function openFile(services: Services, origin: Origin, address: string, signal: AbortSignal): Promise<Readable | undefined> {
  if (origin.open) return origin.open(address)
  return openDownload(services, address, origin.headersFor(address) ?? {}, signal)
}

/** How files begin that texts show; some servers name them without an extension, and this one asks for it. */
const BEGINNINGS: readonly (readonly [at: number, hex: string, extension: string])[] = [
  [0, "89504e470d0a", "png"],
  [0, "ffd8ff", "jpg"],
  [0, "47494638", "gif"],
  [8, "57454250", "webp"],
  [4, "667479707174", "mov"],
  [4, "66747970", "mp4"],
  [0, "1a45dfa3", "webm"],
  [0, "255044462d", "pdf"],
  [0, "504b0304", "zip"],
]

/** The name of the file at an address, with an extension by its first bytes where it has none. Nothing of the content is lost. */
export async function nameOfFile(origin: Origin, address: string, content: Readable): Promise<string> {
  const name = origin.nameOf?.(address) ?? decodeURIComponent(new URL(address).pathname.split("/").at(-1) ?? "")
  if (name.includes(".")) return name
  if (content.readableLength === 0 && !content.readableEnded) await once(content, "readable")
  const first: unknown = content.read()
  if (!Buffer.isBuffer(first)) return name
  content.unshift(first)
  const extension = BEGINNINGS.find(([at, hex]) => first.toString("hex", at, at + hex.length / 2) === hex)?.[2]
  return extension === undefined ? name : `${name}.${extension}`
}
