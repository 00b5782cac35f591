/** A proxy between runners and a server that may move, or lose answers. */
import { createServer } from "node:http"

export interface RunnersProxy {
  readonly url: string
  readonly moveTo: (url: string) => void
  /** Cuts the connection instead of giving the next answer to this method that is longer than so many bytes. Fulfilled when that has happened. */
  readonly loseAnswer: (method: string, longerThan: number) => Promise<void>
  readonly close: () => Promise<void>
}

interface Loss {
  readonly method: string
  readonly longerThan: number
  readonly done: () => void
}

export async function openProxy(url: string): Promise<RunnersProxy> {
  let target = url
  let loss: Loss | undefined
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(Buffer.from(chunk))
      const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
        typeof value === "string" && name !== "connection" && name !== "content-length" && name !== "accept-encoding"
          ? [[name, value]]
          : [],
      )
      const answer = await fetch(`${target}${request.url}`, {
        method: request.method ?? "GET",
        headers,
        ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
      })
      const body = Buffer.from(await answer.arrayBuffer())
      if (loss && request.url?.endsWith(`/${loss.method}`) && body.length > loss.longerThan) {
        const { done } = loss
        loss = undefined
        response.destroy()
        done()
        return
      }
      const type = answer.headers.get("content-type")
      response.writeHead(answer.status, type === null ? {} : { "content-type": type }).end(body)
    } catch {
      // The server is away, or the runner.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    moveTo(moved) {
      target = moved
    },
    loseAnswer: (method, longerThan) =>
      new Promise((done) => {
        loss = { method, longerThan, done }
      }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
