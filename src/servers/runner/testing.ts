/** A runner in tests: it speaks the protocol in JSON. */

export interface TaskInTest {
  readonly id: string
  readonly workflowPayload: string
  readonly context: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, string>>
  readonly vars: Readonly<Record<string, string>>
  readonly needs: Readonly<Record<string, unknown>>
}

export interface RunnerAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
  readonly body: any
}

export interface RunnerClient {
  readonly call: (method: string, message: object) => Promise<RunnerAnswer>
  /** A client with the credentials of a new runner. */
  readonly registered: (token: string, labels: readonly string[], more?: object) => Promise<RunnerClient>
  readonly fetch: (tasksVersion?: string) => Promise<{ readonly task?: TaskInTest; readonly tasksVersion: string }>
  readonly report: (taskId: string | undefined, state: object, outputs?: Readonly<Record<string, string>>) => Promise<RunnerAnswer["body"]>
  /** Seals the log and says the result. */
  readonly finish: (taskId: string | undefined, result?: string) => Promise<RunnerAnswer["body"]>
  /** Waits for a task, and leaves while `work` gives it one. */
  readonly abandonedFetch: (work: () => Promise<unknown>) => Promise<void>
}

const SERVICE = "runner.v1.RunnerService"

export function openRunnerClient(url: string, headers: Readonly<Record<string, string>> = {}): RunnerClient {
  const send = (method: string, message: object, signal?: AbortSignal) =>
    fetch(`${url}/api/actions/${method}`, {
      method: "POST",
      headers: { "content-type": "application/json", "connect-protocol-version": "1", ...headers },
      body: JSON.stringify(message),
      ...(signal && { signal }),
    })
  const call = async (method: string, message: object): Promise<RunnerAnswer> => {
    const answer = await send(method, message)
    const text = await answer.text()
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text }
  }
  const must = async (method: string, message: object) => {
    const { status, body } = await call(`${SERVICE}/${method}`, message)
    if (status !== 200) throw new Error(`${method} was answered with ${status} ${JSON.stringify(body)}`)
    return body
  }
  const report: RunnerClient["report"] = (taskId, state, outputs = {}) => must("UpdateTask", { state: { id: taskId, ...state }, outputs })
  const taskFrom = (tasksVersion: string) => must("FetchTask", { tasksVersion })
  return {
    call,
    async registered(token, labels, more = {}) {
      const { runner } = await must("Register", { name: "worker", token, labels, version: "v1", ...more })
      return openRunnerClient(url, { "x-runner-uuid": runner.uuid, "x-runner-token": runner.token })
    },
    fetch: (tasksVersion = "0") => taskFrom(tasksVersion),
    report,
    async finish(taskId, result = "RESULT_SUCCESS") {
      await must("UpdateLog", { taskId, noMore: true })
      return report(taskId, { result })
    },
    async abandonedFetch(work) {
      const { tasksVersion } = await taskFrom("0")
      const gone = new AbortController()
      const waiting = send(`${SERVICE}/FetchTask`, { tasksVersion }, gone.signal).catch(() => undefined)
      const working = work()
      gone.abort()
      await Promise.all([waiting, working])
    },
  }
}
