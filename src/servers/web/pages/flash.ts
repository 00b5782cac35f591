import type { FastifyRequest } from "fastify"
import { addressOf } from "../../../core/forms/form.ts"
import type { Page, Undo } from "../../../core/page.ts"
import type { Flash } from "../../../web/layout.ts"

/** The sentence about what was done, which the next page shows, with the button that takes it back. The browser keeps it until then. */

export const FLASH = "hearth_flash"
const SECONDS = 60
/** Browsers keep no cookie of more than 4 KiB. */
export const LONGEST_FLASH = 3_500

/** The forms that a flash may offer, by their ids. A cookie is not ours alone to write: it can lead to no other. */
export type Undoable = ReadonlyMap<string, Page>

export function undoableIn(pages: readonly Page[]): Undoable {
  const ids = new Set(pages.flatMap(({ undoneBy = [] }) => undoneBy))
  return new Map(pages.filter(({ id, method }) => method === "POST" && ids.has(id)).map((page) => [page.id, page]))
}

/** Whether someone will see the answer. What a script asks for is no page, and takes no flash away from one. */
export const isNavigation = ({ headers }: FastifyRequest): boolean => headers["sec-fetch-dest"] !== "empty"

export const noFlash = `${FLASH}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax`

export function flashCookie(text: string, undo: Undo | undefined): string {
  const whole = undo && encodeURIComponent(JSON.stringify({ text, undo }))
  const value = whole !== undefined && whole.length <= LONGEST_FLASH ? whole : encodeURIComponent(text)
  return `${FLASH}=${value}; Path=/; Max-Age=${SECONDS}; HttpOnly; SameSite=Lax`
}

export function flashIn(value: string | undefined, undoable: Undoable): Flash | undefined {
  if (value === undefined) return undefined
  if (!value.startsWith("{")) return { text: value }
  try {
    const { text, undo }: { readonly text?: unknown; readonly undo?: unknown } = JSON.parse(value)
    if (typeof text !== "string") return undefined
    const found = undoIn(undo, undoable)
    return { text, ...(found && { undo: found }) }
  } catch {
    return undefined
  }
}

function undoIn(undo: unknown, undoable: Undoable): Flash["undo"] {
  const { form, path, fields } = membersOf(undo)
  const page = typeof form === "string" ? undoable.get(form) : undefined
  if (!page) return undefined
  const values = Object.entries(membersOf(path)).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  const sent = Object.entries(membersOf(fields)).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (typeof each === "string" ? [[name, each] as const] : [])),
  )
  return { action: addressOf(page, Object.fromEntries(values)), fields: sent }
}

const membersOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null ? { ...value } : {})
