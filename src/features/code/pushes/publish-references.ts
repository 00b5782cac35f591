import { publish } from "../../../core/events/publish.ts"
import { branchOf, tagOf } from "../../../git/index.ts"
import { chooseDefault } from "./branches.ts"
import { branchContent, deletedTagContent, type PushedRepository, tagContent } from "./content.ts"
import type { MovedPush, PushStep, RefChange } from "./step.ts"

/** The most references of one push that are published, since pushing a mirror may change ten thousand. */
const MOST_PUBLISHED = 100

/** Publishes which branches and tags a push has created, moved and deleted. */
export const publishReferences: PushStep = async (moved) => {
  const target = pushedRepository(moved)
  const changes: (RefChange & { readonly summary: string })[] = []
  for (const change of moved.changes.slice(0, MOST_PUBLISHED)) {
    const summary = await summaryOf(target, change, moved)
    const { ref, oldId, newId } = change
    if (summary !== undefined) changes.push({ ref, oldId, newId, summary })
  }
  return async (tx, { owner, repository, pusher: actor, now: at }) => {
    for (const change of changes) publish(tx, { kind: kindOf(change), repository, owner, actor, ...change, at })
  }
}

const kindOf = ({ oldId, newId }: RefChange) =>
  newId === null ? "reference.removed" : oldId === null ? "reference.created" : "reference.moved"

function pushedRepository({ services: { git }, row, repository, changes }: MovedPush): PushedRepository {
  const arrived = changes.flatMap(({ ref, oldId }) => (oldId === null ? (branchOf(ref) ?? []) : []))
  const choice = { stored: row.default_branch, wasEmpty: row.is_empty === 1, created: arrived }
  const defaultBranch = choice.wasEmpty ? chooseDefault(choice, (name) => arrived.includes(name)) : row.default_branch
  return { git, repository, fullName: `${row.owner_name}/${row.name}`, defaultBranch }
}

/** The feed content of a change, "" for a new branch without new commits; undefined if it is neither a branch nor a tag. */
async function summaryOf(
  target: PushedRepository,
  { ref, oldId, newId }: RefChange,
  { newCommits, bringsNothing }: MovedPush,
): Promise<string | undefined> {
  const branch = branchOf(ref)
  if (branch !== undefined) {
    const isSilent = newId === null || (oldId === null && bringsNothing)
    return isSilent ? "" : branchContent(target, branch, oldId, newId, newCommits)
  }
  if (tagOf(ref) === undefined) return undefined
  return newId === null ? deletedTagContent : tagContent(target, newId)
}
