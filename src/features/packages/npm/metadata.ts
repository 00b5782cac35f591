import type { User } from "../../../core/actor.ts"
import { refuse } from "../../../core/errors.ts"
import type { Site } from "../../../core/site.ts"
import type { Work } from "../../../core/work.ts"
import type { FileNames } from "../packages/registry.ts"
import type { FileWithBlob, Package, Version } from "../packages/store.ts"
import { type Fields, isFields, textOf } from "./document.ts"
import { highest } from "./names.ts"
import type { Contents } from "./tarball.ts"

/** What is kept about a version, and the records that npm gets of it. */

interface Metadata {
  /** The package.json without what is kept elsewhere, with `deprecated`. */
  readonly manifest: Fields
  readonly readme: string
  readonly fileCount: number
  readonly unpackedSize: number
}

/** In characters. */
const LONGEST_README = 64 * 1024

/** Members of a manifest that are made anew at every answer, or say something about the publisher's machine. */
const isKept = (name: string): boolean => !name.startsWith("_") && !["dist", "readme", "readmeFilename", "gitHead"].includes(name)

/** The metadata of a new version, to be stored, of at most so many characters. Refuses `tooLarge`. */
export function writeMetadata(manifest: Fields, readme: unknown, { fileCount, unpackedSize }: Contents, most: number): string {
  const kept = Object.fromEntries(Object.entries(manifest).filter(([name]) => isKept(name)))
  const text = (textOf(readme) ?? textOf(manifest["readme"]) ?? "").slice(0, LONGEST_README).toWellFormed()
  const metadata: Metadata = { manifest: kept, readme: text, fileCount, unpackedSize }
  const written = JSON.stringify(metadata)
  if (written.length > most) throw refuse.tooLarge(`package.json and README may have ${most} characters together`)
  return written
}

export function readMetadata({ metadata }: Pick<Version, "metadata">): Metadata {
  const read: unknown = JSON.parse(metadata)
  const { manifest, readme, fileCount, unpackedSize }: Fields = isFields(read) ? read : {}
  return {
    manifest: isFields(manifest) ? manifest : {},
    readme: textOf(readme) ?? "",
    fileCount: Number(fileCount ?? 0),
    unpackedSize: Number(unpackedSize ?? 0),
  }
}

/** The metadata with another word of deprecation; "" takes it away. Undefined where it says so already. */
export function deprecate(version: Version, message: string): string | undefined {
  const metadata = readMetadata(version)
  const { deprecated, ...rest } = metadata.manifest
  if ((textOf(deprecated) ?? "") === message) return undefined
  return JSON.stringify({ ...metadata, manifest: message === "" ? rest : { ...rest, deprecated: message } })
}

/** A package with everything that its records are made of. */
export interface Whole {
  readonly site: Site
  readonly owner: User
  readonly of: Package
  readonly versions: readonly Version[]
  readonly files: readonly FileWithBlob[]
  readonly tags: readonly { readonly name: string; readonly version: string }[]
  readonly creators: ReadonlyMap<number, User>
}

const moment = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** The address of the registry of an owner. */
export const registryUrl = (site: Site, owner: User): string => `${site.rootUrl}/api/packages/${owner.name}/npm`

const escaped = (name: string): string => name.replace("/", "%2f")

/** The path of the tarball of a version. */
export const tarballPath = (owner: User, { name, version, fileName }: FileNames): string =>
  `/api/packages/${owner.name}/npm/${escaped(name)}/-/${version}/${fileName}`

/** The record of a version; undefined for one without its tarball. */
export function presentVersion(whole: Whole, version: Version, file: FileWithBlob | undefined): Fields | undefined {
  if (!file) return undefined
  const { site, owner, of, creators } = whole
  const { manifest, fileCount, unpackedSize } = readMetadata(version)
  const creator = creators.get(version.creator_id ?? 0)
  return {
    ...manifest,
    name: of.name,
    version: version.version,
    _id: `${of.name}@${version.version}`,
    dist: {
      integrity: `sha512-${Buffer.from(file.sha512, "hex").toString("base64")}`,
      shasum: file.sha1,
      tarball: site.rootUrl + tarballPath(owner, { name: of.name, version: version.version, fileName: file.name }),
      fileCount,
      unpackedSize,
    },
    ...(creator && { _npmUser: { name: creator.name } }),
  }
}

/** The tags; `latest` is always among them. */
export function tagsOf({ tags, versions }: Pick<Whole, "tags" | "versions">): Readonly<Record<string, string>> {
  const latest = highest(versions.map(({ version }) => version))
  return {
    ...(latest !== undefined && { latest }),
    ...Object.fromEntries(tags.map(({ name, version }) => [name, version])),
  }
}

/** What names a state of the package: changes that build on another one are refused. */
export const revisionOf = ({ id, revision }: Package): string => `${revision}-${id}`

/** What of the latest version is shown for the package. */
const SHOWN = ["description", "homepage", "keywords", "repository", "author", "bugs", "license"] as const

/** The record of a package as JSON: all of it, or what an installation needs. The versions are read one after another, and others have their turn between them. */
export async function writeRecord(whole: Whole, form: "whole" | "short", work: Work): Promise<Buffer> {
  const { of } = whole
  const files = new Map(whole.files.map((file) => [file.version_id, file]))
  const tags = tagsOf(whole)
  const pieces: Buffer[] = []
  let latest: Fields = {}
  let readme = ""
  for (const version of whole.versions) {
    await work.step(version.metadata.length)
    const record = presentVersion(whole, version, files.get(version.id))
    if (!record) continue
    if (form === "whole" && version.version === tags["latest"]) {
      latest = record
      readme = readMetadata(version).readme
    }
    const text = JSON.stringify(form === "short" ? abbreviated(record) : record)
    pieces.push(Buffer.from(`${pieces.length === 0 ? "" : ","}${JSON.stringify(version.version)}:${text}`))
  }
  const modified = moment(lastOf(whole))
  const head =
    form === "short"
      ? { name: of.name, modified, "dist-tags": tags }
      : {
          _id: of.name,
          _rev: revisionOf(of),
          name: of.name,
          ...Object.fromEntries(SHOWN.flatMap((name) => (latest[name] === undefined ? [] : [[name, latest[name]]]))),
          "dist-tags": tags,
          time: {
            created: moment(of.created_at),
            modified,
            ...Object.fromEntries(whole.versions.map(({ version, created_at }) => [version, moment(created_at)])),
          },
          maintainers: [...whole.creators.values()].map(({ name }) => ({ name })),
          readme,
        }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head).slice(0, -1)},"versions":{`), ...pieces, Buffer.from("}}")])
}

const lastOf = ({ of, versions }: Whole): number => Math.max(of.created_at, ...versions.map(({ created_at }) => created_at))

export const ABBREVIATED = "application/vnd.npm.install-v1+json"

/** What an installation needs of a version. */
const NEEDED = [
  "name",
  "version",
  "deprecated",
  "dependencies",
  "optionalDependencies",
  "devDependencies",
  "bundleDependencies",
  "bundledDependencies",
  "peerDependencies",
  "peerDependenciesMeta",
  "acceptDependencies",
  "bin",
  "directories",
  "dist",
  "engines",
  "cpu",
  "os",
  "libc",
  "funding",
] as const

const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"] as const

/** What an installation needs of the record of a version. */
function abbreviated(record: Fields): Fields {
  const { scripts } = record
  const runs = isFields(scripts) && INSTALL_SCRIPTS.some((name) => name in scripts)
  const needed = NEEDED.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]]))
  return { ...Object.fromEntries(needed), ...(runs && { hasInstallScript: true }) }
}
