import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { Layout } from "../source/layout.ts"
import type { TakenRepository } from "./world.ts"

/** Where a mirror leads, and what signs in there: the address in the repository's own configuration has both. */
export interface Remote {
  readonly url: string
  readonly username: string
  readonly password: string
}

/** The remote of a repository. The address of its row serves where its configuration has none. */
export async function remoteOf(layout: Layout, { path }: Pick<TakenRepository, "path">, name: string, address: string): Promise<Remote> {
  const config = await readFile(join(layout.repositories, `${path}.git`, "config"), "utf8").catch(() => "")
  return partsOf(urlIn(config, name) ?? address)
}

function urlIn(config: string, name: string): string | undefined {
  let isHere = false
  for (const line of config.split("\n")) {
    const section = /^\s*\[([^\]]*)\]/.exec(line)?.[1]
    if (section !== undefined) isHere = section === `remote "${name}"`
    const url = isHere ? /^\s*url\s*=\s*(.*?)\s*$/.exec(line)?.[1] : undefined
    if (url !== undefined) return url.replace(/^"(.*)"$/, "$1")
  }
  return undefined
}

function partsOf(address: string): Remote {
  const url = URL.parse(address)
  if (!url || url.host === "") return { url: address, username: "", password: "" }
  const [username, password] = [plain(url.username), plain(url.password)]
  url.username = ""
  url.password = ""
  return { url: url.href, username, password }
}

function plain(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
