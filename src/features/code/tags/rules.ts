import { Mode } from "../../../access/modes.ts"
import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { SignedIn } from "../../../core/actor.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { t } from "../../../core/language/message.ts"
import type { Services } from "../../../core/services.ts"
import { isMisleadingName, isTagName, type ObjectId, tagRef } from "../../../git/index.ts"
import { commitPerson } from "../commits/people.ts"
import { resolveRevision } from "../commits/revision.ts"
import { codeMode, MIRROR, NO_WRITE } from "../pushes/admission.ts"
import type { TagRelease } from "../pushes/entries.ts"
import { pushFromServer } from "../pushes/server-push.ts"
import { type NamedTag, readTagFacts } from "./facts.ts"
import { findReleaseOfTag } from "./releases-store.ts"
import { findTagInTheWay } from "./store.ts"

/** A tag to be created. */
export interface NewTag {
  readonly name: string
  /** Makes it an annotated tag, unless it is blank. */
  readonly message?: string | undefined
  /** A branch, a tag or a commit; by default the default branch. */
  readonly target?: string | undefined
  /** The release that is published with it. */
  readonly release?: TagRelease
}

/** The request field with a new tag's name. */
const FIELD = "tag_name"

/** A change of tags: the caller and the repository. */
export interface Tagging extends OnRepository {
  readonly actor: SignedIn
}

/**
 * Creates a tag, which counts as pushed by the caller, and returns its stored properties.
 * Refuses `invalid` for an invalid tag name, and one protected from the caller; `notFound` for a missing target; `conflict` for a
 * name that is taken; `archived` and `forbidden` if nothing can be pushed.
 */
export async function createTag(services: Services, tagging: Tagging, { name, message = "", target, release }: NewTag): Promise<NamedTag> {
  const { git } = services
  const { repository: row, actor } = tagging
  requireTagName(name, FIELD)
  requirePushable(tagging, release !== undefined)
  const revision = await resolveRevision(git, row, target)
  if (!revision) throw refuse.notFound(t`target "${target ?? row.default_branch}" not found`)
  const repository = git.at(row.storage, row.object_format)
  const ref = tagRef(name)
  if (await git.references.resolve(repository, ref)) throw taken(name)
  await requireNoConflict(services, row.id, name)
  const commit = revision.commit.id
  const annotated =
    message.trim() === ""
      ? undefined
      : await git.objects.writeTag(repository, {
          object: commit,
          type: "commit",
          name,
          tagger: commitPerson(services, actor.user),
          message: message.endsWith("\n") ? message : `${message}\n`,
        })
  const addedBytes = annotated === undefined ? 0 : await git.objects.written(repository, [annotated])
  await push(services, tagging, name, { oldId: null, newId: annotated ?? commit, addedBytes, field: FIELD, release })
  return { name, ...(await readTagFacts(git, repository, annotated ?? commit)) }
}

/**
 * Deletes a tag. Refuses `notFound` for a missing tag, `conflict` for one that has a release, `invalid` for one protected from the
 * caller, `archived` and `forbidden` if nothing can be pushed.
 */
export async function deleteTag(services: Services, tagging: Tagging, name: string): Promise<void> {
  const { git, database } = services
  const { repository: row } = tagging
  const oldId = isTagName(name) ? await git.references.resolve(git.at(row.storage, row.object_format), tagRef(name)) : undefined
  if (oldId === undefined) throw refuse.notFound()
  if (await findReleaseOfTag.first(database.read, { repositoryId: row.id, tagName: name }))
    throw refuse.conflict("a release stands on this tag; delete the release first")
  requirePushable(tagging)
  await push(services, tagging, name, { oldId, newId: null, addedBytes: 0, field: "tag" })
}

/** Longest name in bytes: git may store each tag in its own file. */
const LONGEST_NAME = 240

/** Refuses `invalid` for `field` if it is not a valid tag name. */
export function requireTagName(name: string, field: string): void {
  if (Buffer.byteLength(name) > LONGEST_NAME) throw refuse.invalid(field, t`must have at most ${LONGEST_NAME} bytes`)
  if (!isTagName(name)) throw refuse.invalid(field, "can't be the name of a tag: see git check-ref-format")
  if (isMisleadingName(name))
    throw refuse.invalid(field, "must not begin with refs/ or be HEAD or @: git takes that for the name of another reference")
}

export const taken = (name: string): Refusal => refuse.conflict(t`the tag ${name} exists already`)

/** Refuses `conflict` if a tag conflicts with the name: next to `a` there can't be `a/b`. */
async function requireNoConflict({ database }: Services, repositoryId: number, name: string): Promise<void> {
  const parts = name.split("/")
  const above = parts.map((_, index) => parts.slice(0, index + 1).join("/"))
  // "0" is the character after the slash.
  const found = await findTagInTheWay.first(database.read, { repositoryId, above, from: `${name}/`, before: `${name}0` })
  if (found) throw refuse.conflict(t`the tag ${found.name} stands in the way of ${name}`)
}

/** Refusals of every push are checked before the rules for single tags. Writers of releases may create the tags that they need. */
function requirePushable(on: OnRepository, ofRelease = false): void {
  if (on.repository.is_archived === 1) throw refuse.archived()
  if (on.repository.is_mirror === 1) throw refuse.forbidden(MIRROR)
  if (!ofRelease && codeMode(on) < Mode.write) throw refuse.forbidden(NO_WRITE)
}

interface Move {
  readonly oldId: ObjectId | null
  readonly newId: ObjectId | null
  readonly addedBytes: number
  readonly field: string
  readonly release?: TagRelease | undefined
}

/** Clients expect refusals by a tag's own rules as `invalid`. */
async function push(
  services: Services,
  { actor, ...on }: Tagging,
  name: string,
  { oldId, newId, addedBytes, field, release }: Move,
): Promise<void> {
  try {
    await pushFromServer(services, actor, on, [{ ref: tagRef(name), oldId, newId }], { addedBytes, release })
  } catch (error) {
    throw error instanceof Refusal && error.kind === "forbidden" ? refuse.invalid(field, error.said) : error
  }
}
