import { Readable } from "node:stream"
import type { StreamAnswer } from "../../../core/outgoing/stream.ts"
import { MEDIA_TYPE } from "../lfs/batch.ts"
import { type Outgoing, openDownload, openGuarded } from "./downloads.ts"
import type { Action, BatchedObject, LfsServer } from "./lfs-server.ts"
import { RemoteRefused, RemoteTrouble } from "./remote.ts"

/** Transfers one object from or to another server, at the URL from a batch. */

/** The request headers: those from the server, and the credentials if it sent none and the object is at the same server. */
function headersFor({ endpoint, authorization }: LfsServer, { href, header }: Action, authenticated: boolean) {
  const given = Object.fromEntries(
    Object.entries(header ?? {}).filter(([name, value]) => /^[\w-]+$/.test(name) && !/[^\t\x20-\x7e]/.test(value)),
  )
  const isIn = authenticated || Object.keys(given).some((name) => name.toLowerCase() === "authorization")
  const isSame = URL.canParse(href) && new URL(href).origin === new URL(endpoint).origin
  return isIn || !isSame || authorization === undefined ? given : { ...given, authorization }
}

/** Opens an object for reading; undefined if the server doesn't have it after all. Throws like {@link openDownload}. */
export const openObject = (
  services: Outgoing,
  server: LfsServer,
  action: Action,
  { authenticated }: BatchedObject,
  signal: AbortSignal,
): Promise<Readable | undefined> => openDownload(services, action.href, headersFor(server, action, authenticated ?? false), signal)

/** Uploads an object, and asks the server to verify it if it requires that. Throws {@link RemoteRefused}, {@link RemoteTrouble}. */
export async function upload(
  services: Outgoing,
  server: LfsServer,
  { oid, authenticated, actions }: BatchedObject,
  body: { readonly content: Readable; readonly length: number },
  signal: AbortSignal,
): Promise<void> {
  if (!actions?.upload) return
  const named = headersFor(server, actions.upload, authenticated ?? false)
  const hasType = Object.keys(named).some((name) => name.toLowerCase() === "content-type")
  const headers = hasType ? named : { ...named, "content-type": "application/octet-stream" }
  await finish(await openGuarded(services, { method: "PUT", url: actions.upload.href, headers, body, signal }))
  if (!actions.verify) return
  const text = Buffer.from(JSON.stringify({ oid, size: body.length }))
  const verify = {
    method: "POST",
    url: actions.verify.href,
    headers: { ...headersFor(server, actions.verify, authenticated ?? false), "content-type": MEDIA_TYPE },
    body: { content: Readable.from([text]), length: text.length },
    signal,
  }
  await finish(await openGuarded(services, verify))
}

async function finish({ status, body }: StreamAnswer): Promise<void> {
  body.on("error", () => {}).destroy()
  if (status === 401 || status === 403 || status === 413 || status === 422)
    throw new RemoteRefused(`the server refuses a large file with ${status}`)
  if (status >= 300) throw new RemoteTrouble(`the server answered ${status} to a large file`)
}
