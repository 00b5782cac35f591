import type { Readable, Writable } from "node:stream"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Services } from "../../../core/services.ts"
import type { UploadOutcome } from "../../../git/index.ts"

export interface FetchRequest {
  /** What the client sends, no longer compressed. */
  readonly input: Readable
  readonly output: Writable
  /** The client's `Git-Protocol`. */
  readonly protocol: string | undefined
  /** One request and one answer (HTTP), or a conversation (SSH). */
  readonly stateless: boolean
  /** Fires when the client is gone. */
  readonly signal: AbortSignal
}

/** Serves a fetch to somebody who was admitted to it. Throws what `git.transport.upload` throws. */
export const serveFetch = ({ git }: Services, { repository }: OnRepository, request: FetchRequest): Promise<UploadOutcome> =>
  git.transport.upload(git.at(repository.storage, repository.object_format), request)
