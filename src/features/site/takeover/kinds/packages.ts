import { registries } from "../../../packages/registries.ts"
import { type Kind, leftOut, put, rows } from "../mapping/kind.ts"
import { isOn, json, members, moment, number, onOff, text } from "../source/row.ts"

const GONE = { person: "the account is gone", package: "the package is gone", version: "the version is gone" } as const

const packages: Kind = {
  name: "packages",
  from: "package",
  beside: [
    {
      table: "package_version",
      columns: "(select min(v.created_unix) from [package_version] v where v.package_id = x.id) as first_version",
    },
  ],
  into: "packages",
  map(row, world) {
    const [ownerId, type, name] = [number(row, "owner_id"), text(row, "type"), text(row, "name")]
    if (!world.has("users", ownerId)) return leftOut(GONE.person)
    if (isOn(row, "is_internal")) return leftOut(`${name}: it is only the index of a registry`)
    return {
      rows: [
        put("packages", {
          id: number(row, "id"),
          owner_id: ownerId,
          repository_id: world.known("repositories", number(row, "repo_id")),
          type,
          name,
          lower_name: text(row, "lower_name") || name.toLowerCase(),
          is_restricted: 0,
          created_at: moment(row, "first_version"),
        }),
      ],
      remark: registries.some((registry) => registry.type === type)
        ? undefined
        : `${name}: it is kept and listed, but there is no registry for ${type} here to fetch it from`,
    }
  },
}

/** What npm's registry keeps about a version: the members of package.json, which have names of their own there. */
function npmMetadata(written: Readonly<Record<string, unknown>>): string {
  const manifest = Object.fromEntries(
    Object.entries(written).flatMap(([name, value]) => {
      if (["scope", "name", "readme"].includes(name)) return []
      if (name === "repository" && text(members(value), "url") === "") return []
      return [[NPM_NAMES[name] ?? name, value]]
    }),
  )
  return JSON.stringify({ manifest, readme: text(written, "readme"), fileCount: 0, unpackedSize: 0 })
}

const NPM_NAMES: Readonly<Record<string, string>> = {
  project_url: "homepage",
  development_dependencies: "devDependencies",
  peer_dependencies: "peerDependencies",
  optional_dependencies: "optionalDependencies",
}

const versions: Kind = {
  name: "versions of packages",
  from: "package_version",
  beside: [{ table: "package", columns: "p.type as package_type", join: "left join [package] p on p.id = x.package_id" }],
  into: "package_versions",
  map(row, world) {
    const packageId = number(row, "package_id")
    if (!world.has("packages", packageId)) return leftOut(GONE.package)
    const version = text(row, "version")
    if (isOn(row, "is_internal")) return leftOut(`${version}: it is only an index or an upload of a registry`)
    const metadata = members(json(row, "metadata_json"))
    return rows(
      put("package_versions", {
        id: number(row, "id"),
        package_id: packageId,
        creator_id: world.known("users", number(row, "creator_id")),
        version,
        lower_version: text(row, "lower_version") || version.toLowerCase(),
        metadata: text(row, "package_type") === "npm" ? npmMetadata(metadata) : JSON.stringify(metadata),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

const blobs: Kind = {
  name: "contents of packages",
  from: "package_blob",
  into: "package_blobs",
  map(row, world) {
    const sha256 = text(row, "hash_sha256")
    if (!/^[0-9a-f]{64}$/.test(sha256)) return leftOut("it has no SHA-256")
    const file = world.nameOf(`package ${sha256}`)
    const created = moment(row, "created_unix")
    return {
      rows: [
        put("package_blobs", {
          id: number(row, "id"),
          file,
          size: number(row, "size"),
          md5: text(row, "hash_md5"),
          sha1: text(row, "hash_sha1"),
          sha256,
          sha512: text(row, "hash_sha512"),
          created_at: created,
          used_at: created,
        }),
      ],
      files: [
        { store: "packages", path: `${sha256.slice(0, 2)}/${sha256.slice(2, 4)}/${sha256}`, key: `packages/${file.slice(0, 2)}/${file}` },
      ],
    }
  },
}

const files: Kind = {
  name: "files of packages",
  from: "package_file",
  into: "package_files",
  map(row, world) {
    const [versionId, blobId, name] = [number(row, "version_id"), number(row, "blob_id"), text(row, "name")]
    if (!world.has("package_versions", versionId)) return leftOut(GONE.version)
    if (!world.has("package_blobs", blobId)) return leftOut("its content is gone")
    return rows(
      put("package_files", {
        id: number(row, "id"),
        version_id: versionId,
        blob_id: blobId,
        name,
        lower_name: text(row, "lower_name") || name.toLowerCase(),
        created_at: moment(row, "created_unix"),
      }),
    )
  },
}

/** Properties whose values are files' or versions' own, of registries that are not here. */
const OF_A_VERSION = 0

const tags: Kind = {
  name: "tags of packages",
  from: "package_property",
  beside: [{ table: "package_version", columns: "v.package_id", join: "left join [package_version] v on v.id = x.ref_id" }],
  into: "package_tags",
  map(row, world) {
    if (number(row, "ref_type") !== OF_A_VERSION || text(row, "name") !== "npm.tag") return undefined
    const [versionId, packageId] = [number(row, "ref_id"), number(row, "package_id")]
    if (!world.has("package_versions", versionId) || !world.has("packages", packageId)) return leftOut(GONE.version)
    return rows(put("package_tags", { package_id: packageId, name: text(row, "value"), version_id: versionId }))
  },
}

const rules: Kind = {
  name: "clean-up rules of packages",
  from: "package_cleanup_rule",
  into: "package_rules",
  map(row, world) {
    const ownerId = number(row, "owner_id")
    if (!world.has("users", ownerId)) return leftOut(GONE.person)
    return {
      rows: [
        put("package_rules", {
          id: number(row, "id"),
          owner_id: ownerId,
          type: text(row, "type"),
          is_enabled: onOff(row, "enabled"),
          keep_count: number(row, "keep_count"),
          keep_pattern: text(row, "keep_pattern"),
          remove_days: number(row, "remove_days"),
          remove_pattern: text(row, "remove_pattern"),
        }),
      ],
      remark: isOn(row, "match_full_name")
        ? "its patterns were of whole names, with the package's; here they are of versions alone"
        : undefined,
    }
  },
}

export const packageKinds: readonly Kind[] = [packages, versions, blobs, files, tags, rules]
