import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { StorageUnavailable } from "./blobs.ts"
import { blobsOf } from "./objects.ts"
import { openS3, type S3, type S3Limits } from "./s3.ts"
import { readStoragePlace } from "./s3-place.ts"

type Answer = (request: IncomingMessage, response: ServerResponse, count: number) => void

let server: ReturnType<typeof createServer>
let answer: Answer
let asked: string[]
let outcomes: (number | "lost")[]
const opened: S3[] = []

beforeEach(async () => {
  asked = []
  outcomes = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    answer(request, response, asked.length)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
})
afterEach(async () => {
  for (const each of opened.splice(0)) each.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

async function open(limits: Partial<S3Limits> = {}): Promise<S3> {
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  const place = readStoragePlace(`s3://bucket?endpoint=http://127.0.0.1:${port}`)
  if (typeof place === "string") throw new Error(place)
  const s3 = await openS3(
    place,
    { accessKey: "key", secretKey: "the-secret" },
    { limits: { answerMs: 500, totalMs: 1_000, ...limits }, watch: (_method, outcome) => outcomes.push(outcome) },
  )
  opened.push(s3)
  return s3
}

const fails = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(StorageUnavailable)
  return String(error)
}

describe("a request to an object store", () => {
  test("is signed, with the digest of its body, and without the secret", async () => {
    let headers: IncomingMessage["headers"] = {}
    answer = (request, response) => {
      headers = request.headers
      request.resume().on("end", () => response.end("done"))
    }
    const s3 = await open()
    const { status, text } = await s3.askText({ method: "PUT", key: "lfs/a", body: Buffer.from("bytes"), accept: [200] })
    expect([status, text, asked]).toEqual([200, "done", ["PUT /bucket/lfs/a"]])
    expect(headers.authorization).toMatch(
      /^AWS4-HMAC-SHA256 Credential=key\/\d{8}\/us-east-1\/s3\/aws4_request, SignedHeaders=.*, Signature=[0-9a-f]{64}$/,
    )
    expect(headers["x-amz-content-sha256"]).toBe(createHash("sha256").update("bytes").digest("hex"))
    expect(JSON.stringify(headers)).not.toContain("the-secret")
  })

  test.each([500, 502, 503, 504, 429, 408])("is sent again after %i", async (refusal) => {
    answer = (_request, response, count) => response.writeHead(count < 3 ? refusal : 200).end()
    expect((await (await open()).askText({ method: "GET", key: "lfs/a", accept: [200] })).status).toBe(200)
    expect(outcomes).toEqual([refusal, refusal, 200])
  })

  test.each([400, 403, 404, 301])("is not sent again after %i, which is told in the store's words", async (status) => {
    answer = (_request, response) =>
      response.writeHead(status).end("<Error><Code>NoSuchBucket</Code><Message>There is none.</Message></Error>")
    const words = await fails((await open()).ask({ method: "GET", key: "lfs/a", accept: [200] }))
    expect(words).toBe(`StorageUnavailable: the object store refuses with ${status}, NoSuchBucket, There is none`)
    expect(asked).toHaveLength(1)
  })

  test("is given up in time while the store refuses, is silent, or cuts the connection", async () => {
    const harms: readonly (readonly [Answer, RegExp])[] = [
      [(_request, response) => response.writeHead(503).end(), /refuses with 503/],
      [() => {}, /nothing was heard for 0.5 s/],
      [(request) => request.socket.destroy(), /socket hang up/],
    ]
    for (const [harm, words] of harms) {
      answer = harm
      expect(await fails((await open()).ask({ method: "GET", key: "lfs/a", accept: [200] }))).toMatch(words)
    }
    expect(asked.length).toBeGreaterThanOrEqual(3 * 2)
  })

  test("uses no more connections than there may be, waits for one no longer than for an answer, and is refused at once behind too many", async () => {
    let now = 0
    let most = 0
    const waiting: ServerResponse[] = []
    answer = (_request, response) => {
      now += 1
      most = Math.max(most, now)
      waiting.push(response)
      response.on("close", () => {
        now -= 1
      })
    }
    const s3 = await open({ connections: 2, waiting: 2, totalMs: 0 })
    const all = Array.from({ length: 5 }, () => s3.ask({ method: "GET", key: "lfs/a", accept: [200] }))
    const words = await Promise.all(all.map(fails))
    expect(words.filter((each) => /too many requests wait/.test(each))).toHaveLength(1)
    expect(words.filter((each) => /nothing was heard/.test(each))).toHaveLength(4)
    expect(most).toBe(2)
    answer = (_request, response) => response.end()
    expect((await s3.askText({ method: "GET", key: "lfs/a", accept: [200] })).status).toBe(200)
  })
})

describe("a blob of an object store", () => {
  const bytes = Buffer.from("0123456789")
  const headed = (response: ServerResponse) => response.writeHead(200, { "content-length": bytes.length, etag: '"one"' }).end()
  const rangeOf = (request: IncomingMessage) => {
    const [, start = "0", end = "0"] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? []
    return bytes.subarray(Number(start), Number(end) + 1)
  }
  const blob = async () => {
    const found = await blobsOf(await open()).open("lfs/a")
    if (!found) throw new Error("it is there")
    return found
  }

  test("goes on where it was broken off, for as long as something comes", async () => {
    const conditions: unknown[] = []
    answer = (request, response) => {
      if (request.method === "HEAD") return void headed(response)
      const rest = rangeOf(request)
      conditions.push(request.headers["if-match"])
      response.writeHead(206, { "content-length": rest.length })
      response.write(rest.subarray(0, 1), () => (rest.length > 1 ? response.destroy() : response.end()))
    }
    expect(String(await buffer((await blob()).read()))).toBe("0123456789")
    expect(conditions).toEqual(Array.from({ length: 10 }, () => '"one"'))
  })

  test("fails where nothing more comes, where more comes than was asked for, and where it is another one", async () => {
    const answers: readonly (readonly [Answer, RegExp])[] = [
      [(_request, response) => response.writeHead(206, { "content-length": 0 }).end(), /does not send a blob to its end/],
      [(_request, response) => response.writeHead(206).end("01234567890"), /sends more than was asked for/],
      [(_request, response) => response.writeHead(412).end(), /has gone while it was read/],
      [(_request, response) => response.writeHead(200).end("0123456789"), /refuses with 200/],
    ]
    for (const [harm, words] of answers) {
      answer = (request, response, count) => (request.method === "HEAD" ? headed(response) : harm(request, response, count))
      expect(await fails(buffer((await blob()).read()))).toMatch(words)
    }
  })

  test("of which a reader takes nothing for a while holds no connection, and goes on when it does", async () => {
    const many = Buffer.alloc(64 * 2 ** 20, "x")
    let gone = 0
    answer = (request, response) => {
      if (request.method === "HEAD") return void response.writeHead(200, { "content-length": many.length, etag: '"one"' }).end()
      const [, start = "0"] = /^bytes=(\d+)-/.exec(request.headers.range ?? "") ?? []
      const rest = many.subarray(Number(start))
      request.socket.once("close", () => {
        gone += 1
      })
      response.writeHead(206, { "content-length": rest.length }).end(rest)
    }
    const read = (await blob()).read()[Symbol.asyncIterator]()
    let size = (await read.next()).value.length
    await expect.poll(() => gone).toBe(1)
    for (let next = await read.next(); !next.done; next = await read.next()) size += next.value.length
    expect(size).toBe(many.length)
  })
})
