import { readFileSync } from "node:fs"
import { stat } from "node:fs/promises"
import { dirname, isAbsolute, join, relative, resolve } from "node:path"
import { hasCode } from "../../../../git/model/errors.ts"
import { type Ini, readIni, withEnvironment } from "./ini.ts"

/** What can't be taken over as it is. `advice` says what to do next; both are for the operator. */
export class SourceRefused extends Error {
  readonly advice: string

  constructor(message: string, advice: string, cause?: unknown) {
    super(message, { cause })
    this.name = "SourceRefused"
    this.advice = advice
  }
}

/** The files of the old server that are no rows, by their folder. */
export const STORES = ["attachments", "lfs", "avatars", "repo-avatars", "packages", "actions_log", "actions_artifacts"] as const
export type StoreName = (typeof STORES)[number]

/** Where an installation has what, and the keys that open it. */
export interface Layout {
  /** The address that the old server was reached at. */
  readonly rootUrl: string
  readonly repositories: string
  /** How the old server calls that folder. */
  readonly repositoriesThere: string
  readonly stores: Readonly<Record<StoreName, string>>
  /** `sqlite:` and a path, or the address of a PostgreSQL or MySQL. */
  readonly database: string
  /** The schema of a PostgreSQL. */
  readonly schema: string
  readonly secretKey: string
  /** The folder of the host keys of the built-in SSH server. */
  readonly sshKeys: string
  readonly oauth2: {
    readonly algorithm: string
    readonly keyFile: string
    /** Signs with HS256 and the like; "" where it is unset. */
    readonly secret: string
    /** A refresh token is void once it was used. */
    readonly invalidatesRefreshTokens: boolean
  }
}

/** The secret key of servers that were never given one. */
const DEFAULT_SECRET_KEY = "!#@FDEWREWR&*("

const PLACES = ["custom/conf/app.ini", "conf/app.ini", "gitea/conf/app.ini", "data/gitea/conf/app.ini", "app.ini"]

/**
 * Reads where an installation has what. `from` is its folder, or its `app.ini`. Paths in it that are of another machine are looked for below that folder.
 * Throws {@link SourceRefused}.
 */
export async function readLayout(
  from: string,
  database: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Layout> {
  const file = await findIni(resolve(from))
  const ini = withEnvironment(readIni(readText(file)), env, readText)
  const root = await rootOf(file, resolve(from))
  return layoutOf(ini, root, database)
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw new SourceRefused(`${file} can't be read.`, "Let the user that Hearth runs as read the files of the old server.", error)
  }
}

async function findIni(from: string): Promise<string> {
  const found = await stat(from).catch((error: unknown) => {
    if (hasCode(error, "ENOENT", "ENOTDIR"))
      throw new SourceRefused(`There is no ${from}.`, "Name the data folder of the old server, or its app.ini.")
    throw error
  })
  if (found.isFile()) return from
  for (const place of PLACES) if (await isThere(join(from, place))) return join(from, place)
  throw new SourceRefused(`There is no app.ini in ${from}.`, "Name the file itself with --from.")
}

export const isThere = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )

/** The folder that stands for WORK_PATH: that of `--from`, or for a file the one that it usually lies below. */
async function rootOf(file: string, from: string): Promise<string> {
  if (file !== from) return from
  const above = relative(dirname(dirname(file)), file) === join("conf", "app.ini") ? dirname(dirname(file)) : dirname(file)
  return /(^|\/)custom$/.test(above) ? dirname(above) : above
}

