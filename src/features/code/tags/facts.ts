import { mapInBatches } from "../../../core/batches.ts"
import { type Git, type ObjectId, type Repository, tagOf } from "../../../git/index.ts"

/** The stored properties of a tag. They depend only on the object that the reference points to. */
export interface TagFacts {
  readonly object_id: string
  readonly target_id: string
  readonly message: string
  readonly tagged_at: number
}

/** A tag's name with its properties. */
export interface NamedTag extends TagFacts {
  readonly name: string
}

/** The most characters stored of a message: more than a list needs. */
const LONGEST_MESSAGE = 65_536
/** The deepest chain of tags on tags that is followed. */
const DEEPEST = 10

/**
 * Reads the properties of tags that point to these objects; those in `known` are not read again. Reads git: must not be called inside a
 * transaction.
 */
export function readTags(
  git: Git,
  repository: Repository,
  tags: readonly { readonly name: string; readonly id: ObjectId }[],
  known: readonly TagFacts[] = [],
): Promise<readonly NamedTag[]> {
  const facts = new Map(known.map((each) => [each.object_id, each]))
  return mapInBatches(tags, async ({ name, id }) => ({ ...(facts.get(id) ?? (await readTagFacts(git, repository, id))), name }))
}

/** All tags that a repository has in git, with their properties. */
export async function readAllTags(git: Git, repository: Repository, known: readonly TagFacts[]): Promise<readonly NamedTag[]> {
  const references = await git.references.list(repository, "refs/tags/")
  return readTags(
    git,
    repository,
    references.map(({ name, id }) => ({ name: tagOf(name) ?? name, id })),
    known,
  )
}

/** The properties of a tag that points to this object. */
export async function readTagFacts(git: Git, repository: Repository, id: ObjectId): Promise<TagFacts> {
  const { target, tag } = await follow(git, repository, id)
  const type = tag && target === tag.id ? "tag" : (await git.objects.info(repository, target))?.type
  const commit = type === "commit" ? await git.objects.readCommit(repository, target) : undefined
  return {
    object_id: id,
    target_id: target,
    message: cut(tag?.message ?? commit?.message ?? ""),
    tagged_at: tag?.tagger?.when ?? commit?.committer.when ?? 0,
  }
}

/** The object that annotated tags peel to, and the outermost of them. */
async function follow(git: Git, repository: Repository, id: ObjectId) {
  if ((await git.objects.info(repository, id))?.type !== "tag") return { target: id, tag: undefined }
  const tag = await git.objects.readTag(repository, id)
  let last = tag
  for (let depth = 1; depth < DEEPEST && last.type === "tag"; depth++) last = await git.objects.readTag(repository, last.object)
  return { target: last.type === "tag" ? last.id : last.object, tag }
}

/** Truncates a message, without an unpaired surrogate or characters that a database can't store. */
const cut = (message: string): string => message.slice(0, LONGEST_MESSAGE).replaceAll("\0", "").toWellFormed()
