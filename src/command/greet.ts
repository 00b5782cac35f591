import type { Serving } from "../app.ts"
import { sshRoot } from "../features/code/repositories/urls.ts"
import { places, readyLine } from "./announce.ts"
import type { Terminal } from "./terminal.ts"

/** An example that a fresh server was filled with. */
export interface Example {
  readonly repository: string
  readonly people: readonly string[]
  /** That of each of them, to be shown this once. */
  readonly password: string
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
