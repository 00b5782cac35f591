/** The texts of refusals that a play of the scenarios sees, by operation and status, for the documents of the API. */
import { readFileSync } from "node:fs"
import { operations } from "../../src/operations.ts"
import { routeTable } from "../../src/servers/routing/routes.ts"

export type RefusalTexts = Readonly<Record<string, readonly string[]>>

const API = "/api/v1"
const table = routeTable(operations)

/** The operation that a request is for, or undefined. */
export function operationOf(method: string, address: string): string | undefined {
  const { pathname } = new URL(address)
  return pathname.startsWith(`${API}/`) ? table.find(method, pathname.slice(API.length))?.route.id : undefined
}

interface Message {
  readonly text: string
  /** What is always the same, around what changes. */
  readonly parts: readonly string[]
  /** Characters that are always the same. */
  readonly fixed: number
}

/** The messages of the source, of which those with values are texts with places: `there is no user {0}`. The longest come first. */
const messages: readonly Message[] = Object.keys(JSON.parse(readFileSync(new URL("../../assets/locales/en.json", import.meta.url), "utf8")))
  .filter((text) => !/\{\w+,/.test(text))
  .map((text) => {
    const parts = text.split(/\{\w+\}/)
    return { text: parts.join("…"), parts, fixed: parts.join("").length }
  })
  .filter(({ fixed }) => fixed >= 8)
  .toSorted((a, b) => b.fixed - a.fixed)

/** Whether the text has all parts, one behind the other, and nothing before the first and behind the last. */
function fits(text: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts
  if (!text.startsWith(first)) return false
  const last = others.pop()
  if (last === undefined) return text === first
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** What was said, with … in place of names and numbers; undefined for what is no message of the source. */
export function messageOf(said: string): string | undefined {
  const known = (text: string): string | undefined => messages.find(({ parts }) => fits(text, parts))?.text
  const [, field, reason] = /^\[([^\]]+)\]: (.*)$/s.exec(said) ?? []
  const whole = known(said)
  if (whole !== undefined || field === undefined || reason === undefined) return whole
  const cause = known(reason)
  return cause && `[${field.replace(/\d+/g, "…")}]: ${cause}`
}
