import type { User } from "../../../core/actor.ts"
import type { Described, Description, FileNames } from "../packages/registry.ts"

/** The most files whose commands are shown; the list of files has all. */
const MOST_COMMANDS = 3

/** A segment of an address that can stand in single quotes of a shell as well. */
const segment = (text: string): string => encodeURIComponent(text).replaceAll("'", "%27")

export const filePath = (owner: User, { name, version, fileName }: FileNames): string =>
  `/api/packages/${owner.name}/generic/${[name, version, fileName].map(segment).join("/")}`

export const describe = ({ site, owner, of, version, files }: Described): Description => ({
  commands: files.slice(0, MOST_COMMANDS).map(({ name }) => ({
    title: `Fetch ${name}:`,
    text: `curl -fLOJ '${site.rootUrl}${filePath(owner, { name: of.name, version: version.version, fileName: name })}'`,
  })),
})
