import type { Rendering } from "./rendering.ts"

/** Addresses in texts: which are allowed, and where relative ones lead. */

/** What ids of a text begin with, so that they can't be confused with those of the page around it. */
const ID_PREFIX = "user-content-"

export const prefixedId = (id: string): string => (id.startsWith(ID_PREFIX) ? id : ID_PREFIX + id)

const SCHEME = /^([a-z][a-z0-9+.-]*):/i
/** What browsers skip before and inside of a scheme. */
const SKIPPED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
const SCHEMES = { page: ["http", "https", "mailto"], media: ["http", "https"] } as const

export type Purpose = keyof typeof SCHEMES

/** The address as it may stand in the HTML, or undefined if it is not allowed. */
export function addressFor(written: string, purpose: Purpose, { style, links, rootUrl }: Rendering): string | undefined {
  const address = written.replace(SKIPPED, "").trim().replaceAll("\\", "%5C")
  if (address === "") return undefined
  const scheme = SCHEME.exec(address)?.[1]?.toLowerCase()
  if (scheme !== undefined) return SCHEMES[purpose].some((allowed) => allowed === scheme) ? address : undefined
  if (style === "plain" || address.startsWith("//")) return address
  if (address.startsWith("#")) return `#${prefixedId(address.slice(1))}`
  if (address.startsWith("/:root/")) return `${rootUrl}/${inside(address.slice("/:root/".length), "")}`
  const base = purpose === "page" ? (links?.pages ?? rootUrl) : (links?.media ?? rootUrl)
  const path = inside(address, address.startsWith("/") ? "" : (links?.folder ?? ""))
  return path === "" || path.startsWith("?") || path.startsWith("#") ? base + path : `${base}/${path}`
}

/** A path with its query and fragment, completed by the folder, without dots that would lead out of the base. */
function inside(address: string, folder: string): string {
  const end = address.search(/[?#]/)
  const [path, rest] = end < 0 ? [address, ""] : [address.slice(0, end), address.slice(end)]
  const parts: string[] = []
  for (const part of [...folder.split("/"), ...path.split("/")]) {
    const plain = part.replace(/%2e/gi, ".")
    if (plain === "..") parts.pop()
    else if (plain !== "." && plain !== "") parts.push(part)
  }
  const slash = parts.length > 0 && path.endsWith("/") ? "/" : ""
  return parts.join("/") + slash + rest
}
