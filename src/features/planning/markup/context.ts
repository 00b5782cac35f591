import type { LinkBases, RepositoryName } from "../../../core/markup/rendering.ts"
import type { MODES } from "./records.ts"

type Mode = (typeof MODES)[number]

/** Where a text stands. */
export interface RenderContext {
  /** Undefined where the context names no repository. It need not exist. */
  readonly home: RepositoryName | undefined
  readonly links: LinkBases
}

const NAME = /^[A-Za-z0-9_][\w.-]*$/

/** Reads the context of a rendering as clients send it; one that can't be read is the root of the server. */
export function readContext(rootUrl: string, mode: Mode, context: string, filePath: string): RenderContext {
  const path = context.startsWith(`${rootUrl}/`) ? context.slice(rootUrl.length) : context
  const [owner = "", name = "", ...rest] = path.split("/").filter((part) => part !== "" && part !== "." && part !== "..")
  if (!NAME.test(owner) || !NAME.test(name)) return { home: undefined, links: { pages: rootUrl, media: rootUrl, folder: "" } }
  return { home: { owner, name }, links: basesIn(`${rootUrl}/${owner}/${name}`, mode, rest.map(encoded), folderOf(filePath)) }
}

/** The context of a text that is rendered in a repository: what the sent one says of it, and the repository where it names another or none. */
export function contextIn(rootUrl: string, { owner, name }: RepositoryName, context: string): string {
  const { home } = readContext(rootUrl, "markdown", context, "")
  const isOfIt = home?.owner.toLowerCase() === owner.toLowerCase() && home.name.toLowerCase() === name.toLowerCase()
  return isOfIt ? context : `/${owner}/${name}`
}

function basesIn(repository: string, mode: Mode, rest: readonly string[], folder: string): LinkBases {
  if (mode === "wiki") return { pages: `${repository}/wiki`, media: `${repository}/wiki/raw`, folder: "" }
  if (mode !== "gfm" && mode !== "file") return { pages: repository, media: repository, folder: "" }
  const [first, ...reference] = rest
  const tree = first === "src" ? reference.join("/") : rest.join("/")
  // The context of a file ends in the folder of the file, if it names one.
  const isInFolder = folder !== "" && `/${tree}`.endsWith(`/${folder}`)
  const base = isInFolder ? tree.slice(0, tree.length - folder.length).replace(/\/$/, "") : tree
  const below = (kind: string) => [repository, kind, base].filter((part) => part !== "").join("/")
  return { pages: below("src"), media: below("media"), folder }
}

const folderOf = (filePath: string): string =>
  filePath
    .split("/")
    .slice(0, -1)
    .filter((part) => part !== "" && part !== "." && part !== "..")
    .map(encoded)
    .join("/")

/** Percent escapes that were sent stay what they are. */
function encoded(part: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(part))
  } catch {
    return encodeURIComponent(part.toWellFormed())
  }
}
