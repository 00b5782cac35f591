import type { Readable, Writable } from "node:stream"
import type { Services } from "../../../core/services.ts"
import type { Repository, UploadOutcome } from "../../../git/index.ts"

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
export const serveFetch = ({ git }: Services, repository: Repository, request: FetchRequest): Promise<UploadOutcome> =>
  git.transport.upload(repository, request)
