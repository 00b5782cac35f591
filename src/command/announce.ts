import { join } from "node:path"
import type { Serving } from "../app.ts"
import type { Config } from "../core/config.ts"
import { VERSION } from "../core/version.ts"
import { sshRoot } from "../features/code/repositories/urls.ts"
import type { Terminal } from "./terminal.ts"

/** An example that a fresh server was filled with. */
export interface Example {
  readonly repository: string
  readonly people: readonly string[]
  /** That of each of them, to be shown this once. */
  readonly password: string
}

/**
 * Says that the server is ready: its address and, at the first start, the administrator, where data is stored, and what to do next. These are lines that
 * programs read as well; on a terminal there is {@link greet} instead.
 */
export function announce({ out }: Terminal, { url, administrator: { name }, made, services }: Serving): void {
  out(readyLine(url))
  if (made === undefined) return
  out(`The first administrator is "${name}".`)
  if (made.password === undefined) out("Its password is the one that was configured.")
  else out(`Its password is ${made.password} and is shown this once. Change it after signing in: ${url}/user/change_password`)
  const [folder, other] = places(services.config)
  out(other === undefined ? `All data lies in ${folder}.` : `Repositories lie in ${folder}, everything else in ${other}.`)
  out("Next, make a repository and push to it:")
  out(`  curl -u ${name} ${url}/api/v1/user/repos -H 'content-type: application/json' -d '{"name":"first"}'`)
  out(`  git push ${url}/${name}/first.git HEAD:main`)
  if (services.site.sshPort !== undefined) out(`Over SSH, once your key is there: ${sshRoot(services.site)}${name}/first.git`)
  out(`The whole interface: ${url}/api/swagger`)
}

/** Says to a person at a terminal all that they need for now, as the last thing: it is still there when they come back to it. */
export function greet({ out }: Terminal, { url, administrator: { name }, made, services }: Serving, example: Example | undefined): void {
  const password = made && (made.password === undefined ? "the one that was configured" : `${made.password}   (shown only now)`)
  const rows: readonly (readonly [string, string | undefined])[] = [
    ["Administrator", name],
    ["Password", password ?? `as before; for a new one: hearth user password ${name}`],
    ...examples(example, url),
    ["Over SSH", services.site.sshPort === undefined ? undefined : sshRoot(services.site)],
    ["Data", places(services.config).join(" and ")],
    ["Stop", "Ctrl+C"],
  ]
  const width = Math.max(...rows.map(([label]) => label.length))
  out(`\n${readyLine(url)}\n`)
  for (const [label, value] of rows) if (value !== undefined) out(`  ${label.padEnd(width)}  ${value}`)
  for (const line of next(url, name, made !== undefined, example)) out(line)
}

const examples = (example: Example | undefined, url: string): readonly (readonly [string, string])[] =>
  example === undefined
    ? []
    : [
        ["Example", `${url}/${example.repository}`],
        ["Its people", example.people.join(", ")],
        ["Their password", `${example.password}   (shown only now)`],
      ]

function next(url: string, name: string, isFirst: boolean, example: Example | undefined): readonly string[] {
  if (example !== undefined)
    return [
      "\nNext: open the example in a browser, and sign in as one of its people. Or clone it:",
      `  git clone ${url}/${example.repository}.git\n`,
    ]
  if (!isFirst) return [""]
  return [
    "\nNext: open the address in a browser, sign in, and change the password. Then make",
    `a repository "first" (${url}/repo/create), and push to it:`,
    `  git push ${url}/${name}/first.git HEAD:main\n`,
  ]
}

const readyLine = (url: string): string => `Hearth ${VERSION} is ready: ${url}`

/** Where data lies: the folder, or the folder of repositories and what holds the rest. */
function places({ dataDir, databaseUrl }: Config): readonly [string] | readonly [string, string] {
  const file = /^sqlite:(.+)$/.exec(databaseUrl)?.[1]
  return file?.startsWith(join(dataDir, "/")) ? [dataDir] : [dataDir, file ?? "PostgreSQL"]
}
