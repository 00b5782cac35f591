import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { type ConfigOverrides, ConfigRefused, describeConfig, effectiveConfig, loadConfig } from "./config.ts"

const folder = mkdtempSync(join(tmpdir(), "hearth-config-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
function file(content: string): string {
  const name = join(folder, `${++files}.toml`)
  writeFileSync(name, content)
  return name
}

const load = (env: Record<string, string>, overrides: ConfigOverrides = {}) => loadConfig({ env, file: false, overrides })

function refusal(action: () => unknown): string {
  try {
    action()
  } catch (error) {
    if (error instanceof ConfigRefused) return error.message
    throw error
  }
  throw new Error("nothing was refused")
}

describe("the defaults", () => {
  test("are accepted by their own settings", () => {
    const { config } = load({})
    expect(config.http).toMatchObject({ host: "127.0.0.1", port: 3000, trustedProxies: "loopback" })
    expect(config.api).toEqual({ notFoundBody: "none", defaultPageSize: 30, maxPageSize: 50, maxBodyBytes: 33_554_432 })
    for (const { variable, fallback } of describeConfig())
      if (fallback !== "") expect(() => load({ [variable]: fallback }), variable).not.toThrow()
  })

  test("keep everything in the data folder", () => {
    const { config } = load({ HEARTH_DATA_DIR: "/srv/hearth" })
    expect(config.dataDir).toBe("/srv/hearth")
    expect(config.databaseUrl).toBe("sqlite:/srv/hearth/hearth.db")
    expect(load({ HEARTH_DATABASE_URL: "sqlite:other.db" }).config.databaseUrl).toBe(`sqlite:${resolve("other.db")}`)
    for (const url of ["sqlite:/srv/other.db", "sqlite::memory:", "postgres://db/hearth"])
      expect(load({ HEARTH_DATABASE_URL: url }).config.databaseUrl).toBe(url)
  })
})

describe("precedence", () => {
  const name = file('[http]\nport = 4000\nhost = "::1"\n[api]\nmaxPageSize = 40\n')

  test("is options over environment over file over defaults", () => {
    const {
      config,
      sources,
      file: read,
    } = loadConfig({
      env: { HEARTH_CONFIG: name, HEARTH_HTTP_PORT: "5000", HEARTH_API_MAX_PAGE_SIZE: "60" },
      overrides: { api: { maxPageSize: 70 } },
    })
    expect(config.http).toMatchObject({ host: "::1", port: 5000 })
    expect(config.api.maxPageSize).toBe(70)
    expect(read).toBe(name)
    expect(sources["api.maxPageSize"]).toEqual({ kind: "option", name: "" })
    expect(sources["http.port"]).toEqual({ kind: "environment", name: "HEARTH_HTTP_PORT" })
    expect(sources["http.host"]).toEqual({ kind: "file", name })
    expect(sources["http.port"]).not.toEqual(sources["api.defaultPageSize"])
  })

  test("counts an empty variable as not set", () => {
    expect(loadConfig({ env: { HEARTH_CONFIG: name, HEARTH_HTTP_PORT: "" } }).config.http.port).toBe(4000)
  })

  test("takes hearth.toml in the data folder where there is one, and an explicit file over it", () => {
    const dataDir = join(folder, "data")
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, "hearth.toml"), "[http]\nport = 4001\n")
    expect(loadConfig({ env: { HEARTH_DATA_DIR: dataDir } }).config.http.port).toBe(4001)
    expect(loadConfig({ env: { HEARTH_DATA_DIR: dataDir, HEARTH_CONFIG: name } }).config.http.port).toBe(4000)
    expect(loadConfig({ env: {}, overrides: { dataDir } }).config.http.port).toBe(4001)
    expect(load({ HEARTH_DATA_DIR: dataDir }).config.http.port).toBe(3000)
  })

  test("a path in a named file is relative to that file", () => {
    expect(loadConfig({ env: { HEARTH_CONFIG: file('dataDir = "store"') } }).config.dataDir).toBe(join(folder, "store"))
  })
})

