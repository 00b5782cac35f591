import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { join } from "node:path"
import type { Repository } from "../model/model.ts"
import { keyIn } from "../process/cache.ts"
import type { Context } from "../process/context.ts"
import { fingerprint } from "../refs/ref-files.ts"

/*
 * Most fetches are clones, and most clones send the same requests as another just before: the list of references, then all that these reach, of a
 * client that has nothing. Git's answer depends only on the request and the references, because objects never change. So the answer is cached under
 * a digest of both; callers have checked that the client may read the repository.
 */

/** Longer requests are not those of a first clone. Bytes. */
const REQUEST_BYTES = 16 * 1024
/** Longer answers are not cached: with a bitmap git sends large packs at little cost. Bytes. */
const ANSWER_BYTES = 4 * 1024 * 1024

/** The lines of cacheable requests; requests that name the client's own objects, or exclude objects by name, are not cached. */
const ASKED = /^(thin-pack|no-progress|include-tag|ofs-delta|done|want [0-9a-f]+|deepen [0-9]+|filter (blob:|tree:)[a-z0-9=:]+)\n?$/

/** The packets of a request by protocol version 2, in order, without delimiters; undefined if it is incomplete. */
export function linesOf(request: Buffer): readonly string[] | undefined {
  const found: string[] = []
  for (let at = 0; at < request.length; ) {
    const size = Number.parseInt(request.subarray(at, at + 4).toString("latin1"), 16)
    // A flush ends it, and nothing may follow: several requests in one are not cached.
    if (size === 0) return at + 4 === request.length ? found : undefined
    if (size !== 1 && !(size >= 4 && at + size <= request.length)) return undefined
    if (size > 4) found.push(request.subarray(at + 4, at + size).toString("latin1"))
    at += Math.max(size, 4)
  }
  return undefined
}

/** Whether the answer depends only on the request, the references and the objects that they name. */
function isRepeatable(request: Buffer): boolean {
  const [command, ...rest] = linesOf(request) ?? []
  if (command?.trimEnd() === "command=ls-refs") return true
  const asked = rest.filter((line) => !/^(agent|object-format)=/.test(line))
  return (
    command?.trimEnd() === "command=fetch" && asked.some((line) => line.trimEnd() === "done") && asked.every((line) => ASKED.test(line))
  )
}

/** The cache slot of one answer. */
export interface AnswerSlot {
  readonly kept: Buffer | undefined
  /** Takes git's output, chunk by chunk. */
  readonly add: (chunk: Buffer) => void
  /** Caches it, unless it is long, or the references have changed meanwhile. To be called once it is complete. */
  readonly keep: () => Promise<void>
}

/**
 * When packs were last added, replaced or removed. Git sends what a pack holds without a look at it: an answer from a damaged pack must not outlive the
 * pack that is brought back.
 */
const packsChangedAt = ({ directory }: Repository): Promise<string> =>
  stat(join(directory, "objects", "pack")).then(
    ({ ctimeMs }) => String(ctimeMs),
    () => "",
  )

/** The cache slot for a request by protocol version 2; undefined if it is not cacheable. */
export async function findAnswerSlot(context: Context, repository: Repository, request: Buffer): Promise<AnswerSlot | undefined> {
  if (request.length > REQUEST_BYTES || !isRepeatable(request)) return undefined
  const references = await fingerprint(repository)
  if (references === undefined) return undefined
  const { answers } = context.cache
  const key = keyIn(repository, references, await packsChangedAt(repository), createHash("sha256").update(request).digest("base64"))
  let size = 0
  let chunks: Buffer[] = []
  return {
    kept: answers.get(key),
    add(chunk) {
      size += chunk.length
      if (size <= ANSWER_BYTES) chunks.push(chunk)
      else chunks = []
    },
    async keep() {
      if (size <= ANSWER_BYTES && (await fingerprint(repository)) === references) answers.set(key, Buffer.concat(chunks))
    },
  }
}
