import { mostBytesOf } from "../../../core/bounds.ts"
import type { Config } from "../../../core/config.ts"
import type { Operation } from "../../../core/operation.ts"
import { uploadFormOf } from "../../../core/upload.ts"
import type { Json } from "./schema.ts"

/** The limits of what one operation takes and gives. */
export interface OperationLimits {
  /** The most bytes of the body; an upload has the limits of what it is for instead. */
  readonly bodyBytes?: number
  /** The most bytes of one text, and entries of one list, where the schema says nothing else. */
  readonly textBytes?: number
  readonly listItems?: number
  /** Entries of a page: without `limit`, and at most. */
  readonly page?: { readonly default: number; readonly maximum: number }
}

export function limitsOf({ body, paged }: Operation, { api, limits }: Config): OperationLimits {
  const isCollected = body !== undefined && uploadFormOf(body) === undefined
  return {
    ...(isCollected && {
      bodyBytes: Math.min(mostBytesOf(body, limits) ?? api.maxBodyBytes, api.maxBodyBytes),
      textBytes: limits.textBytes,
      listItems: limits.listItems,
    }),
    ...(paged && { page: { default: api.defaultPageSize, maximum: api.maxPageSize } }),
  }
}

/** What callers share, whatever they ask for: none gets more than a part of it, and who waits too long is refused with Retry-After. */
export const sharesOf = ({ http, git, security }: Config): Json => ({
  connectionsPerAddress: http.maxConnectionsPerAddress,
  bodiesBytesPerCaller: Math.floor(http.maxBodiesBytes / 2),
  gitCommandsAtOnce: git.maxConcurrentCommands,
  downloadsAtOnce: git.maxConcurrentDownloads,
  queueSeconds: git.maxQueueSeconds,
  wrongPasswords: {
    perAccount: security.guesses.perAccount,
    perAddress: security.guesses.perAddress,
    firstWaitSeconds: security.guesses.firstWaitSeconds,
    longestWaitSeconds: security.guesses.longestWaitSeconds,
  },
})