describe("what each kind of setting accepts", () => {
  test.each([
    ["HEARTH_MIRROR_MIN_INTERVAL", "1h30m", 5400],
    ["HEARTH_MIRROR_MIN_INTERVAL", "90", 90],
    ["HEARTH_GIT_MAX_PUSH_BYTES", "2GiB", 2 ** 31],
    ["HEARTH_GIT_MAX_PUSH_BYTES", "500", 500],
    ["HEARTH_GIT_PUSH_TO_CREATE_USER", "yes", true],
    ["HEARTH_REPOSITORY_MAX_PER_USER", "-1", -1],
    ["HEARTH_LOG_LEVEL", "debug", "debug"],
  ])("%s=%s", (variable, text, value) => {
    const key = describeConfig().find((setting) => setting.variable === variable)?.key ?? ""
    const { config } = load({ [variable]: text, HEARTH_MIRROR_DEFAULT_INTERVAL: "8h" })
    const found = key
      .split(".")
      .reduce<unknown>((group, name) => (typeof group === "object" && group !== null ? Reflect.get(group, name) : undefined), config)
    expect(found).toBe(value)
  })

  test.each([
    ["HEARTH_HTTP_PORT", "80a", '"80a" is not accepted. Give a whole number from 0 to 65535.'],
    ["HEARTH_HTTP_PORT", "65536", '"65536" is not accepted. Give a whole number from 0 to 65535.'],
    ["HEARTH_HTTP_PORT", "-1", '"-1" is not accepted.'],
    ["HEARTH_MIRROR_MIN_INTERVAL", "10 minutes", '"10 minutes" is not accepted. Give a length of time such as'],
    ["HEARTH_MIRROR_MIN_INTERVAL", "5s", "of at least 1m."],
    ["HEARTH_GIT_MAX_PUSH_BYTES", "2GB", "Give a size such as"],
    ["HEARTH_GIT_PUSH_TO_CREATE_USER", "maybe", "Give true or false."],
    ["HEARTH_API_NOT_FOUND_BODY", "xml", "Give one of none, specified, json."],
    ["HEARTH_DATABASE_URL", "mysql://me:hunter2@db/hearth", "The value is not accepted. Give sqlite:"],
    ["HEARTH_SECURITY_SECRET_KEY", "hunter2", "The value is not accepted. Give 32 random bytes"],
    ["HEARTH_ROOT_URL", "git.example.org", '"git.example.org" is not accepted. Give an http:// or https:// address'],
    ["HEARTH_ROOT_URL", "https://me:pw@git.example.org", "without user, query or fragment"],
    ["HEARTH_ROOT_URL", "https://git.example.org/?a=b", "without user, query or fragment"],
    ["HEARTH_API_DEFAULT_PAGE_SIZE", "51", "51 is more than api.maxPageSize (50). Lower it, or raise the other."],
    ["HEARTH_ADMIN_PASSWORD", "hunter2", "It is too short. Give at least 8 characters"],
  ])("%s=%s is refused by name", (variable, text, expected) => {
    const message = refusal(() => load({ [variable]: text }))
    expect(message).toContain(expected)
    expect(message).toContain(`(environment ${variable})`)
    expect(message).not.toContain("hunter2")
  })
})

describe("refusals", () => {
  test("name every problem at once, each with its source", () => {
    const name = file('colour = "red"\n[http]\nport = "eighty"\nhots = "x"\n[jobs]\nworkers = [1]\n')
    const message = refusal(() => loadConfig({ env: { HEARTH_CONFIG: name, HEARTH_LOGLEVEL: "info", HEARTH_LOG_FORMAT: "xml" } }))
    expect(message.split("\n")).toEqual([
      "The configuration is refused:",
      `  jobs.workers (file ${name}): A list or date is not accepted. Give a whole number from 1 to 100.`,
      `  colour (file ${name}): There is no such setting. See \`hearth config\` for those that there are.`,
      `  http.port (file ${name}): "eighty" is not accepted. Give a whole number from 0 to 65535.`,
      `  http.hots (file ${name}): There is no such setting. Did you mean http.host?`,
      "  HEARTH_LOGLEVEL (environment HEARTH_LOGLEVEL): There is no such setting. Did you mean HEARTH_LOG_LEVEL?",
      '  log.format (environment HEARTH_LOG_FORMAT): "xml" is not accepted. Give one of auto, json, text.',
    ])
  })

  test("say which file can't be read, and why", () => {
    expect(refusal(() => loadConfig({ env: { HEARTH_CONFIG: join(folder, "missing.toml") } }))).toMatch(
      /HEARTH_CONFIG \(file .*missing\.toml\): .*ENOENT/,
    )
    expect(refusal(() => loadConfig({ env: { HEARTH_CONFIG: file("port = = 3") } }))).toContain("Give a readable TOML file.")
  })

  test("a file in the data folder doesn't move the data folder", () => {
    const dataDir = join(folder, "moving")
    mkdirSync(dataDir)
    writeFileSync(join(dataDir, "hearth.toml"), 'dataDir = "/elsewhere"')
    expect(refusal(() => loadConfig({ env: { HEARTH_DATA_DIR: dataDir } }))).toContain(
      "Set HEARTH_DATA_DIR, or name the file with HEARTH_CONFIG.",
    )
  })

  test("a group is not a setting", () => {
    expect(refusal(() => loadConfig({ env: { HEARTH_CONFIG: file("http = 3000") } }))).toContain("This is a group of settings, not one.")
  })
})

test("the effective configuration hides secrets and names sources", () => {
  const shown = effectiveConfig(
    load({
      HEARTH_ADMIN_PASSWORD: "correct horse",
      HEARTH_SECURITY_SECRET_KEY: "ab".repeat(32),
      HEARTH_DATABASE_URL: "postgres://hearth:hunter2@db.example.org/hearth",
      HEARTH_MIRROR_MIN_INTERVAL: "15m",
    }),
  )
  expect(shown.map(({ key }) => key)).toEqual(describeConfig().map(({ key }) => key))
  expect(shown).toContainEqual({ key: "admin.password", value: "***", source: "environment HEARTH_ADMIN_PASSWORD" })
  expect(shown).toContainEqual({
    key: "databaseUrl",
    value: "postgres://hearth:***@db.example.org/hearth",
    source: "environment HEARTH_DATABASE_URL",
  })
  expect(shown).toContainEqual({ key: "mirror.minInterval", value: "15m", source: "environment HEARTH_MIRROR_MIN_INTERVAL" })
  expect(shown).toContainEqual({ key: "http.port", value: "3000", source: "default" })
  expect(JSON.stringify(shown)).not.toMatch(/hunter2|correct horse|abab/)
})

test("every setting has a variable of its own", () => {
  const variables = describeConfig().map(({ variable }) => variable)
  expect(new Set(variables).size).toBe(variables.length)
  expect(variables).toEqual(expect.arrayContaining(["HEARTH_DATA_DIR", "HEARTH_HTTP_PORT", "HEARTH_ROOT_URL", "HEARTH_API_NOT_FOUND_BODY"]))
})
