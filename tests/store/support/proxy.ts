/** A proxy before an object store that delays, cuts, loses, repeats or refuses. */
import { once } from "node:events"
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { setTimeout as sleep } from "node:timers/promises"

export type Harm =
  | "none"
  /** The answer comes two seconds late. */
  | "late"
  /** The connection is cut before anything reaches the store. */
  | "cut"
  /** The store does what is asked, and the connection is cut instead of an answer. */
  | "lost"
  /** The connection is cut in the middle of the answer's body. */
  | "half"
  /** The store is asked twice, and the second answer is given. */
  | "twice"
  /** 500, and nothing reaches the store. */
  | "failing"
  /** Nothing is ever answered. */
  | "silent"

/** What is done to a request, by its method and its path with the query. */
export type Disturbance = (method: string, path: string) => Harm

export interface StoreProxy {
  readonly url: string
  readonly disturb: (disturbance: Disturbance | undefined) => void
  readonly close: () => Promise<void>
}

export async function openProxy(port: number): Promise<StoreProxy> {
  let disturbance: Disturbance | undefined
  const server = createServer((request, response) => {
    pass(request, response, disturbance?.(request.method ?? "", request.url ?? "") ?? "none").catch(() => response.destroy())
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  const own = typeof address === "object" ? address?.port : undefined

  async function pass(request: IncomingMessage, response: ServerResponse, harm: Harm): Promise<void> {
    if (harm === "silent") return
    if (harm === "cut") return void response.destroy()
    const body = await buffer(request)
    if (harm === "failing")
      return void response.writeHead(500).end("<Error><Code>InternalError</Code><Message>We are sorry.</Message></Error>")
    if (harm === "twice") await answerOf(request, body).then(buffer)
    const answer = await answerOf(request, body)
    if (harm === "late") await sleep(2_000)
    if (harm === "lost") return void answer.resume().on("end", () => response.destroy())
    response.writeHead(answer.statusCode ?? 500, answer.rawHeaders)
    if (harm !== "half") return void answer.pipe(response)
    const whole = await buffer(answer)
    response.write(whole.subarray(0, whole.length / 2), () => response.destroy())
  }

  async function answerOf({ method, url, rawHeaders }: IncomingMessage, body: Buffer): Promise<IncomingMessage> {
    // The headers as they are: they are signed.
    const sent = ask({ host: "127.0.0.1", port, method: method ?? "GET", path: url ?? "/", headers: rawHeaders, agent: false })
    sent.end(body)
    const [answer]: readonly IncomingMessage[] = await once(sent, "response")
    if (!answer) throw new Error("an answer comes with its event")
    return answer
  }

  return {
    url: `http://127.0.0.1:${own}`,
    disturb(next) {
      disturbance = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
