import { isGitError } from "../model/errors.ts"
import type { Reference, Repository } from "../model/model.ts"
import { isHiddenRef, type ObjectId } from "../model/names.ts"
import { readLooseObject } from "../objects/loose.ts"
import { parseTag } from "../objects/parse.ts"
import type { Context } from "../process/context.ts"
import { listReferences } from "../refs/ref-files.ts"
import { readHead } from "../repositories/repository.ts"
import { flushPacket, packet } from "./pktline.ts"

/** What a client wants to know of references: `ls-refs` of protocol version 2. */
interface Asked {
  readonly peel: boolean
  readonly symrefs: boolean
  readonly unborn: boolean
  readonly prefixes: readonly string[]
}

function askedIn(repository: Repository, request: readonly string[]): Asked | undefined {
  const [command, ...lines] = request.map((line) => line.replace(/\n$/, ""))
  const prefixes: string[] = []
  const flags = new Set<string>()
  for (const line of lines) {
    if (line.startsWith("ref-prefix ")) prefixes.push(line.slice("ref-prefix ".length))
    else if (line === "peel" || line === "symrefs" || line === "unborn") flags.add(line)
    else if (!line.startsWith("agent=") && line !== `object-format=${repository.format}`) return undefined
  }
  if (command !== "command=ls-refs") return undefined
  return { peel: flags.has("peel"), symrefs: flags.has("symrefs"), unborn: flags.has("unborn"), prefixes }
}

/** What a tag leads to in the end; null for what is no tag, undefined where it takes a process to find out. */
async function peeled(context: Context, repository: Repository, { name, id }: Reference): Promise<ObjectId | null | undefined> {
  // Branches and pull requests name commits, which is seen to when they are written.
  if (/^refs\/(heads|pull)\//.test(name)) return null
  let found = await readLooseObject(context, repository, id)
  if (found === undefined) return undefined
  if (found.type !== "tag") return null
  for (;;) {
    const { object, type } = parseTag(id, found.content)
    if (type !== "tag") return object
    found = await readLooseObject(context, repository, object)
    if (found?.type !== "tag") return undefined
  }
}

/**
 * The list of references as git answers it, without a process; undefined where git has to: for a request with something unknown, or a tag that is not a file of its own. For
 * repositories with few references. `request` are the lines of the client's request.
 */
export async function listForClient(context: Context, repository: Repository, request: readonly string[]): Promise<Buffer | undefined> {
  const asked = askedIn(repository, request)
  if (asked === undefined) return undefined
  const isWanted = (name: string) => asked.prefixes.length === 0 || asked.prefixes.some((prefix) => name.startsWith(prefix))
  try {
    const head = await readHead(repository)
    const all = await listReferences(repository)
    const wanted = all.filter(({ name }) => !isHiddenRef(name) && isWanted(name))
    const current = isWanted("HEAD") ? all.find(({ name }) => name === head) : undefined

    const target = asked.symrefs ? ` symref-target:${head}` : ""
    const lines: string[] = []
    if (current) lines.push(`${current.id} HEAD${target}\n`)
    else if (isWanted("HEAD") && asked.unborn && asked.symrefs) lines.push(`unborn HEAD${target}\n`)
    for (const reference of wanted) {
      const leadsTo = asked.peel ? await peeled(context, repository, reference) : null
      if (leadsTo === undefined) return undefined
      lines.push(`${reference.id} ${reference.name}${leadsTo === null ? "" : ` peeled:${leadsTo}`}\n`)
    }
    return Buffer.concat([...lines.map(packet), flushPacket])
  } catch (error) {
    if (isGitError(error)) return undefined
    throw error
  }
}
