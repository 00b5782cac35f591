import { execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"

/** What people install is a package, not this checkout: it is packed, installed into an empty folder, and used from there. */

const run = promisify(execFile)
const project = join(import.meta.dirname, "../..")

describe("the package", () => {
  let folder = ""
  const env = { ...process.env, npm_config_audit: "false", npm_config_fund: "false", npm_config_update_notifier: "false" }
  const inFolder = (program: string, ...args: readonly string[]) => run(program, args, { cwd: folder, env })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-package-"))
    await run("npm", ["pack", "--pack-destination", folder], { cwd: project, env, maxBuffer: 2 ** 26 })
    const [packed = ""] = (await readdir(folder)).filter((name) => name.endsWith(".tgz"))
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "somebody", private: true, type: "module" }))
    await inFolder("npm", "install", "--prefer-offline", "--no-progress", `./${packed}`)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test("brings no sources, tests or maps", async () => {
    const files = await readdir(join(folder, "node_modules/hearth"), { recursive: true })
    expect(
      files.filter((name) => /\.test\.|^(src|tests|docs)\/|\.map$/.test(name) || (name.endsWith(".ts") && !name.endsWith(".d.ts"))),
    ).toEqual([])
    expect(files).toContain("dist/main.js")
  })

  test("has a command line", async () => {
    const { stdout } = await inFolder("npx", "hearth", "--help")
    expect(stdout).toContain("serve")
    expect((await inFolder("npx", "hearth", "version")).stdout).toContain("hearth 0.")
  })

  test("serves, with pages, scripts of the browser and rendered texts", async () => {
    const server = spawn("npx", ["hearth", "--data-dir", join(folder, "data"), "serve"], {
      cwd: folder,
      env: {
        ...env,
        HEARTH_HTTP_PORT: "0",
        HEARTH_SSH_PORT: "0",
        HEARTH_ADMIN_PASSWORD: "root-password-1",
        HEARTH_LOG_LEVEL: "warn",
        HEARTH_PROCESSES: "2",
      },
      stdio: ["ignore", "pipe", "inherit"],
      detached: true,
    })
    try {
      let url = ""
      for await (const line of createInterface(server.stdout)) {
        url = / is ready: (http\S+)/.exec(line)?.[1] ?? ""
        if (url !== "") break
      }
      const page = await (await fetch(`${url}/user/login`)).text()
      const assets = [...page.matchAll(/(?:href|src)="(\/assets\/[^"#]+)/g)].map(([, path]) => path ?? "")
      expect(assets.some((path) => path.endsWith(".js"))).toBe(true)
      for (const path of assets) expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
      // In a thread of its own, whose module is a file of the package.
      const authorization = `Basic ${Buffer.from("root:root-password-1").toString("base64")}`
      const rendered = await fetch(`${url}/api/v1/markdown`, {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ Text: "# Good *evening*\n\n```js\nconst a = 1\n```", Mode: "gfm" }),
      })
      expect(await rendered.text()).toContain("<em>evening</em>")
    } finally {
      // npx, its shell and the server.
      process.kill(-(server.pid ?? 0), "SIGTERM")
      await once(server, "close")
    }
  })

  test("is a library with types", async () => {
    await writeFile(
      join(folder, "use.mts"),
      `import { type Hearth, startHearth } from "hearth"
const hearth: Hearth = await startHearth({ memory: true })
const answer = await fetch(\`\${hearth.url}/api/v1/user\`, { headers: { authorization: \`token \${hearth.token}\` } })
const { login } = (await answer.json()) as { readonly login: string }
await hearth.close()
process.stdout.write(login)
`,
    )
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2024", "--module", "nodenext"]
    const types = ["--typeRoots", join(project, "node_modules/@types"), "--types", "node"]
    await inFolder(join(project, "node_modules/.bin/tsc"), ...options, ...types, "use.mts")
    const { stdout } = await inFolder("node_modules/node/bin/node", "--disable-warning=ExperimentalWarning", "use.mts")
    expect(stdout).toBe("root")
  })

  test("brings a client with types, of which nothing else of the package is needed", async () => {
    await writeFile(
      join(folder, "ask.mts"),
      `import { createClient, getVersion, isRefusal, userGetCurrent } from "hearth/client"
import { startHearth } from "hearth"
const hearth = await startHearth({ memory: true })
const { version }: { readonly version: string } = await getVersion(createClient({ url: hearth.url }))
const { login } = await userGetCurrent(createClient(hearth))
const refused = await userGetCurrent(createClient({ url: hearth.url })).catch((error: unknown) => isRefusal(error, 401))
await hearth.close()
process.stdout.write(\`\${login} \${refused} \${version !== ""}\`)
`,
    )
    const options = ["--strict", "--noEmit", "--skipLibCheck", "--target", "es2024", "--module", "nodenext"]
    const types = ["--typeRoots", join(project, "node_modules/@types"), "--types", "node"]
    await inFolder(join(project, "node_modules/.bin/tsc"), ...options, ...types, "ask.mts")
    const { stdout } = await inFolder("node_modules/node/bin/node", "--disable-warning=ExperimentalWarning", "ask.mts")
    expect(stdout).toBe("root true true")
    const files = await readdir(join(folder, "node_modules/hearth/dist/client"))
    expect(files).toContain("package.json")
  })
})
