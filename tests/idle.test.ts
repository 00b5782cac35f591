import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

/** Modules that a server loads at its start cost every start time and memory. */

const folder = mkdtempSync(join(tmpdir(), "hearth-idle-"))
const home = join(import.meta.dirname, "..")
let loaded: readonly string[] = []

beforeAll(async () => {
  const list = join(folder, "loaded")
  const child = spawn(
    process.execPath,
    [
      "--disable-warning=ExperimentalWarning",
      "--import",
      join(home, "tests/support/loadedModules.ts"),
      join(home, "src/command/main.ts"),
      "serve",
    ],
    {
      env: { PATH: process.env["PATH"], HEARTH_DATA_DIR: folder, HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: "0", LOADED_MODULES: list },
      stdio: ["ignore", "pipe", "inherit"],
    },
  )
  const ended = once(child, "exit")
  try {
    for await (const line of createInterface(child.stdout)) {
      const url = / is ready: (http\S+)/.exec(line)?.[1]
      if (url === undefined) continue
      expect((await fetch(`${url}/api/v1/version`)).status).toBe(200)
      break
    }
  } finally {
    child.kill("SIGTERM")
    await ended
  }
  loaded = readFileSync(list, "utf8").split("\n")
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("an idle server", () => {
  const packages = () => new Set(loaded.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []))

  test("has loaded these of our packages, and no other", () => {
    const ours: { readonly dependencies: object } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
    const there = packages()
    expect(Object.keys(ours.dependencies).filter((name) => there.has(name))).toEqual([
      "@fastify/busboy",
      "commander",
      "croner",
      "fastify",
      "kysely",
      "lru-cache",
      "otpauth",
      "pino",
      "prom-client",
      "spdx-license-list",
      "typebox",
    ])
  })

  test.each([
    ["Fastify's compilers of schemas", /\/node_modules\/(ajv|ajv-formats|@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler)\//],
    ["the part of TypeBox that builds schemas", /\/node_modules\/typebox\/build\/type\//],
    ["prom-client's figures of the process", /\/node_modules\/(@opentelemetry\/|prom-client\/lib\/defaultMetrics)/],
    ["Node's fetch, which comes with every import of node:http", /internal\/deps\/undici/],
    ["the driver of the other database", /\/core\/database\/postgres\./],
    ["SSH, where it is switched off", /\/servers\/ssh\/server\./],
  ])("hasn't loaded %s", (_, pattern) => expect(loaded.filter((url) => pattern.test(url))).toEqual([]))
})
