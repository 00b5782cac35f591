/**
 * The command line as a whole.
 * Slow: what `hearth serve` says and how it ends is only seen of processes, and each start is one.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { openServices } from "../app.ts"
import { API_VERSION, VERSION } from "../core/version.ts"
import { openShell, type Shell } from "./testing.ts"

let shell: Shell
const closing: (() => unknown)[] = []
beforeEach(async () => {
  shell = await openShell()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  await shell.close()
})

describe("the command line", () => {
  const USER = ["add", "list", "password", "rename", "delete", "admin", "active", "two-factor"].map((verb) => `user ${verb}`)
  const TOKEN = ["add", "list", "remove"].map((verb) => `token ${verb}`)
  const RULE = ["set", "list", "remove"].map((verb) => `package-rule ${verb}`)
  const RUNNER = ["register-token", "list"].map((verb) => `runner ${verb}`)
  const SIGNING = ["list", "renew", "import", "forget"].map((verb) => `signing-key ${verb}`)
  const GROUPS = ["user", ...USER, "token", ...TOKEN, "package-rule", ...RULE, "runner", ...RUNNER, "signing-key", ...SIGNING]
  const COMMANDS = ["serve", "doctor", "config", "version", ...GROUPS]

  test.each(["", ...COMMANDS])("explains itself: hearth %s --help", async (command) => {
    const { code, out } = await shell.run(`${command} --help`)
    expect(code).toBe(0)
    expect(out).toContain(`Usage: hearth ${command}`.trim())
    if (command !== "") expect(out).toMatch(new RegExp(`\nExamples:\n.*hearth .*${command}`))
    expect(out).toContain("Ends with 0 when done, 1 when it failed, 2 when")
  })

  test("without a command says what there is, and counts as not understood", async () => {
    const { code, said } = await shell.run("")
    expect(code).toBe(2)
    expect(said).toContain("Usage: hearth")
  })

  test.each([
    ["user", "Usage: hearth user"],
    ["token ad", "unknown command 'ad'\n(Did you mean add?)"],
    ["user rename ada", "missing required argument 'new'"],
    ["srve", "unknown command 'srve'\n(Did you mean serve?)"],
    ["config --yaml", "unknown option '--yaml'"],
    ["version now", "too many arguments"],
    ["--config", "argument missing"],
  ])("refuses `hearth %s`", async (args, words) => {
    const { code, out, said } = await shell.run(args)
    expect(said).toContain(words)
    expect([code, out]).toEqual([2, ""])
  })

  test("refuses a bad configuration, whatever the command, with every problem named", async () => {
    for (const command of ["config", "doctor", "serve"]) {
      const { code, said } = await shell.run(command, { HEARTH_HTTP_PORT: "eighty", HEARTH_LOGLEVEL: "x" })
      expect(code, command).toBe(2)
      expect(said).toContain('http.port (environment HEARTH_HTTP_PORT): "eighty" is not accepted.')
      expect(said).toContain("Did you mean HEARTH_LOG_LEVEL?")
    }
  })

  test("prints versions", async () => {
    const { code, out } = await shell.run("version")
    expect([code, out.split("\n")]).toEqual([0, [`hearth ${VERSION}`, `api ${API_VERSION}`, `node ${process.versions.node}`]])
    expect((await shell.run("--version")).out).toBe(VERSION)
  })
})

describe("hearth config", () => {
  const env = { HEARTH_ADMIN_PASSWORD: "correct horse", HEARTH_HTTP_PORT: "4000" }

  test("prints values with their sources, and no secret", async () => {
    const { code, out } = await shell.run("config", env)
    expect(code).toBe(0)
    expect(out).toMatch(/^http\.port +4000 +environment HEARTH_HTTP_PORT$/m)
    expect(out).toMatch(/^http\.host +127\.0\.0\.1 +default$/m)
    expect(out).toMatch(/^admin\.password +\*\*\* +environment HEARTH_ADMIN_PASSWORD$/m)
    expect(out).not.toContain("horse")
  })

  test("prints JSON", async () => {
    const { out } = await shell.run("config --json", env)
    expect(JSON.parse(out)).toMatchObject({
      "http.port": { value: "4000", source: "environment HEARTH_HTTP_PORT" },
      "admin.password": { value: "***" },
    })
  })

  test("takes the data folder from the command line", async () => {
    expect((await shell.run("config --data-dir /srv/elsewhere")).out).toMatch(/^dataDir +\/srv\/elsewhere /m)
    expect((await shell.run("-d /srv/elsewhere config")).out).toMatch(/^databaseUrl +sqlite:\/srv\/elsewhere\/hearth\.db /m)
    expect((await shell.run("config -c /srv/missing.toml")).code).toBe(2)
  })

  test("explains every setting", async () => {
    const { out } = await shell.run("config --explain")
    expect(out).toContain("api.notFoundBody  HEARTH_API_NOT_FOUND_BODY\n")
    expect(out).toContain("Accepts one of none, specified, json. Default: none")
  })
})

/** `hearth serve` in a process of its own, which may be the supervisor of others. */
function serveIn(env: Readonly<Record<string, string>>, ...args: readonly string[]) {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", "src/command/main.ts", "serve", ...args], {
    env: { PATH: process.env.PATH, HEARTH_DATA_DIR: shell.dataDir, HEARTH_SSH_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  closing.push(() => child.kill("SIGKILL"))
  let out = ""
  let said = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    out += text
  })
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text
  })
  // Not "exit": what it has written may still be on its way then.
  const ended = once(child, "close").then(([code]): unknown => code)
  return { child, ended, out: () => out, said: () => said }
}

