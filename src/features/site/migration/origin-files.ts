import type { Readable } from "node:stream"
import type { Services } from "../../../core/services.ts"
import { openDownload } from "../../code/mirrors/downloads.ts"
import type { Origin } from "./origin.ts"

/** A file that a record names: of the origin itself, or of the server at its address. The caller destroys it. Undefined where there is none. Throws RemoteRefused, RemoteTrouble. */
export async function openFile(services: Services, origin: Origin, address: string, signal: AbortSignal): Promise<Readable | undefined> {
  if (origin.open) return origin.open(address)
  return openDownload(services, address, origin.headersFor(address) ?? {}, signal)
}
