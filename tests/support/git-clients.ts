/** The process that begins the git clients of all tests: see src/git/client.fixture.ts. Vitest's global set-up. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    gitClients: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-git-clients-"))
  const socket = join(folder, "socket")
  const file = fileURLToPath(new URL("../../src/git/client.fixture.ts", import.meta.url))
  const clients = fork(file, [socket], { execArgv: ["--disable-warning=ExperimentalWarning"] })
  await once(clients, "message")
  project.provide("gitClients", socket)
  return async () => {
    const ended = once(clients, "exit")
    clients.disconnect()
    await ended
    await rm(folder, { recursive: true, force: true })
  }
}
