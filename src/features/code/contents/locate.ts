import type { OnRepository } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import type { Request } from "../../../core/operation.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { branchRef, type Commit, type Repository, tagRef } from "../../../git/index.ts"
import { findBranchAmong } from "../branches/store.ts"
import { peel, type Revision, resolveRevision } from "../commits/revision.ts"
import { findTagAmong } from "../tags/store.ts"
import { partsToRead } from "./paths.ts"

/** What an address of code names: a revision, and a path in it. */
export interface Located {
  readonly revision: Revision
  readonly git: Repository
  /** The components of the path; none for the root. */
  readonly parts: readonly string[]
}

export type OnCode = OnRepository & Pick<Request, "services" | "db" | "actor">

const KINDS = ["branch", "tag", "commit"] as const

/** The deepest name of a branch that is looked for, in slashes. */
const DEEPEST = 12

/**
 * Reads `branch/some/name/and/path` as addresses have it: the longest branch or tag that there is, and the rest as the path. Refuses `notFound`
 * for what isn't there; undefined where the text does not begin with a kind of revision, as in addresses of older forges.
 */
export async function locateCode(call: OnCode, text: string): Promise<Located | undefined> {
  const [kind, ...rest] = text.split("/").filter((part) => part !== "")
  if (!KINDS.some((known) => known === kind)) return undefined
  const git = call.services.git.at(call.repository.storage, call.repository.object_format)
  if (kind === "commit") {
    const [id = "", ...parts] = rest
    const revision = /^[0-9a-f]{7,64}$/i.test(id) ? await resolveRevision(call.services.git, call.repository, id) : undefined
    if (revision?.kind !== "commit") throw refuse.notFound()
    return { revision, git, parts: partsToRead(parts.join("/")) }
  }
  const names = rest.slice(0, DEEPEST).map((_, index) => rest.slice(0, index + 1).join("/"))
  if (names.length === 0) throw refuse.notFound()
  const find = kind === "branch" ? findBranchAmong : findTagAmong
  const found = await find(call.db, { repositoryId: call.repository.id, names })
  const name = found.map((row) => row.name).reduce((longest, each) => (each.length > longest.length ? each : longest), "")
  const commit = name === "" ? undefined : await commitOf(call, git, kind === "branch" ? "branch" : "tag", name)
  if (!commit) throw refuse.notFound()
  const parts = partsToRead(rest.slice(name.split("/").length).join("/"))
  return { revision: { kind: kind === "branch" ? "branch" : "tag", name, commit }, git, parts }
}

async function commitOf({ services }: OnCode, git: Repository, kind: "branch" | "tag", name: string): Promise<Commit | undefined> {
  const id = await services.git.references.resolve(git, kind === "branch" ? branchRef(name) : tagRef(name))
  if (id === undefined) return undefined
  return kind === "branch" ? services.git.objects.readCommit(git, id) : peel(services.git, git, id)
}

/** The default branch; undefined for an empty repository. */
export async function locateDefault(call: OnCode): Promise<Located | undefined> {
  const git = call.services.git.at(call.repository.storage, call.repository.object_format)
  const revision = await resolveRevision(call.services.git, call.repository, undefined)
  return revision && { revision, git, parts: [] }
}

/**
 * What an address without a kind means, `name/path`: the branch, tag or commit that there is, with the rest as the path, in the explicit form.
 * Refuses `notFound`.
 */
export async function explicitForm(call: OnCode, text: string): Promise<string> {
  for (const kind of KINDS)
    try {
      await locateCode(call, `${kind}/${text}`)
      return `${kind}/${escapePath(text)}`
    } catch (error) {
      if (kind === "commit") throw error
    }
  throw refuse.notFound()
}
