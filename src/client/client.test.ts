import { describe, expect, it } from "vitest"
import { type CallOptions, type Client, call, createClient, type Fetch } from "./call.ts"
import { events, eventsAfter, type HearthEvent } from "./events.ts"
import { each, pages } from "./pages.ts"
import { isRefusal, Refusal } from "./refusal.ts"

interface Sent {
  readonly method: string
  readonly address: string
  readonly headers: Headers
  readonly body: unknown
}

/** A client of a server that gives these answers one after another, and the last of them again. */
function against(...answers: readonly ((sent: Sent) => Response | Promise<Response>)[]): {
  readonly client: Client
  readonly sent: readonly Sent[]
} {
  const sent: Sent[] = []
  const fetch: Fetch = async (address, { method = "", headers, body, signal }) => {
    signal?.throwIfAborted()
    const one = { method, address, headers: new Headers(headers), body }
    sent.push(one)
    const answer = answers[Math.min(sent.length, answers.length) - 1]
    if (!answer) throw new TypeError("no answer is given")
    return answer(one)
  }
  return { client: createClient({ url: "https://git.example.com/forge/", token: "t0", fetch }), sent }
}

const json = (body: unknown, headers: Readonly<Record<string, string>> = {}, status = 200) => Response.json(body, { status, headers })
const busy = () => json({ message: "the server is busy" }, { "retry-after": "0" }, 503)
const lost = () => Promise.reject(new TypeError("fetch failed"))

describe("a call", () => {
  it("has path, query and body where they belong", async () => {
    const { client, sent } = against(() => json({ number: 7 }))
    const input = { owner: "a b", repo: "c/d", labels: ["x", "y&z"], page: undefined, body: { title: "é" } }
    expect(await call(client, "POST", "/repos/{owner}/{repo}/issues", input, { idempotencyKey: "k1", ifMatch: '"e1"' })).toEqual({
      number: 7,
    })
    const [one] = sent
    expect(one).toMatchObject({
      method: "POST",
      address: "https://git.example.com/forge/api/v1/repos/a%20b/c%2Fd/issues?labels=x&labels=y%26z",
      body: '{"title":"é"}',
    })
    expect(Object.fromEntries(one?.headers ?? [])).toEqual({
      accept: "application/json",
      authorization: "token t0",
      "content-type": "application/json",
      "idempotency-key": "k1",
      "if-match": '"e1"',
    })
  })

  it("shows status and headers, and gives undefined where there is no body", async () => {
    const { client } = against(() => new Response(null, { status: 204, headers: { etag: '"e2"' } }))
    let tag: string | null = null
    expect(
      await call(
        client,
        "DELETE",
        "/user/following/{username}",
        { username: "bob" },
        { onAnswer: ({ headers }) => (tag = headers.get("etag")) },
      ),
    ).toBeUndefined()
    expect(tag).toBe('"e2"')
  })

  it("fails with the refusal that was answered", async () => {
    const { client } = against(() => json({ message: "[title]: is required", more: 1 }, { "x-request-id": "r1" }, 422))
    const error = await call(client, "POST", "/repos/{owner}/{repo}/issues", { owner: "a", repo: "b", body: {} }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ status: 422, field: "title", requestId: "r1", message: "422: [title]: is required", body: { more: 1 } })
    expect([isRefusal(error), isRefusal(error, 404, 422), isRefusal(error, 404), isRefusal(new Error("422"))]).toEqual([
      true,
      true,
      false,
      false,
    ])
  })

  it.each([
    ["", 404],
    ["<html>bad gateway</html>", 502],
  ])("fails with the status of an answer that is no JSON: %s", async (text, status) => {
    const { client } = against(() => new Response(text, { status }))
    await expect(call(client, "GET", "/user", undefined, { retries: 0 })).rejects.toMatchObject({
      status,
      field: undefined,
      call: "GET https://git.example.com/forge/api/v1/user",
    })
  })
})

describe("a busy server", () => {
  it.each(["GET", "PUT", "DELETE"])("is asked again: %s", async (method) => {
    const { client, sent } = against(busy, busy, () => json({ ok: true }))
    expect(await call(client, method, "/user")).toEqual({ ok: true })
    expect(sent).toHaveLength(3)
  })

  it.each(["POST", "PATCH"])("is asked to change something once, unless a key makes it safe: %s", async (method) => {
    const once = against(busy)
    await expect(call(once.client, method, "/user")).rejects.toMatchObject({ status: 503, retryAfter: 0 })
    expect(once.sent).toHaveLength(1)
    const safe = against(lost, busy, () => json({ ok: true }))
    expect(await call(safe.client, method, "/user", {}, { idempotencyKey: "k2" })).toEqual({ ok: true })
    expect(safe.sent.map(({ headers }) => headers.get("idempotency-key"))).toEqual(["k2", "k2", "k2"])
  })

  it("is left alone after some tries, and at once where it asks for more time than there is", async () => {
    const some = against(busy)
    await expect(call(some.client, "GET", "/user", {}, { retries: 2 })).rejects.toThrow("503: the server is busy")
    expect(some.sent).toHaveLength(3)
    const long = against(() => json({ message: "come back later" }, { "retry-after": "3600" }, 429))
    await expect(call(long.client, "GET", "/user")).rejects.toMatchObject({ status: 429, retryAfter: 3600 })
    expect(long.sent).toHaveLength(1)
  })

  it("keeps nobody waiting: a limit of time and a signal end a call", async () => {
    const never: Fetch = (_address, { signal }) =>
      new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)))
    const client = createClient({ url: "https://git.example.com", fetch: never, timeoutMs: 20 })
    await expect(call(client, "GET", "/user")).rejects.toMatchObject({ name: "TimeoutError" })
    const stop = new AbortController()
    const called = call(client, "GET", "/user", {}, { signal: stop.signal, timeoutMs: 60_000 })
    stop.abort(new Error("enough"))
    await expect(called).rejects.toThrow("enough")
  })
})

