import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Seconds } from "../../../core/database/tables/index.ts"
import { secondsOf } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { cutToBytes } from "../../../core/text/bytes.ts"
import { cutToWidth } from "../../../core/text/width.ts"
import type { Import } from "./store.ts"

/** The repository that imported records belong to, and how their texts and times are stored. */

/** The repository that records are imported into. */
export interface ImportTarget {
  readonly services: Services
  readonly repository: RepositoryRow
  readonly imported: Import
}

/** A foreign text without characters that a database can't store. */
export const clean = (text: string | null | undefined): string => (text ?? "").replaceAll("\0", "\uFFFD").toWellFormed()
/** The same, no longer than texts that are written here. */
export const whole = (text: string | null | undefined, { config }: Services): string => cutToBytes(clean(text), config.limits.textBytes)
export const cut = (text: string | null | undefined, width: number): string => cutToWidth(clean(text), width).trim()

/** Parses a time sent by a server; `otherwise` if it is missing or invalid. */
export function parseTime(text: string | null | undefined, otherwise: Seconds): Seconds {
  const seconds = text ? secondsOf(text) : undefined
  return seconds === undefined || !Number.isSafeInteger(seconds) || seconds < 0 ? otherwise : seconds
}

interface Written {
  readonly user?: { readonly id?: number | null; readonly login?: string | null } | null
  readonly original_author?: string | null
}

/** The author on the other server, or on the server that it was imported from. */
export const originalOf = ({ user, original_author: before }: Written) => ({
  original_author: cut(before || user?.login, 255),
  original_author_id: before ? 0 : (user?.id ?? 0),
})
