import { createServer, type IncomingMessage, type Server } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { text } from "node:stream/consumers"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Refusal } from "../../core/errors.ts"
import { receiveUpload } from "../client/upload.ts"

/** Answers with the result of each upload: the file's name and bytes, or the refusal. */
let server: Server
let port: number
const outcomes: string[] = []
/** How many requests have come. */
let begun = 0
beforeAll(async () => {
  const take = async (request: IncomingMessage): Promise<string> => {
    const { upload, end } = await receiveUpload(request, { field: "attachment", plain: request.url?.startsWith("/plain") === true })
    try {
      if (request.url?.endsWith("unread")) return `unread ${upload.fileName}`
      return `${upload.fileName}: ${await text(upload.content)}`
    } finally {
      end()
    }
  }
  server = createServer((request, answer) => {
    begun++
    take(request)
      .catch((error: unknown) => (error instanceof Refusal ? `${error.status} ${error.message}` : `failed: ${String(error)}`))
      .then((outcome) => {
        outcomes.push(outcome)
        answer.end(outcome)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address: AddressInfo | string | null = server.address()
  port = typeof address === "object" && address ? address.port : 0
})
afterAll(() => new Promise((resolve) => server.close(resolve)))

const send = async (body: string | FormData, contentType?: string, path = "/") => {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    body,
    ...(contentType === undefined ? {} : { headers: { "content-type": contentType } }),
  })
  return answer.text()
}
const part = (name: string, content: string, file?: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"${file === undefined ? "" : `; filename="${file}"`}\r\n\r\n${content}\r\n`
const MULTIPART = "multipart/form-data; boundary=b"

describe("an upload", () => {
  test("is the file in the named part, among others", async () => {
    expect(await send(`${part("attachment", "words", "a.txt")}--b--`, MULTIPART)).toBe("a.txt: words")
    const others = part("note", "x") + part("other", "no", "b.txt") + part("attachment", "yes", "c.txt") + part("attachment", "no", "d.txt")
    expect(await send(`${others}--b--`, MULTIPART)).toBe("c.txt: yes")
    const form = new FormData()
    form.append("attachment", new Blob(["x".repeat(1_000_000)]), "large.txt")
    expect(await send(form)).toBe(`large.txt: ${"x".repeat(1_000_000)}`)
  })

  test.each([
    ["no such part", `${part("file", "x", "a.txt")}--b--`, MULTIPART, "400 [attachment]"],
    ["a field in place of the file", `${part("attachment", "x")}--b--`, MULTIPART, "400 [attachment]"],
    ["no parts", "--b--", MULTIPART, "400"],
    ["no end", part("attachment", "x", "a.txt"), MULTIPART, "400"],
    ["an end before the file's", part("attachment", "x", "a.txt").slice(0, 40), MULTIPART, "400"],
    ["no boundary", "x", "multipart/form-data", "400"],
    ["nothing at all", "", MULTIPART, "400"],
    ["another type", "{}", "application/json", "422 [Content-Type]"],
  ])("with %s is refused", async (_what, body, type, refusal) => {
    expect(await send(body, type)).toMatch(new RegExp(`^${refusal.replace(/[[\]]/g, "\\$&")}`))
  })

  test("is the body itself where that is taken", async () => {
    expect(await send("words", "text/plain", "/plain")).toBe(": words")
    expect(await send("{}", "application/json", "/plain")).toBe(": {}")
    expect(await send(`${part("attachment", "words", "a.txt")}--b--`, MULTIPART, "/plain")).toBe("a.txt: words")
  })

  test("that is not read doesn't hold up the connection", async () => {
    const form = new FormData()
    form.append("attachment", new Blob(["x".repeat(5_000_000)]), "large.txt")
    for (const _ of [1, 2, 3]) expect(await send(form, undefined, "/unread")).toBe("unread large.txt")
    for (const _ of [1, 2, 3]) expect(await send("x".repeat(5_000_000), "text/plain", "/plain-unread")).toBe("unread ")
  })

  test("that is aborted emits an error to its reader", async () => {
    outcomes.length = 0
    const before = begun
    const socket = connect(port, "127.0.0.1")
    socket.write(
      `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: ${MULTIPART}\r\ncontent-length: 10000\r\n\r\n${part("attachment", "begun", "a.txt")}`,
    )
    await expect.poll(() => begun).toBe(before + 1)
    socket.destroy()
    await expect.poll(() => outcomes).toEqual([expect.stringMatching(/^400 /)])
  })

  test("of a bare body that breaks off is told as well", async () => {
    outcomes.length = 0
    const before = begun
    const socket = connect(port, "127.0.0.1")
    socket.write("POST /plain HTTP/1.1\r\nhost: x\r\ncontent-type: application/zip\r\ncontent-length: 10000\r\n\r\nbegun")
    await expect.poll(() => begun).toBe(before + 1)
    socket.destroy()
    await expect.poll(() => outcomes).toEqual([expect.stringMatching(/^400 /)])
  })
})