describe("a list", () => {
  const list = (client: Client, input: { readonly state: "open" | "closed"; readonly page?: number | undefined }, options?: CallOptions) =>
    call<readonly number[]>(client, "GET", "/numbers", input, options)
  const page = ({ address }: Sent) => {
    const number = Number(new URL(address).searchParams.get("page"))
    return json(
      [2 * number - 1, 2 * number],
      number < 3
        ? {
            link: `<http://inside:3000/api/v1/numbers?page=${number + 1}&state=open>; rel="next",<http://inside:3000/x?page=3>; rel="last"`,
          }
        : {},
    )
  }

  it("is followed from page to page by its Link, at the client's own address, and no further than is read", async () => {
    const { client, sent } = against(page)
    const found: number[] = []
    for await (const number of each(list, client, { state: "open" })) found.push(number)
    expect(found).toEqual([1, 2, 3, 4, 5, 6])
    expect(sent.map(({ address }) => address)).toEqual(
      [1, 2, 3].map((number) => `https://git.example.com/forge/api/v1/numbers?state=open&page=${number}`),
    )
    for await (const some of pages(list, client, { state: "open", page: 2 })) {
      expect(some).toEqual([3, 4])
      break
    }
    expect(sent).toHaveLength(4)
  })

  it("ends where a Link leads back", async () => {
    const { client, sent } = against(() => json([1], { link: '<https://git.example.com/api/v1/numbers?page=1>; rel="next"' }))
    for await (const _ of each(list, client, { state: "open" }));
    expect(sent).toHaveLength(1)
  })
})

describe("events", () => {
  const event = (position: string, kind = "issue.opened") => ({ position, kind })
  const told = (position: string) => `id: ${position}\ndata: ${JSON.stringify(event(position))}\n\n`
  const stream = (...pieces: readonly string[]) =>
    new Response(new Blob([...pieces]).stream(), { headers: { "content-type": "text/event-stream" } })
  async function take(from: AsyncIterable<HearthEvent>, count: number): Promise<readonly string[]> {
    const positions: string[] = []
    for await (const { position } of from) if (positions.push(position) === count) break
    return positions
  }

  it("go on where a connection ended, without a gap", async () => {
    const { client, sent } = against(
      () => stream("retry: 1\n", "event: ready\nid: n-1\ndata: {}\n\n", ": quiet\n\n", told("n-2")),
      lost,
      () => stream(told("n-3").replaceAll("\n", "\r\n"), "id: n-4\n\n", "event: resume\nid: n-5\ndata: {}\n\n"),
      busy,
      () => stream(told("n-6"), 'id: n-7\ndata: {"position":\ndata: "n-7"}\n\n'),
    )
    expect(await take(events(client, { repository: "acme/rocket", after: "n-0" }, { retries: 0 }), 4)).toEqual(["n-2", "n-3", "n-6", "n-7"])
    expect(sent.map(({ headers }) => headers.get("last-event-id"))).toEqual(["n-0", "n-2", "n-2", "n-5", "n-5"])
    expect(sent[0]).toMatchObject({ address: "https://git.example.com/forge/api/v1/events?repository=acme%2Frocket" })
    expect(sent[0]?.headers.get("accept")).toBe("text/event-stream")
  })

  it("end with the refusal of a caller who may not listen any more", async () => {
    const { client } = against(
      () => stream("retry: 1\n\n", told("n-1"), "event: end\ndata: {}\n\n"),
      () => json({ message: "token is required" }, {}, 401),
    )
    await expect(take(events(client), 2)).rejects.toMatchObject({ status: 401 })
  })

  it("are asked for anew when nothing comes, and end with the signal", async () => {
    const silent = () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(told("n-1"))) }))
    const stop = new AbortController()
    const { client, sent } = against(silent, () => stream("retry: 1\n\n", told("n-2")))
    const found: string[] = []
    for await (const { position } of events(client, {}, { silenceMs: 20, signal: stop.signal })) {
      found.push(position)
      if (position === "n-2") stop.abort()
    }
    expect(found).toEqual(["n-1", "n-2"])
    expect(sent).toHaveLength(2)
  })

  it("are also had by asking", async () => {
    const lines = [event("n-2"), event("n-3")].map((one) => `${JSON.stringify(one)}\n`).join("")
    const { client, sent } = against(
      () => new Response(lines, { headers: { "content-type": "application/jsonl", "x-hearth-position": "n-9" } }),
    )
    expect(await eventsAfter(client, { after: "n-1", wait: 5 })).toEqual({ events: [event("n-2"), event("n-3")], position: "n-9" })
    expect(sent[0]).toMatchObject({ address: "https://git.example.com/forge/api/v1/events?after=n-1&wait=5" })
    expect(sent[0]?.headers.get("accept")).toBe("application/jsonl")
  })
})

it("says what it can't do", () => {
  expect(() => createClient({ url: "git.example.com" })).toThrow(TypeError)
  expect(new Refusal("GET x", 500, new Headers(), "").message).toBe("GET x was answered with 500")
})
