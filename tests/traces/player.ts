/** The reference player of scenarios, run in this process: as it is written, but for what it reaches outside of itself. */
import { readFileSync } from "node:fs"
import { compileFunction } from "node:vm"
import { differing } from "./covered.ts"

/** What the player takes in place of the process's own. */
export interface Outside {
  /** The site's root address. */
  readonly url: string
  /** The administrator: name, colon, password. */
  readonly admin: string
  /** The scenario's file. */
  readonly scenario: string
  /** Called after each request, with its answer, which may be read. */
  readonly asked: (method: string, url: string, answer: Response) => Promise<void>
  /** Called in place of a wait. */
  readonly wait: (milliseconds: number) => Promise<void>
}

const names = ["process", "console", "fetch", "setTimeout"] as const
type Globals = Readonly<Record<(typeof names)[number], unknown>>

const file = new URL("trace.mjs", import.meta.url).pathname

const player = compile(readFileSync(file, "utf8"))

/** Plays a scenario and gives all that the player printed. */
export async function playScenario({ url, admin, scenario, asked, wait }: Outside): Promise<string> {
  const printed: string[] = []
  const print = (...words: readonly unknown[]) => printed.push(`${words.join(" ")}\n`)
  const ask = async (to: string, call: RequestInit = {}): Promise<Response> => {
    const answer = await fetch(to, call)
    await asked(call.method ?? "GET", to, answer.clone())
    return answer
  }
  await player({
    // The exit is the player's last word, and nothing follows it.
    process: { argv: [process.execPath, file, "check", url, scenario], env: { ADMIN: admin }, exit: () => {} },
    console: { log: print, error: print },
    fetch: ask,
    setTimeout: (then: () => void, milliseconds: number) => void wait(milliseconds).then(then),
  })
  return printed.join("")
}

/** Makes a function of the module, whose parameters are what would be globals; its imports are of modules that Node has built in. */
function compile(source: string): (globals: Globals) => Promise<void> {
  const body = source.replace(/^#!.*/, "").replace(/^import (\{.*\}) from ('node:\w+')$/gm, "const $1 = builtin($2)")
  const run = compileFunction(`"use strict"; return (async () => {${body}\n})()`, ["builtin", ...names], { filename: file })
  return async (globals) => {
    await run(process.getBuiltinModule, ...names.map((name) => globals[name]))
  }
}

/** The steps that were answered otherwise than is known, and all that was told where it is not whole. */
export function judge(name: string, told: string) {
  const faults = [...told.matchAll(/^FAIL \S+ (?:step (\d+) )?(.*)\n((?: {2}.*\n)*)/gm)]
  const isWhole = told.endsWith(` passed, ${faults.length} failed\n`)
  const failed = faults.flatMap(([, number, step, differences = ""]) => {
    const known = (differing[name] ?? []).filter(({ from }) => Number(number) >= from)
    const isKnown = (difference: string): boolean => known.some(({ members }) => members.test(difference))
    return differences.trim().split(/\n\s*/).every(isKnown) ? [] : [step]
  })
  return { failed, ...(!isWhole && { told }) }
}
