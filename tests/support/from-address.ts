/** Requests from several clients: each from a loopback address of its own, on a connection of its own. */
import { request } from "node:http"

export interface Heard {
  readonly status: number
  /** The Retry-After header; undefined without one. */
  readonly retryAfter: string | undefined
  readonly text: string
}

export interface Asking {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Sends a request to `url` from `address`, such as 127.0.0.2. */
export const ask = (address: string, url: string, { method = "GET", headers = {}, body }: Asking = {}): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...headers }, localAddress: address, agent: false }, (response) => {
      let text = ""
      response.setEncoding("utf8")
      response.on("data", (part: string) => {
        text += part
      })
      response.on("end", () => resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], text }))
      response.on("error", reject)
    })
    sent.on("error", reject)
    sent.end(body)
  })
