/** `hearth/client` as the build makes it of these sources, in a folder of its own. */
import { execFileSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { CallOptions, Client, ClientOptions } from "../../src/client/call.ts"

const home = join(import.meta.dirname, "../..")

export interface MadeClient {
  readonly folder: string
  readonly createClient: (options: ClientOptions) => Client
  /** The function of an operation. */
  readonly functionOf: (id: string) => (client: Client, input: object, options?: CallOptions) => Promise<unknown>
  /** The names of all that it exports. */
  readonly names: readonly string[]
}

let made: Promise<MadeClient> | undefined

export function makeClient(): Promise<MadeClient> {
  made ??= make()
  return made
}

async function make(): Promise<MadeClient> {
  const folder = mkdtempSync(join(tmpdir(), "hearth-client-"))
  execFileSync(process.execPath, ["--disable-warning=ExperimentalWarning", join(home, "bin/build-client.mjs"), folder])
  const module = await import(join(folder, "all.js"))
  const { createClient } = module
  return {
    folder,
    createClient,
    names: Object.keys(module),
    functionOf: (id) => {
      const found: unknown = Reflect.get(module, id)
      if (typeof found !== "function") throw new TypeError(`the client has no function ${id}`)
      return (...given) => found(...given)
    },
  }
}
