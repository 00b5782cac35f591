/** Where a store's bucket is, as `storage.url` says it: `s3://BUCKET?endpoint=https://…&region=…&path_style=true`. */
export interface StoragePlace {
  readonly bucket: string
  readonly endpoint: URL
  readonly region: string
  /** The address of a blob, or of the bucket. */
  readonly urlOf: (key: string | undefined, query: Readonly<Record<string, string>>) => string
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const KNOWN = ["endpoint", "region", "path_style"]

/** Reads a storage address; a sentence that says what is wrong with it otherwise. */
export function readStoragePlace(text: string): StoragePlace | string {
  const url = URL.parse(text)
  if (url?.protocol !== "s3:") return "must be like s3://BUCKET?endpoint=https://host&region=name"
  if (url.username !== "" || url.password !== "") return "must not have credentials; they have settings of their own"
  const bucket = url.hostname
  if (!BUCKET.test(bucket) || (url.pathname !== "" && url.pathname !== "/")) return "must name a bucket, and no folder in it"
  const unknown = [...url.searchParams.keys()].find((name) => !KNOWN.includes(name))
  if (unknown !== undefined) return `has ${unknown}, which is not known; there are ${KNOWN.join(", ")}`
  const region = url.searchParams.get("region") ?? "us-east-1"
  const given = url.searchParams.get("endpoint") ?? `https://s3.${region}.amazonaws.com`
  const endpoint = URL.parse(given)
  if (!endpoint || !["http:", "https:"].includes(endpoint.protocol) || endpoint.search !== "" || endpoint.username !== "")
    return "must have an endpoint like https://host"
  const style = url.searchParams.get("path_style") ?? String(url.searchParams.has("endpoint"))
  if (style !== "true" && style !== "false") return "must have true or false for path_style"
  return { bucket, endpoint, region, urlOf: (key, query) => addressOf(endpoint, bucket, style === "true", key, query) }
}

function addressOf(
  endpoint: URL,
  bucket: string,
  isPathStyle: boolean,
  key: string | undefined,
  query: Readonly<Record<string, string>>,
): string {
  const url = new URL(endpoint)
  if (!isPathStyle) url.hostname = `${bucket}.${endpoint.hostname}`
  const parts = [...(isPathStyle ? [bucket] : []), ...(key === undefined ? [] : key.split("/"))]
  url.pathname = `${endpoint.pathname.replace(/\/$/, "")}/${parts.map(encodeURIComponent).join("/")}`
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}
