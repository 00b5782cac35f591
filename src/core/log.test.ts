import { describe, expect, test } from "vitest"
import { effortOf } from "../../tests/support/effort.ts"
import type { Config } from "./config.ts"
import { openLog } from "./log.ts"
import { openLogOutput } from "./log-output.ts"
import { redact } from "./redact.ts"

function capture(options: Partial<Config["log"]> = {}, isTerminal = false) {
  const lines: string[] = []
  const output = openLogOutput({ send: (bytes) => lines.push(Buffer.from(bytes).toString()) && bytes.length, isTerminal: () => isTerminal })
  const log = openLog({ log: { level: "info", format: "json", ...options } }, output)
  const text = (): string => {
    output.flush()
    return lines.join("")
  }
  return { log, lines, text }
}

describe("what is never logged", () => {
  const secret = "hunter2hunter2hunter2"
  const basic = Buffer.from(`root:${secret}`).toString("base64")

  test.each<[string, object, string]>([
    ["authorization headers", { headers: { authorization: `Basic ${basic}`, "Proxy-Authorization": `token ${secret}` } }, "request"],
    ["cookies", { headers: { cookie: `session=${secret}`, "set-cookie": [`session=${secret}`, `b=${secret}`] } }, "request"],
    ["one-time passwords", { headers: { "x-gitea-otp": secret } }, "request"],
    [
      "fields named so",
      {
        password: secret,
        newPassword: secret,
        access_token: secret,
        clientSecret: secret,
        api_key: secret,
        nested: { token: `a"${secret}` },
      },
      "x",
    ],
    [
      "credentials in addresses",
      { url: `https://root:${secret}@example.org/a.git`, other: `http://${secret}@example.org` },
      `clone of ssh://git:${secret}@h/x failed`,
    ],
    [
      "tokens in queries",
      { url: `/api/v1/user?page=1&access_token=${secret}&limit=2`, raw: `?token=${secret}` },
      `GET /x?a=b&token=${secret}#top`,
    ],
    ["headers in running text", {}, `curl said: Authorization: token ${secret}`],
    ["schemes with credentials", {}, `sent Bearer ${secret} twice`],
    ["JSON in a text", { body: JSON.stringify({ name: "a", password: `x"\\${secret}`, token: secret }) }, "body"],
    ["errors", { err: new Error(`fatal: could not read from https://root:${secret}@example.org`) }, "failed"],
    ["causes of errors", { err: new Error("outer", { cause: new Error(`password=x&token=${secret} "token":"${secret}"`) }) }, "failed"],
  ])("%s", (_, fields, message) => {
    for (const format of ["json", "text"] as const) {
      const { log, text } = capture({ format })
      log.info(fields, message)
      expect(text()).not.toContain(secret)
      expect(text()).not.toContain(basic)
      expect(text()).toContain("***")
    }
  })

  test("what databases hang on their errors", () => {
    const { log, text } = capture()
    log.error(
      { err: Object.assign(new Error("duplicate key"), { code: "23505", detail: `Key (digest)=(${secret}) already exists.` }) },
      "failed",
    )
    expect(text()).not.toContain(secret)
    expect(text()).toContain('"code":"23505"')
  })

  test("the rest stays, and stays JSON", () => {
    const { log, lines } = capture()
    log.info({ url: "/a?page=2&q=token", password: "x", tokenId: 7, author: "a@example.org" }, 'say "Basic authentication"')
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "info",
      url: "/a?page=2&q=token",
      password: "***",
      tokenId: 7,
      author: "a@example.org",
      message: 'say "Basic authentication"',
    })
  })

  test.each(["a", "a.", '"', '\\"', "https://", "?token", '"password":"\\', "Basic ", "cookie="])(
    "takes linear time: %j",
    async (piece) => {
      expect(await effortOf(() => redact(piece.repeat(200_000 / piece.length)))).toBeLessThan(1)
    },
  )
})

describe("by itself, the log", () => {
  test("tells a person at a terminal only what is wrong, in a line each that takes the place of a progress", () => {
    const { log, text } = capture({ level: "auto", format: "auto" }, true)
    log.info("quiet")
    log.warn({ port: 2222 }, "odd \u001b]0;title\u0007 name")
    expect(text().replace("\u001b", "ESC")).toMatch(/^\rESC\[K\d\d:\d\d:\d\d warning: odd �\]0;title� name port=2222\n$/)
    log.error({ err: new Error("outer\nand more", { cause: new TypeError("inner") }) }, "failed")
    expect(text()).toMatch(/\d error: failed: outer: inner\n$/)
  })

  test("is JSON of what happens, elsewhere", () => {
    const { log, lines } = capture({ level: "auto", format: "auto" })
    log.debug("quiet")
    log.info("loud")
    expect(lines.map((line) => JSON.parse(line))).toEqual([expect.objectContaining({ level: "info", message: "loud" })])
  })

  test.each(["json", "text"] as const)("is whole on a terminal as well, where %s is asked for", (format) => {
    const { log, text } = capture({ level: "auto", format }, true)
    log.info("loud")
    log.error({ err: new Error("outer") }, "failed")
    expect(text()).toContain("loud")
    expect(text()).toContain("log.test.ts")
  })

  test("says as much as is asked for", () => {
    const { log, text } = capture({ level: "info", format: "auto" }, true)
    log.info("loud")
    expect(text()).toContain(" info: loud\n")
  })
})

describe("lines", () => {
  test("below the level are left out", () => {
    const { log, lines } = capture({ level: "warn" })
    log.info("quiet")
    log.warn("loud")
    expect(lines).toHaveLength(1)
    const silent = capture({ level: "silent" })
    silent.log.fatal("quiet")
    expect(silent.lines).toEqual([])
  })

  test("carry the request's id through a child", () => {
    const { log, lines } = capture()
    log.child({ request: "abc" }).info("hello")
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ request: "abc", message: "hello" })
  })

  test("as text are one line for a person, and can't move the terminal's cursor", () => {
    const { log, text } = capture({ format: "text" })
    log.warn({ owner: "a\u001b[2Jb" }, "odd \u001b]0;title\u0007 name")
    expect(text()).toMatch(/^\d\d:\d\d:\d\d WARN {2}odd �\]0;title� name owner="a\\u001b\[2Jb"\n$/)
    log.error({ err: new Error("outer", { cause: new TypeError("inner") }) }, "failed")
    expect(text()).toMatch(/ERROR failed\n {2}Error: outer\n[\s\S]* {2}caused by\n {2}TypeError: inner\n/)
  })
})
