/** Paths and queries of pages. */

/** A path of segments, each escaped: `path("a b", "c")` is `/a%20b/c`. */
export const path = (...segments: readonly (string | number)[]): string => `/${segments.map((part) => encodeURIComponent(part)).join("/")}`

/** A path in a repository or a reference, whose slashes stay. */
export const escapePath = (text: string): string => text.split("/").map(encodeURIComponent).join("/")

export type QueryValues = Readonly<Record<string, string | number | boolean | undefined>>

/** The address with these values of its query set, or taken away where they are undefined. `page` goes unless it is set. */
export function withQuery(url: string, values: QueryValues): string {
  const [address = "", query = ""] = url.split("?", 2)
  const parameters = new URLSearchParams(query)
  for (const [name, value] of Object.entries({ page: undefined, ...values }))
    if (value === undefined || value === "") parameters.delete(name)
    else parameters.set(name, String(value))
  const text = parameters.toString()
  return text === "" ? address : `${address}?${text}`
}

/** The path of one of our own addresses: pages work under whatever name a browser reached the site by. */
export const localPath = (address: string): string => address.replace(/^https?:\/\/[^/]+/, "") || "/"
