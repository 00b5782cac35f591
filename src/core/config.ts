import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { readNetworks } from "./networks.ts"
import { exposureOf } from "./private-file.ts"
import { onDemand } from "./program/on-demand.ts"
import { isSetting, type Setting } from "./setting.ts"
import { type Group, settings } from "./settings.ts"
import { closestWord } from "./text/closest-word.ts"

type Values<G> = { readonly [K in keyof G]: G[K] extends Setting<infer T> ? T : Values<G[K]> }
type Some<G> = { readonly [K in keyof G]?: (G[K] extends Setting<infer T> ? T : Some<G[K]>) | undefined }

/** The settings of one forge. Lengths of time are in seconds, sizes in bytes. */
export type Config = Values<typeof settings>

/** Some settings, in the shape of {@link Config}. */
export type ConfigOverrides = Some<typeof settings>

/** Where a value came from, strongest last. */
export interface Source {
  readonly kind: "default" | "file" | "environment" | "option"
  /** The variable or the file. */
  readonly name: string
}

export interface LoadedConfig {
  readonly config: Config
  /** Keyed by the setting's dotted name. */
  readonly sources: Readonly<Record<string, Source>>
  /** The file that was read, if there was one. */
  readonly file: string | undefined
}

/** One reason why a configuration is refused. */
export interface ConfigProblem {
  /** The setting, or the unknown name. */
  readonly setting: string
  readonly source: Source
  readonly message: string
}

/** The configuration can't be used. Names every problem at once, each with its source and what would be accepted. */
export class ConfigRefused extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super(
      [
        "The configuration is refused:",
        ...problems.map(({ setting, source, message }) => `  ${setting} (${told(source)}): ${message}`),
      ].join("\n"),
    )
    this.name = "ConfigRefused"
    this.problems = problems
  }
}

const told = ({ kind, name }: Source): string => (name === "" ? kind : `${kind} ${name}`)

/** The variable that names the file. */
const FILE_VARIABLE = "HEARTH_CONFIG"
/** Variables with this prefix belong to the project's own tests. */
const TEST_VARIABLES = "HEARTH_TEST_"

/** The name of the environment variable that sets `key`: http.port → HEARTH_HTTP_PORT. */
const variableOf = (key: string): string => `HEARTH_${key.replace(/[A-Z]/g, "_$&").replaceAll(".", "_").toUpperCase()}`

const flatten = (group: Group, prefix = ""): readonly (readonly [string, Setting<unknown>])[] =>
  Object.entries(group).flatMap(([name, entry]) =>
    isSetting(entry) ? [[`${prefix}${name}`, entry] as const] : flatten(entry, `${prefix}${name}.`),
  )

const table: ReadonlyMap<string, Setting<unknown>> = new Map(flatten(settings))
const keyOfVariable: ReadonlyMap<string, string> = new Map([...table.keys()].map((key) => [variableOf(key), key]))

export interface LoadOptions {
  /** The environment, or the part of it to read. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file to read instead of the one that the environment names; false reads none. */
  readonly file?: string | false
  /** Values that win over everything else, such as the command line's. */
  readonly overrides?: ConfigOverrides
}