async function layoutOf(ini: Ini, root: string, database: string | undefined): Promise<Layout> {
  const value = (section: string, key: string): string => ini.get(section)?.get(key) ?? ""
  const work = value("", "WORK_PATH") || root
  /** A path of the installation, here: the one that is written, or the same place below the folder that was given. */
  const here = async (path: string, base: string): Promise<string> => {
    const whole = isAbsolute(path) ? path : join(base, path)
    const below = relative(work, whole)
    const moved = below.startsWith("..") ? whole : join(root, below)
    return work !== root && (await isThere(moved)) ? moved : (await isThere(whole)) ? whole : moved
  }
  const data = value("server", "APP_DATA_PATH") || "data"
  const dataPath = isAbsolute(data) ? data : join(work, data)
  const store = async (name: StoreName): Promise<string> => {
    const path = storePath(ini, name, value)
    return here(path ?? join(dataPath, name), dataPath)
  }
  const stores = await Promise.all(STORES.map(async (name) => [name, await store(name)] as const))
  const repositories = value("repository", "ROOT") || join(dataPath, "gitea-repositories")
  return {
    rootUrl: (value("server", "ROOT_URL") || "http://localhost:3000/").replace(/\/$/, ""),
    repositories: await here(repositories, work),
    repositoriesThere: isAbsolute(repositories) ? repositories : join(work, repositories),
    stores: Object.fromEntries(stores) as Layout["stores"],
    database: database ?? (await databaseOf(value, (path) => here(path, work), dataPath)),
    schema: value("database", "SCHEMA") || "public",
    secretKey: await secretOf(value, here, work),
    sshKeys: await here(join(dataPath, "ssh"), dataPath),
    oauth2: {
      algorithm: value("oauth2", "JWT_SIGNING_ALGORITHM") || "RS256",
      keyFile: await here(value("oauth2", "JWT_SIGNING_PRIVATE_KEY_FILE") || "jwt/private.pem", dataPath),
      secret: value("oauth2", "JWT_SECRET"),
      invalidatesRefreshTokens: /^(true|1|yes|on)$/i.test(value("oauth2", "INVALIDATE_REFRESH_TOKENS")),
    },
  }
}

type Value = (section: string, key: string) => string

const SECTION_OF: Readonly<Record<StoreName, string>> = {
  attachments: "attachment",
  lfs: "lfs",
  avatars: "picture",
  "repo-avatars": "picture",
  packages: "packages",
  actions_log: "actions",
  actions_artifacts: "actions",
}
const OWN_KEY: Readonly<Partial<Record<StoreName, readonly [section: string, key: string]>>> = {
  attachments: ["attachment", "PATH"],
  lfs: ["lfs", "PATH"],
  packages: ["packages", "PATH"],
  avatars: ["picture", "AVATAR_UPLOAD_PATH"],
  "repo-avatars": ["picture", "REPOSITORY_AVATAR_UPLOAD_PATH"],
}

/** The path of a store as it is written; undefined for the usual one. Throws {@link SourceRefused} for one that is no folder. */
function storePath(_ini: Ini, name: StoreName, value: Value): string | undefined {
  const own = OWN_KEY[name]
  const type =
    value(`storage.${name}`, "STORAGE_TYPE") || value(SECTION_OF[name], "STORAGE_TYPE") || value("storage", "STORAGE_TYPE") || "local"
  if (type !== "local")
    throw new SourceRefused(
      `The ${name} of the old server are in an object store (STORAGE_TYPE = ${type}), which is not read.`,
      `Copy them into a folder (with rclone, for instance), and let [storage.${name}] of a copy of app.ini name it: STORAGE_TYPE = local, PATH = …`,
    )
  const written = (own && value(...own)) || value(`storage.${name}`, "PATH") || (name === "lfs" ? value("server", "LFS_CONTENT_PATH") : "")
  if (written !== "") return written
  const common = value("storage", "PATH")
  return common === "" ? undefined : join(common, name)
}

async function databaseOf(value: Value, here: (path: string) => Promise<string>, dataPath: string): Promise<string> {
  const type = value("database", "DB_TYPE").toLowerCase() || "sqlite3"
  if (type === "sqlite3" || type === "sqlite") return `sqlite:${await here(value("database", "PATH") || join(dataPath, "gitea.db"))}`
  const scheme = type.startsWith("postgres") ? "postgres" : type === "mysql" ? "mysql" : undefined
  if (scheme === undefined)
    throw new SourceRefused(
      `The database of the old server is of a kind that is not read: ${type}.`,
      "Move it to PostgreSQL or SQLite first.",
    )
  const url = new URL(`${scheme}://host`)
  const host = value("database", "HOST") || "127.0.0.1"
  if (host.startsWith("/")) {
    url.hostname = "localhost"
    url.searchParams.set(scheme === "mysql" ? "socketPath" : "host", host)
  } else url.host = host
  url.username = encodeURIComponent(value("database", "USER"))
  url.password = encodeURIComponent(value("database", "PASSWD"))
  url.pathname = `/${value("database", "NAME")}`
  return url.href
}

async function secretOf(value: Value, here: (path: string, base: string) => Promise<string>, work: string): Promise<string> {
  const uri = value("security", "SECRET_KEY_URI")
  const file = /^file:(.*)$/.exec(uri)?.[1]
  const key = file === undefined ? value("security", "SECRET_KEY") : readText(await here(file.replace(/^\/\/(?=\/)/, ""), work)).trim()
  return key === "" ? DEFAULT_SECRET_KEY : key
}
