import { join } from "node:path"
import type { Serving } from "../app.ts"
import { type Config, isSharedByServers } from "../core/config.ts"
import { VERSION } from "../core/version.ts"
import { sshRoot } from "../features/code/repositories/urls.ts"
import type { Terminal } from "./terminal.ts"

/**
 * Says that the server is ready: its address and, at the first start, the administrator, where data is stored, and what to do next. These are lines that
 * programs read as well; on a terminal there is `greet` instead.
 */
export function announce({ out }: Terminal, { url, administrator: { name }, made, services }: Serving): void {
  out(readyLine(url))
  if (made === undefined) return
  out(`The first administrator is "${name}".`)
  if (made.password === undefined) out("Its password is the one that was configured.")
  else out(`Its password is ${made.password} and is shown this once. Change it after signing in: ${url}/user/change_password`)
  const [first, other] = places(services.config)
  if (isSharedByServers(services.config)) out(`All data lies in ${first} and in ${other}; the disk of this server holds a cache.`)
  else out(other === undefined ? `All data lies in ${first}.` : `Repositories lie in ${first}, everything else in ${other}.`)
  out("Next, make a repository and push to it:")
  out(`  curl -u ${name} ${url}/api/v1/user/repos -H 'content-type: application/json' -d '{"name":"first"}'`)
  out(`  git push ${url}/${name}/first.git HEAD:main`)
  if (services.site.sshPort !== undefined) out(`Over SSH, once your key is there: ${sshRoot(services.site)}${name}/first.git`)
  out(`The whole interface: ${url}/api/swagger`)
}

export const readyLine = (url: string): string => `Hearth ${VERSION} is ready: ${url}`

/** Where data lies: the folder, or the folder of repositories and what holds the rest, or what all servers share. */
export function places({ dataDir, databaseUrl, storage }: Config): readonly [string] | readonly [string, string] {
  if (isSharedByServers({ databaseUrl, storage })) return ["PostgreSQL", "the object store"]
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1]
  return file?.startsWith(join(dataDir, "/")) ? [dataDir] : [dataDir, file ?? "PostgreSQL"]
}