/**
 * The configuration: options over environment over file over defaults. The file is the one that `HEARTH_CONFIG` names, or hearth.toml in
 * dataDir where there is one. An empty variable counts as not set. Relative paths are relative to the file that contains them, else to
 * the working folder. Refuses with {@link ConfigRefused}.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const given: Given[] = [...fromEnvironment(options.env), ...fromOptions(options.overrides ?? {})]
  const file = findFile(options, given)
  const problems: ConfigProblem[] = []
  const values = new Map<string, unknown>()
  const sources = new Map<string, Source>()
  for (const [key, setting] of table) {
    values.set(key, setting.fallback)
    sources.set(key, { kind: "default", name: "" })
  }
  for (const { key, source, value } of [...fromFile(file, problems), ...given]) {
    const setting = table.get(key)
    const read = setting?.read(value)
    if (setting === undefined) problems.push({ setting: key, source, message: unknown(key, source) })
    else if (read === undefined) problems.push({ setting: key, source, message: notAccepted(setting, value) })
    else {
      values.set(key, read)
      sources.set(key, source)
    }
  }
  const config = resolved(assemble(values), sources)
  problems.push(...contradictions(config, sources))
  if (problems.length > 0) throw new ConfigRefused(problems)
  return { config, sources: Object.fromEntries(sources), file: file?.name }
}

// --- where values come from ------------------------------------------------------------------------------------------------------

interface Given {
  readonly key: string
  readonly source: Source
  readonly value: string
}

function fromEnvironment(env: LoadOptions["env"]): readonly Given[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!name.startsWith("HEARTH_") || name === FILE_VARIABLE || name.startsWith(TEST_VARIABLES) || value === undefined || value === "")
      return []
    return [{ key: keyOfVariable.get(name) ?? name, source: { kind: "environment", name }, value }]
  })
}

const fromOptions = (overrides: ConfigOverrides): readonly Given[] =>
  leaves(overrides).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, source: { kind: "option", name: "" }, value: textOf(value) }],
  )

/** The file to read. A file that was named must exist; the one in dataDir need not. */
function findFile({ env, file }: LoadOptions, given: readonly Given[]): { readonly name: string; readonly named: boolean } | undefined {
  if (file === false) return undefined
  const named = file ?? (env[FILE_VARIABLE] || undefined)
  if (named !== undefined) return { name: resolve(named), named: true }
  const dataDir = given.findLast(({ key }) => key === "dataDir")?.value ?? settings.dataDir.fallback
  const name = resolve(dataDir, "hearth.toml")
  return existsSync(name) ? { name, named: false } : undefined
}

function fromFile(file: ReturnType<typeof findFile>, problems: ConfigProblem[]): readonly Given[] {
  if (file === undefined) return []
  const source: Source = { kind: "file", name: file.name }
  let content: object
  try {
    content = onDemand("smol-toml").parse(readFileSync(file.name, "utf8"))
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error)
    problems.push({
      setting: file.named ? FILE_VARIABLE : "hearth.toml",
      source,
      message: `The file can't be read: ${reason}. Give a readable TOML file.`,
    })
    return []
  }
  const entries = leaves(content)
  const exposure = entries.some(isHidden) ? exposureOf(file.name, statSync(file.name), { byGroup: true }) : undefined
  if (exposure !== undefined) problems.push({ setting: file.named ? FILE_VARIABLE : "hearth.toml", source, message: exposure })
  return entries.flatMap(([key, value]) => {
    if (key === "dataDir" && !file.named) {
      problems.push({
        setting: key,
        source,
        message: `The file lies in dataDir and can't move it. Set ${variableOf(key)}, or name the file with ${FILE_VARIABLE}.`,
      })
      return []
    }
    const isList = Array.isArray(value) && Array.isArray(table.get(key)?.fallback)
    if (table.has(key) && !isList && !["string", "number", "bigint", "boolean"].includes(typeof value)) {
      problems.push({ setting: key, source, message: `A list or date is not accepted. Give ${table.get(key)?.accepts}.` })
      return []
    }
    return [{ key, source, value: textOf(value) }]
  })
}

/** A value as its setting reads it. */
const textOf = (value: unknown): string => (Array.isArray(value) ? JSON.stringify(value) : String(value))

/** Whether a value is, or has in it, what must not be shown. */
function isHidden([key, value]: readonly [string, unknown]): boolean {
  const setting = table.get(key)
  const read = setting?.read(textOf(value))
  return setting !== undefined && read !== undefined && setting.secret && setting.write(read) !== read
}

/** The values of nested tables under their dotted names. */
function leaves(group: object, prefix = ""): readonly (readonly [string, unknown])[] {
  return Object.entries(group).flatMap(([name, value]: [string, unknown]) => {
    const isGroup = typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
    return isGroup ? leaves(value, `${prefix}${name}.`) : [[`${prefix}${name}`, value] as const]
  })
}

// --- from values to the configuration --------------------------------------------------------------------------------------------

