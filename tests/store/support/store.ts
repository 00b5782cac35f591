/** A real object store, and one behind a proxy that disturbs it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { createConnection } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { inject } from "vitest"
import { freePort } from "../../support/ports.ts"
import { type Disturbance, openProxy } from "./proxy.ts"

export const BUCKET = "hearth"

export interface TestStore {
  /** Its settings, as a server has them. */
  readonly storage: { readonly url: string; readonly accessKey: string; readonly secretKey: string }
  /** What happens to the requests from now on. */
  readonly disturb: (disturbance: Disturbance | undefined) => void
  /** Where it listens itself, without what disturbs it. */
  readonly port: number
  /** The folder of the bucket. */
  readonly folder: string
  readonly close: () => Promise<void>
}

export async function openTestStore(): Promise<TestStore> {
  const program = inject("storeProgram")
  if ("fault" in program) throw new Error(program.fault)
  const root = await mkdtemp(join(tmpdir(), "hearth-store-"))
  for (const name of ["about", join("objects", BUCKET)]) await mkdir(join(root, name), { recursive: true })
  const port = await freePort()
  const [accessKey, secretKey] = ["hearth-access", "hearth-secret"]
  const env = { PATH: process.env["PATH"], ROOT_ACCESS_KEY: accessKey, ROOT_SECRET_KEY: secretKey }
  const child = spawn(program.path, [`127.0.0.1:${port}`, root], { env, stdio: ["ignore", "ignore", "inherit"] })
  await listening(child, port)
  const proxy = await openProxy(port)
  return {
    storage: { url: `s3://${BUCKET}?endpoint=${proxy.url}&region=us-east-1&path_style=true`, accessKey, secretKey },
    disturb: proxy.disturb,
    port,
    folder: join(root, "objects", BUCKET),
    async close() {
      await proxy.close()
      const ended = once(child, "exit")
      child.kill("SIGKILL")
      await ended
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function listening(child: ChildProcess, port: number): Promise<void> {
  while (child.exitCode === null) {
    const socket = createConnection(port, "127.0.0.1")
    const isOpen = await Promise.race([once(socket, "connect").then(() => true), once(socket, "error").then(() => false)]).catch(
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await sleep(20)
  }
  throw new Error(`the object store ended with ${child.exitCode}`)
}
