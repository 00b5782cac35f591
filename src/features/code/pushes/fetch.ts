import type { Readable, Writable } from "node:stream"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Services } from "../../../core/services.ts"
import type { UploadOutcome } from "../../../git/index.ts"

export interface FetchRequest {
  /** The client's input, decompressed. */
  readonly input: Readable
  readonly output: Writable
  /** The client's `Git-Protocol` header. */
  readonly protocol: string | undefined
  /** One request and response (HTTP), or a full-duplex connection (SSH). */
  readonly stateless: boolean
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
}

/** Serves an admitted fetch. Throws what `git.transport.upload` throws. */
export const serveFetch = ({ git }: Services, { repository }: OnRepository, request: FetchRequest): Promise<UploadOutcome> =>
  git.transport.upload(git.at(repository.storage, repository.object_format), request)