function assemble(values: ReadonlyMap<string, unknown>): Config {
  const fill = (group: Group, prefix: string): object =>
    Object.fromEntries(
      Object.entries(group).map(([name, entry]) => [name, isSetting(entry) ? values.get(prefix + name) : fill(entry, `${prefix}${name}.`)]),
    )
  // Every value was read by the setting that gives its type; the compiler can't follow that through the map.
  return fill(settings, "") as Config
}

function resolved(config: Config, sources: ReadonlyMap<string, Source>): Config {
  const beside = (key: string, path: string): string => {
    const source = sources.get(key)
    return source?.kind === "file" ? resolve(dirname(source.name), path) : resolve(path)
  }
  const dataDir = beside("dataDir", config.dataDir)
  const file = /^sqlite:(?!:|\/)(.+)$/.exec(config.databaseUrl)?.[1]
  const databaseUrl = file ? `sqlite:${resolve(file)}` : config.databaseUrl || `sqlite:${resolve(dataDir, "hearth.db")}`
  const importDir =
    config.repository.importDir === "" ? resolve(dataDir, "import") : beside("repository.importDir", config.repository.importDir)
  const repository = { ...config.repository, importDir }
  return { ...config, dataDir, databaseUrl, repository, rootUrl: config.rootUrl.replace(/\/+$/, "") }
}

/**
 * Whether any number of equal servers share everything that counts: with PostgreSQL and an object store, which have the repositories too. A server's own disk then holds only caches.
 */
export const isSharedByServers = ({ databaseUrl, storage }: Pick<Config, "databaseUrl" | "storage">): boolean =>
  storage.url !== "" && /^postgres(ql)?:/.test(databaseUrl)

/** The file of the SSH host key, where servers don't share one in the database. */
export const sshHostKeyFile = (dataDir: string): string => join(dataDir, "ssh_host_ed25519_key")

/** The folder of repositories that are kept on this disk. */
export const repositoryFolder = ({ dataDir }: Pick<Config, "dataDir">): string => join(dataDir, "repositories")
/** The folder of what this server has at hand of repositories that all servers share. */
export const repositoryCache = ({ dataDir }: Pick<Config, "dataDir">): string => join(dataDir, "cache", "repositories")

/** Checks that involve several settings. */
function contradictions(config: Config, sources: ReadonlyMap<string, Source>): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const report = (setting: string, message: string) => {
    problems.push({ setting, source: sources.get(setting) ?? { kind: "default", name: "" }, message })
  }
  if (config.rootUrl !== "" && !isRootUrl(config.rootUrl))
    report("rootUrl", `"${config.rootUrl}" is not accepted. Give ${settings.rootUrl.accepts}.`)
  if (config.api.defaultPageSize > config.api.maxPageSize)
    report(
      "api.defaultPageSize",
      `${config.api.defaultPageSize} is more than api.maxPageSize (${config.api.maxPageSize}). Lower it, or raise the other.`,
    )
  if (config.security.guesses.longestWaitSeconds < config.security.guesses.firstWaitSeconds)
    report("security.guesses.longestWaitSeconds", "It is shorter than security.guesses.firstWaitSeconds. Raise it, or lower the other.")
  if (config.mirror.defaultInterval < config.mirror.minInterval)
    report("mirror.defaultInterval", "It is shorter than mirror.minInterval. Raise it, or lower the other.")
  if (config.admin.password !== "" && config.admin.password.length < config.security.passwordMinLength)
    report(
      "admin.password",
      `It is too short. Give at least ${config.security.passwordMinLength} characters, or lower security.passwordMinLength.`,
    )
  if (config.users.registration === "open" && config.mail.host === "")
    report("users.registration", "Open registration confirms addresses by mail. Set mail.host, or let people be invited.")
  const { backup, storage } = config
  if (backup.schedule !== "" && backup.to === "") report("backup.to", "backup.schedule needs it. Say where backups go.")
  if (backup.schedule !== "" && backup.passphrase === "")
    report("backup.passphrase", "backup.schedule needs it. Give what backups are sealed with.")
  if (backup.schedule !== "" && !isSchedule(backup.schedule))
    report("backup.schedule", `"${backup.schedule}" is not accepted. Give ${settings.backup.schedule.accepts}.`)
  if (storage.url !== "" && storage.accessKey === "") report("storage.accessKey", "storage.url needs it. Give the access key of the store.")
  if (storage.url !== "" && storage.secretKey === "")
    report("storage.secretKey", "storage.url needs it. Give the secret of the access key.")
  if (isSharedByServers(config)) {
    const several = "With PostgreSQL and an object store, all servers are one."
    if (config.security.secretKey === "") report("security.secretKey", `${several} Give each of them the same key, 32 bytes in hex.`)
    if (config.rootUrl === "") report("rootUrl", `${several} Give each of them the address that people use.`)
    if (storage.place !== "store") report("storage.place", `${several} A folder is one server's alone. Take it out.`)
    if (sources.get("repository.importDir")?.kind !== "default")
      report("repository.importDir", `${several} A folder is one server's alone. Take it out.`)
  }
  const { providers } = config.signIn
  if (new Set(providers.map(({ name }) => name)).size < providers.length)
    report("signIn.providers", "Two providers have the same name. Give each another one.")
  const { directories, proxy } = config.signIn
  if (new Set([...providers, ...directories].map(({ name }) => name)).size < providers.length + directories.length)
    report("signIn.directories", "Two sources of sign-ins have the same name. Give each another one.")
  for (const { name, url, startTls } of directories)
    if (!/^(ldaps:|ldap:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$)/.test(url) && startTls !== true)
      report("signIn.directories", `Passwords would go to ${name} in the clear. Give an ldaps:// address, or startTls.`)
  if (!isNetworks(proxy.networks))
    report("signIn.proxy.networks", `"${proxy.networks}" is not accepted. Give ${settings.signIn.proxy.networks.accepts}.`)
  if (!isNetworks(config.http.trustedProxies))
    report("http.trustedProxies", `"${config.http.trustedProxies}" is not accepted. Give ${settings.http.trustedProxies.accepts}.`)
  return problems
}

