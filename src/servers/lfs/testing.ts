import { createHash } from "node:crypto"
import { blobsBelow } from "../../../tests/support/blobs.ts"
import { MEDIA_TYPE } from "../../features/code/lfs/batch.ts"
import type { Person, World } from "../git-http/testing.ts"

/** Shared by tests of Git LFS: objects, and requests as a client makes them. */

export interface Content {
  readonly bytes: Buffer
  readonly oid: string
  readonly size: number
}

export function contentOf(given: string | Buffer): Content {
  const bytes = Buffer.from(given)
  return { bytes, oid: createHash("sha256").update(bytes).digest("hex"), size: bytes.length }
}

/** The pointer file of a large file. */
export const pointerOf = ({ oid, size }: Pick<Content, "oid" | "size">): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`

export type Headers = Readonly<Record<string, string>>

export const basic = ({ user, token }: Person): Headers => ({ authorization: `Basic ${btoa(`${user.name}:${token}`)}` })

export interface Answer {
  readonly status: number
  readonly headers: globalThis.Headers
  // biome-ignore lint/suspicious/noExplicitAny: what comes is what the test is about
  readonly body: any
}

/** Asks for a record: `ask(world, "ada/tool", "locks", headers, { path: "a" })`; without a body it is a GET. */
export async function ask({ hearth }: World, path: string, end: string, headers: Headers = {}, body?: unknown): Promise<Answer> {
  const answer = await fetch(`${hearth.url}/${path}.git/info/lfs/${end}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { accept: MEDIA_TYPE, "content-type": MEDIA_TYPE, ...headers },
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text === "" ? undefined : JSON.parse(text) }
}

/** Asks for a batch of one or more objects. */
export const batch = (
  world: World,
  path: string,
  operation: string,
  objects: readonly Pick<Content, "oid" | "size">[],
  headers: Headers = {},
): Promise<Answer> =>
  ask(world, path, "objects/batch", headers, { operation, transfers: ["basic"], objects: objects.map(({ oid, size }) => ({ oid, size })) })

/** Sends an object. */
export const put = (
  { hearth }: World,
  path: string,
  { oid, size }: Pick<Content, "oid" | "size">,
  bytes: Buffer,
  headers: Headers = {},
): Promise<Response> =>
  fetch(`${hearth.url}/${path}.git/info/lfs/objects/${oid}/${size}`, { method: "PUT", headers, body: new Uint8Array(bytes) })

export const get = ({ hearth }: World, path: string, oid: string, headers: Headers = {}): Promise<Response> =>
  fetch(`${hearth.url}/${path}.git/info/lfs/objects/${oid}`, { headers })

/** The names of all stored files, drafts included. */
export const filesOf = ({ services }: World): Promise<readonly string[]> => blobsBelow(services, "lfs")
