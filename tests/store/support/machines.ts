/** Several servers, each with a process and a folder of its own, on one database and one object store, behind a proxy that gives each request to the next. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Hearth, startHearth } from "../../../src/app.ts"
import { client, type Run } from "../../../src/git/testing.ts"
import { freshUrl } from "../../support/database.ts"
import { basic, must } from "../../support/http.ts"
import { freePort } from "../../support/ports.ts"
import { type ServerProcess, startServer } from "../../support/server-process.ts"
import { openBalancer } from "./balancer.ts"
import { openProxy, type StoreProxy } from "./proxy.ts"
import { openTestStore } from "./store.ts"
import { openWire, type Wire } from "./wire.ts"

export interface Machine {
  /** The address of this server alone, and its port for SSH: others after each start, since someone else may have taken those of before. */
  readonly url: () => string
  readonly sshPort: () => number
  readonly folder: string
  /** What is between this server and the database, and the object store. */
  readonly database: Wire
  readonly store: StoreProxy
  /** The process that runs now. */
  readonly process: () => ServerProcess
  /** Kills it, and starts it anew on its folder. */
  readonly restart: () => Promise<void>
}

export interface Machines {
  /** The address that people use. */
  readonly url: string
  readonly all: readonly Machine[]
  /** The machine of a number, counted round. */
  readonly at: (number: number) => Machine
  /** A folder for clones. */
  readonly folder: string
  /** Of the administrator. */
  readonly authorization: string
  readonly ask: <T>(method: string, path: string, body?: unknown) => Promise<T>
  /** Makes a repository of the administrator's. */
  readonly repository: (name: string, options?: object) => Promise<void>
  /** A repository's address on a server, or where people go. */
  readonly address: (name: string, machine?: Machine) => string
  /** Git with the administrator's credentials. */
  readonly git: (folder: string, ...args: readonly string[]) => Promise<Run>
  /** The same, which must succeed; gives its output. */
  readonly ok: (folder: string, ...args: readonly string[]) => Promise<string>
  /** A further server in this process, with an empty folder, whose jobs do not run by themselves. */
  readonly cold: () => Promise<Hearth>
  readonly close: () => Promise<void>
}

const PASSWORD = "root-pass-1"
/** The administrator: name, colon, password. */
export const ADMIN = `root:${PASSWORD}`

export async function openMachines(count: number, env: Readonly<Record<string, string>> = {}): Promise<Machines> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-machines-"))
  const [store, fresh, balancer] = await Promise.all([openTestStore(), freshUrl("postgres"), openBalancer()])
  const databaseAt = new URL(fresh.url)
  const storageAt = (endpoint: string) => store.storage.url.replace(/endpoint=[^&]+/, `endpoint=${endpoint}`)
  const secretKey = "5".repeat(64)

  async function openMachine(name: string): Promise<Machine> {
    const [wire, proxy] = await Promise.all([openWire(databaseAt.hostname, Number(databaseAt.port)), openProxy(store.port)])
    const database = new URL(fresh.url)
    database.port = String(wire.port)
    let [port, sshPort] = [0, 0]
    const start = async (): Promise<ServerProcess> => {
      port = await freePort()
      sshPort = await freePort()
      return startServer({
        HEARTH_DATA_DIR: join(folder, name),
        HEARTH_ADMIN_PASSWORD: PASSWORD,
        HEARTH_HTTP_HOST: "127.0.0.1",
        HEARTH_HTTP_PORT: String(port),
        HEARTH_SSH_PORT: String(sshPort),
        HEARTH_ROOT_URL: balancer.url,
        HEARTH_DATABASE_URL: database.href,
        HEARTH_STORAGE_URL: storageAt(proxy.url),
        HEARTH_STORAGE_ACCESS_KEY: store.storage.accessKey,
        HEARTH_STORAGE_SECRET_KEY: store.storage.secretKey,
        HEARTH_SECURITY_SECRET_KEY: secretKey,
        HEARTH_OUTGOING_ALLOWED_HOSTS: "loopback",
        ...env,
      })
    }
    let process = await start().catch(async (error: unknown) => {
      await Promise.all([wire.close(), proxy.close()])
      throw error
    })
    return {
      url: () => `http://127.0.0.1:${port}`,
      sshPort: () => sshPort,
      folder: join(folder, name),
      database: wire,
      store: proxy,
      process: () => process,
      async restart() {
        await process.kill()
        process = await start()
      },
    }
  }

  const all: Machine[] = []
  let authorization: string
  const close = async (): Promise<void> => {
    await Promise.all(all.map((machine) => machine.process().kill()))
    await Promise.all(all.flatMap((machine) => [machine.database.close(), machine.store.close()]))
    await balancer.close()
    await store.close()
    await fresh.drop()
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
  try {
    const opened = await Promise.allSettled(Array.from({ length: count }, (_, index) => openMachine(`machine-${index + 1}`)))
    for (const outcome of opened) {
      if (outcome.status === "fulfilled") all.push(outcome.value)
    }
    for (const outcome of opened) if (outcome.status === "rejected") throw outcome.reason
    balancer.lead(() => all.map(({ url }) => Number(new URL(url()).port)))
    authorization = await tokenOf(balancer.url)
  } catch (error) {
    await close()
    throw error
  }
  const at = (number: number): Machine => {
    const machine = all[number % all.length]
    if (!machine) throw new Error("there are no machines")
    return machine
  }
  const ask: Machines["ask"] = (method, path, body) => must(balancer.url, method, path, { authorization, body })
  const git: Machines["git"] = (where, ...args) => client(where, ["-c", `http.extraHeader=Authorization: ${authorization}`, ...args])
  return {
    url: balancer.url,
    all,
    at,
    folder,
    authorization,
    ask,
    async repository(name, options = {}) {
      await ask("POST", "/user/repos", { name, ...options })
    },
    address: (name, machine) => `${machine?.url() ?? balancer.url}/root/${name}.git`,
    git,
    async ok(where, ...args) {
      const { code, out, err } = await git(where, ...args)
      if (code !== 0) throw new Error(`git ${args.join(" ")} failed: ${err}`)
      return out.trim()
    },
    cold: async () =>
      startHearth({
        env: {},
        halted: true,
        config: {
          dataDir: await mkdtemp(join(folder, "cold-")),
          databaseUrl: fresh.url,
          http: { host: "127.0.0.1", port: 0 },
          ssh: { port: 0 },
          log: { level: "silent" },
          rootUrl: balancer.url,
          security: { secretKey },
          storage: store.storage,
        },
      }),
    close,
  }
}

/** A token of the administrator's, in a header: cheaper than the password. */
async function tokenOf(url: string): Promise<string> {
  const { sha1 } = await must<{ readonly sha1: string }>(url, "POST", "/users/root/tokens", {
    authorization: basic("root", PASSWORD),
    body: { name: "tests", scopes: ["all"] },
  })
  return `token ${sha1}`
}