function isNetworks(given: string): boolean {
  try {
    readNetworks(given)
    return true
  } catch {
    return false
  }
}

/** What each field of cron may be; whether there is such a day is seen by the clock. */
const isSchedule = (given: string): boolean =>
  given.startsWith("@") ||
  given.split(" ").every((field, index) => (field.match(/\d+/g) ?? []).every((n) => Number(n) <= (MOST_OF_FIELD[index] ?? 0)))
const MOST_OF_FIELD = [59, 23, 31, 12, 7]

function isRootUrl(given: string): boolean {
  const url = URL.parse(given)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && !/[?#]/.test(given)
}

const notAccepted = ({ secret, accepts }: Setting<unknown>, value: string): string =>
  `${secret ? "The value" : JSON.stringify(value)} is not accepted. Give ${accepts}.`

function unknown(key: string, source: Source): string {
  const isGroup = [...table.keys()].some((known) => known.startsWith(`${key}.`))
  if (isGroup) return "This is a group of settings, not one. Write it as a table."
  const close = closestWord(key, source.kind === "environment" ? [...keyOfVariable.keys()] : [...table.keys()])
  return `There is no such setting. ${close === undefined ? "See `hearth config` for those that there are." : `Did you mean ${close}?`}`
}

// --- what is derived -------------------------------------------------------------------------------------------------------------

/** One setting as the documents list it. */
export interface DescribedSetting {
  readonly key: string
  readonly variable: string
  readonly accepts: string
  readonly fallback: string
  readonly description: string
}

/** Every setting, in the table's order. */
export const describeConfig = (): readonly DescribedSetting[] =>
  [...table].map(([key, { accepts, fallback, description, write }]) => ({
    key,
    variable: variableOf(key),
    accepts,
    fallback: write(fallback),
    description,
  }))

/** One setting with its value as it may be shown, and the source of it. */
export interface EffectiveSetting {
  readonly key: string
  readonly value: string
  readonly source: string
}

/** The effective configuration, in the table's order, secrets hidden. */
export function effectiveConfig({ config, sources }: LoadedConfig): readonly EffectiveSetting[] {
  const values = new Map(leaves(config))
  return [...table].map(([key, setting]) => {
    const source = sources[key]
    return { key, value: setting.write(values.get(key)), source: source === undefined ? "default" : told(source) }
  })
}
