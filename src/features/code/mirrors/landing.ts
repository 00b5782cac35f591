import type { Repository as RepositoryRow } from "../../../access/permission.ts"
import type { Seconds } from "../../../core/database/tables.ts"
import { secondsOf } from "../../../core/record.ts"
import type { Services } from "../../../core/services.ts"
import { cutToWidth } from "../../../core/text/width.ts"
import type { Import } from "./store.ts"

/** Where records from another server go, and how what they say is kept here. */

/** The repository that they are brought to. */
export interface Landing {
  readonly services: Services
  readonly repository: RepositoryRow
  readonly imported: Import
}

/** What a database can hold of a text from elsewhere. */
export const clean = (text: string | null | undefined): string => (text ?? "").replaceAll("\0", "\uFFFD").toWellFormed()
export const cut = (text: string | null | undefined, width: number): string => cutToWidth(clean(text), width).trim()

/** A moment as a server tells it; `otherwise` where it tells none, or none that is one. */
export function momentOf(text: string | null | undefined, otherwise: Seconds): Seconds {
  const seconds = text ? secondsOf(text) : undefined
  return seconds === undefined || !Number.isSafeInteger(seconds) || seconds < 0 ? otherwise : seconds
}

interface Written {
  readonly user?: { readonly id?: number | null; readonly login?: string | null } | null
  readonly original_author?: string | null
}

/** Who wrote something there, or somewhere before. */
export const originalOf = ({ user, original_author: before }: Written) => ({
  original_author: cut(before || user?.login, 255),
  original_author_id: before ? 0 : (user?.id ?? 0),
})