async function ready(server: ReturnType<typeof serveIn>): Promise<string> {
  for (;;) {
    const url = /is ready: (\S+)/.exec(server.out())?.[1]
    if (url !== undefined) return url
    await Promise.race([once(server.child.stdout, "data"), server.ended.then(() => Promise.reject(new Error(server.said())))])
  }
}

describe.each(["1", "2"])("hearth serve, processes: %s", (processes) => {
  const serve = (env: Readonly<Record<string, string>>) => serveIn({ HEARTH_PROCESSES: processes, ...env })

  test("names the administrator once, answers, and stops in good order", async () => {
    const first = serve({ HEARTH_HTTP_PORT: "0" })
    const url = await ready(first)
    expect((await fetch(`${url}/api/healthz`)).status).toBe(200)
    first.child.kill("SIGTERM")
    expect(await first.ended).toBe(0)
    const password = /Its password is (\S+) and is shown this once/.exec(first.out())?.[1] ?? ""
    expect(password.length).toBeGreaterThanOrEqual(16)
    expect(first.said()).not.toContain(password)
    expect(first.out()).toContain(`All data lies in ${shell.dataDir}.`)
    expect(first.out()).toContain(`git push ${url}/root/first.git HEAD:main`)

    const second = serve({ HEARTH_HTTP_PORT: "0" })
    const again = await ready(second)
    expect(second.out()).not.toContain("password")
    second.child.kill("SIGHUP")
    if (processes === "1") await expect.poll(second.said).toContain("SIGHUP replaces the processes of a server that may have several")
    expect((await fetch(`${again}/api/healthz`)).status).toBe(200)
    second.child.kill("SIGINT")
    expect(await second.ended).toBe(0)

    const opened = await openServices({ env: { HEARTH_DATA_DIR: shell.dataDir, HEARTH_LOG_LEVEL: "silent" } })
    closing.push(opened.close)
    const root = await opened.services.database.read.selectFrom("users").selectAll().where("is_admin", "=", 1).executeTakeFirstOrThrow()
    expect(root.name).toBe("root")
    expect(await opened.services.passwords.verify(password, root.password_hash, "")).toBe(true)
  })

  test("speaks to a person at a terminal, whom no log disturbs, and stops by Ctrl+C", async () => {
    const command = `exec ${process.execPath} --disable-warning=ExperimentalWarning src/command/main.ts serve`
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      env: {
        PATH: process.env.PATH,
        HEARTH_DATA_DIR: shell.dataDir,
        HEARTH_SSH_PORT: "0",
        HEARTH_HTTP_PORT: "0",
        HEARTH_PROCESSES: processes,
      },
      stdio: ["pipe", "pipe", "inherit"],
    })
    closing.push(() => child.kill("SIGKILL"))
    let screen = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      screen += text
    })
    while (!/HEAD:main\s+$/.test(screen)) await once(child.stdout, "data")
    const [, url = ""] = /^Hearth \S+ is ready: (\S+)\r$/m.exec(screen) ?? []
    expect((await fetch(`${url}/api/healthz`)).status).toBe(200)
    const ended = once(child, "close")
    child.stdin.write("\u0003")
    expect(await ended).toEqual([0, null])
    const [, password = ""] = /^ {2}Password +(\S+) +\(shown only now\)\r$/m.exec(screen) ?? []
    expect(screen.split(password)).toHaveLength(2)
    expect(screen).toMatch(/^ {2}Administrator +root\r$/m)
    expect(screen).toContain(`  Data           ${shell.dataDir}\r\n  Stop           Ctrl+C\r\n`)
    // From its first line on there was nothing else; while it stops there is a line that goes again.
    expect(screen.trimStart().replace("\u001b", "ESC")).toMatch(/^Hearth [^{}]*HEAD:main\s+(\^C)?stopping; [^\r\n]*\rESC\[K$/)
  })

  test("says which setting makes no administrator", async () => {
    const server = serve({ HEARTH_HTTP_PORT: "0", HEARTH_ADMIN_USERNAME: "a..b" })
    expect(await server.ended).toBe(1)
    expect(server.said().split("Set HEARTH_ADMIN_USERNAME and HEARTH_ADMIN_EMAIL to what is accepted.")).toHaveLength(2)
  })

  test("says which port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    closing.push(() => taken.close())
    await once(taken, "listening")
    const address = taken.address()
    const port = typeof address === "object" && address ? String(address.port) : ""
    const server = serve({ HEARTH_HTTP_PORT: port })
    expect(await server.ended).toBe(1)
    const words = `Port ${port} at 127.0.0.1 is taken.\nStop what listens there, or choose another with HEARTH_HTTP_PORT.`
    expect(server.said().split(words)).toHaveLength(2)
    const ssh = serve({ HEARTH_HTTP_PORT: "0", HEARTH_SSH_PORT: port })
    expect(await ssh.ended).toBe(1)
    expect(ssh.said()).toContain(`Port ${port} at 127.0.0.1 is taken.\nStop what listens there, or choose another with HEARTH_SSH_PORT.`)
  })

  test("says that the data folder can't be used", async () => {
    const server = serve({ HEARTH_DATA_DIR: "/dev/null/data", HEARTH_HTTP_PORT: "0" })
    expect(await server.ended).toBe(1)
    expect(server.said()).toContain("choose another folder with HEARTH_DATA_DIR")
  })
})

test("hearth serve --demo fills a fresh server with an example, and refuses any other", async () => {
  const first = serveIn({ HEARTH_HTTP_PORT: "0" }, "--demo")
  const url = await ready(first)
  while (!first.out().includes("api/v1/user/repos\n")) await once(first.child.stdout, "data")
  expect(first.out()).toContain(`git clone ${url}/dewpoint/sprinkle.git`)
  first.child.kill("SIGTERM")
  expect(await first.ended).toBe(0)

  const second = serveIn({ HEARTH_HTTP_PORT: "0" }, "--demo")
  expect(await second.ended).toBe(1)
  expect(second.said()).toContain("Start without --demo, or with an empty folder: hearth --data-dir <folder> serve --demo")
  expect(second.out()).toBe("")
})
