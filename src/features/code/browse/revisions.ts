import type { OnRepository } from "../../../access/policies/repositories.ts"
import { type Params, query } from "../../../core/database/query.ts"
import { refuse } from "../../../core/errors.ts"
import type { Request } from "../../../core/operation.ts"
import { type Moved, moved } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { branchRef, type Commit, type Repository, tagRef } from "../../../git/index.ts"
import { escapePath } from "../../../web/address.ts"
import { peel, type Revision, resolveRevision } from "../commits/revision.ts"
import { partsToRead } from "../contents/paths.ts"
import { repositoryPath } from "../frame/frame.ts"

/** What an address of code names: a revision, and a path in it. */
export interface Located {
  readonly revision: Revision
  readonly git: Repository
  /** The components of the path; none for the root. */
  readonly parts: readonly string[]
}

export type OnCode = OnRepository & Pick<Request, "services" | "db" | "actor">

const KINDS = ["branch", "tag", "commit"] as const

/** The longest of these names that a branch or tag has. */
const findBranchAmong = query("browse.findBranchAmong", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.selectFrom("branches").select("name").where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)
const findTagAmong = query("browse.findTagAmong", (db, p: Params<{ repositoryId: number; names: readonly string[] }>) =>
  db.selectFrom("tags").select("name").where("repository_id", "=", p.repositoryId).where("name", "in", p.names),
)

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
  if (names.length === 0 || text.includes("\0")) throw refuse.notFound()
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

/** A revision as addresses have it: `branch/main`. */
export const revisionPath = ({ kind, name }: Revision): string => `${kind}/${escapePath(name)}`

/** The address of a view of a path at a revision. */
export function codePath(
  on: OnRepository,
  view: "src" | "raw" | "media" | "blame" | "commits",
  revision: Revision,
  parts: readonly string[] = [],
): string {
  const below = parts.length === 0 ? "" : `/${escapePath(parts.join("/"))}`
  return `${repositoryPath(on)}/${view}/${revisionPath(revision)}${below}`
}

/** The query with which the menu of branches and tags asks for a path that need not be there. */
export const nearestField = { nearest: Type.Optional(Type.Boolean()) }

/** The longest path that a sentence repeats, in characters: it is sent in a cookie. */
const LONGEST_SAID = 300

/** Leads to the path in this revision, or to the nearest folder above it that the revision has, with a sentence about it. */
export async function nearestPlace(call: OnCode, view: "src" | "blame" | "commits", located: Located): Promise<Moved> {
  const { git, revision, parts } = located
  let tree = revision.commit.tree
  for (const [depth, part] of parts.entries()) {
    const entry = (await call.services.git.objects.readTree(git, tree)).find(({ name }) => name === part)
    const isLast = depth === parts.length - 1
    if (entry?.mode === "40000") tree = entry.id
    else if (entry && entry.mode !== "160000" && isLast) break
    else {
      const path = parts.join("/")
      const said = path.length > LONGEST_SAID ? "This path" : path
      const there = codePath(call, view === "blame" ? "src" : view, revision, parts.slice(0, depth))
      return moved(there, { flash: `${said} is not in ${revision.name}.` })
    }
    // Only files have a blame.
    if (isLast && view === "blame") return moved(codePath(call, "src", revision, parts))
  }
  return moved(codePath(call, parts.length === 0 && view === "blame" ? "src" : view, revision, parts))
}
