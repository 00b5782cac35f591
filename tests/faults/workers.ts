/** Clients of a server with several workers that know which of them they speak with. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { Agent, type IncomingMessage, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Answered } from "../support/http.ts"
import type { ServerProcess } from "../support/server-process.ts"

/** One connection that is kept, and so one worker. */
export interface Line {
  /** What the ids of all requests to this worker begin with. */
  readonly worker: string
  readonly send: (method: string, path: string, options?: Sending) => Promise<Omit<Answered, "headers">>
  /** Begins to read events; the result gives the name of the next one. The connection is of no other use then. */
  readonly follow: (path: string) => Promise<() => Promise<string>>
  readonly close: () => void
}

export interface Sending {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

const PREFIX = 8

async function openLine(url: string): Promise<Line> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  async function ask(method: string, path: string, { headers = {}, body }: Sending): Promise<IncomingMessage> {
    const asking = request(`${url}${path}`, {
      agent,
      method,
      headers: { ...headers, ...(body !== undefined && { "content-type": "application/json" }) },
    })
    asking.end(body === undefined ? undefined : JSON.stringify(body))
    const [answer]: IncomingMessage[] = await once(asking, "response")
    if (!answer) throw new TypeError("a response is an answer")
    return answer.setEncoding("utf8")
  }
  const first = await ask("GET", "/api/v1/version", {})
  await once(first.resume(), "end")
  return {
    worker: String(first.headers["x-request-id"]).slice(0, PREFIX),
    async send(method, path, options = {}) {
      const answer = await ask(method, path, options)
      let text = ""
      for await (const chunk of answer) text += chunk
      return { status: answer.statusCode ?? 0, text }
    },
    async follow(path) {
      const answer = await ask("GET", path, { headers: { accept: "text/event-stream" } })
      const chunks: AsyncIterator<string> = answer[Symbol.asyncIterator]()
      let text = ""
      return async () => {
        for (;;) {
          const [whole, name] = /^event: (\w+)\n.*?\n\n/s.exec(text) ?? []
          if (whole !== undefined && name !== undefined) {
            text = text.slice(whole.length)
            return name
          }
          const { value, done } = await chunks.next()
          if (done) throw new Error("the events have ended")
          text += value
        }
      }
    },
    close: () => agent.destroy(),
  }
}

/** A line to each of so many workers. */
export async function openLines(url: string, count: number): Promise<readonly Line[]> {
  const lines: Line[] = []
  while (lines.length < count) {
    const line = await openLine(url)
    if (lines.some(({ worker }) => worker === line.worker)) line.close()
    else lines.push(line)
  }
  return lines
}

/** A line's worker among processes: the one that answers nothing while it is stopped. */
export async function processOf(line: Line, pids: readonly number[]): Promise<number> {
  for (const pid of pids) {
    process.kill(pid, "SIGSTOP")
    const answer = line.send("GET", "/api/v1/version")
    const isSilent = (await Promise.race([answer, sleep(500, undefined)])) === undefined
    process.kill(pid, "SIGCONT")
    await answer
    if (isSilent) return pid
  }
  throw new Error("none of these processes is the line's")
}

/** Waits for a state that nothing tells of. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20)
}

/** Waits until a server has so many workers, and gives them. */
export async function allWorkers(server: ServerProcess, count: number): Promise<readonly number[]> {
  await until(() => server.workers().length === count)
  return server.workers()
}

/** Whether a process runs; one that no parent has asked after does not any more. */
export function isThere(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}
