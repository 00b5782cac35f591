/** `hearth/client` as the build makes it: it agrees with the document, its types with what tests have recorded, and a bundle has no more of it than is called. */
import { execFile } from "node:child_process"
import { mkdtemp, readFile, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { beforeAll, describe, expect, it } from "vitest"
import { operations } from "../../src/operations.ts"
import { readRecorded } from "../../src/servers/api/documents/recorded.ts"
import { type MadeClient, makeClient } from "../support/client.ts"

const run = promisify(execFile)
const home = join(import.meta.dirname, "../..")

let made: MadeClient
beforeAll(async () => {
  made = await makeClient()
})

describe("the client", () => {
  it("has a function for each operation, which calls it, and nothing else but what is written by hand", () => {
    const written = ["Refusal", "createClient", "each", "events", "eventsAfter", "isRefusal", "pages"]
    expect(made.names.toSorted()).toEqual([...operations.map(({ id }) => id), ...written].toSorted())
  })

  it("sends the recorded call of each operation to where the document says", async () => {
    const { examples } = await readRecorded()
    let sent: readonly unknown[] = []
    const client = made.createClient({
      url: "http://localhost:3000",
      fetch: async (address, { method, body }) => {
        sent = [method, address, body instanceof FormData ? "form" : body]
        return new Response(null, { status: 204 })
      },
    })
    for (const { id, method, path } of operations) {
      const { path: values = {}, query, body } = examples[id] ?? {}
      const given = typeof body === "object" && body !== null && JSON.stringify(body).includes('"the file ') ? new FormData() : body
      await made.functionOf(id)(client, { ...values, ...query, ...(given !== undefined && { body: given }) })
      const place = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
      const asked = new URLSearchParams(Object.fromEntries(Object.entries(query ?? {}).map(([name, value]) => [name, String(value)])))
      const text = given instanceof FormData ? "form" : typeof given === "object" ? JSON.stringify(given) : given
      expect(sent, id).toEqual([method, `http://localhost:3000/api/v1${place}${asked.size > 0 ? `?${asked}` : ""}`, text])
    }
  })

  it("has types that the recorded calls and answers fit, with the names of the web alone; and the bots fit them too", async () => {
    const { examples } = await readRecorded()
    const calls = operations.flatMap(({ id, answers }) => {
      const { path, query, body, status = 0, answer } = examples[id] ?? {}
      const isForm = JSON.stringify(body)?.includes('"the file ') ?? false
      const input = JSON.stringify({ ...path, ...query, ...(body !== undefined && { body: isForm ? "FORM" : body }) }).replace(
        '"FORM"',
        "new FormData()",
      )
      const schema = answers[status]
      const isRecord = schema && answer !== undefined && !("isDownload" in schema) && !("isStream" in schema)
      return [
        `void hearth.${id}(client, ${input})`,
        ...(isRecord ? [`check<Awaited<ReturnType<typeof hearth.${id}>>>(${JSON.stringify(answer)})`] : []),
      ]
    })
    const folder = await mkdtemp(join(tmpdir(), "hearth-types-"))
    const head =
      'import * as hearth from "hearth/client"\nconst client = hearth.createClient({ url: "http://localhost:3000" })\nconst check = <T>(value: T) => value\n'
    await writeFile(join(folder, "calls.ts"), head + calls.join("\n"))
    await writeFile(
      join(folder, "wrong.ts"),
      `${head}// @ts-expect-error a repository is missing\nvoid hearth.repoGet(client, { owner: "a" })\n// @ts-expect-error a title is a text\nvoid hearth.issueCreateIssue(client, { owner: "a", repo: "b", body: { title: 1 } })\n`,
    )
    const paths = { "hearth/client": [join(made.folder, "all.d.ts")] }
    const common = {
      strict: true,
      noEmit: true,
      target: "es2024",
      module: "nodenext",
      exactOptionalPropertyTypes: true,
      noUnusedLocals: false,
      paths,
    }
    const web = {
      compilerOptions: { ...common, lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"], types: [] },
      files: ["calls.ts", "wrong.ts"],
    }
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify(web))
    const node = {
      extends: join(home, "examples/tsconfig.json"),
      compilerOptions: { paths, typeRoots: [join(home, "node_modules/@types")] },
      include: [join(home, "examples/*.ts")],
    }
    await writeFile(join(folder, "bots.json"), JSON.stringify(node))
    const check = async (config: string) =>
      run(join(home, "node_modules/.bin/tsc"), ["-p", join(folder, config)]).catch(({ stdout }) => ({ stdout }))
    expect((await check("tsconfig.json")).stdout.slice(0, 2000)).toBe("")
    expect((await check("bots.json")).stdout.slice(0, 2000)).toBe("")
  })

  it.each([
    ["a call", "issueCreateIssue(client, { owner: 'a', repo: 'b', body: { title: 'c' } })", 3_600, 1_900],
    ["a list with its pages", "each(issueListIssues, client, { owner: 'a', repo: 'b' })", 4_000, 2_100],
  ])("is left out of a bundle but for what is called: %s", async (_, words, bytes, packed) => {
    const names = ["createClient", "each", "issueCreateIssue", "issueListIssues"].join(", ")
    const folder = await mkdtemp(join(tmpdir(), "hearth-bundle-"))
    await writeFile(
      join(folder, "page.js"),
      `import { ${names} } from ${JSON.stringify(join(made.folder, "all.js"))}\nconst client = createClient({ url: "x:y" })\nglobalThis.done = ${words}\n`,
    )
    const bundle = await rolldown({ input: join(folder, "page.js"), platform: "browser" })
    const [{ code }] = (await bundle.generate({ format: "esm", minify: true })).output
    expect(code.length).toBeLessThan(bytes)
    expect(gzipSync(code).length).toBeLessThan(packed)
  })

  it("imports nothing but itself", async () => {
    for (const name of ["call", "events", "pages", "refusal", "index", "all", "operations/issue", "operations/repository"]) {
      const text = await readFile(join(made.folder, `${name}.js`), "utf8")
      expect([...text.matchAll(/^(?:import|export) .*?"([^"]+)"|\bimport\(/gm)].filter(([, from = ""]) => !from.startsWith("."))).toEqual(
        [],
      )
    }
  })
})

it("the bots are short", async () => {
  for (const name of ["labeller", "stale", "release-notes", "digest"])
    expect((await readFile(join(home, "examples", `${name}.ts`), "utf8")).split("\n").length, name).toBeLessThan(80)
})
