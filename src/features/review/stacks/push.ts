import type { OnRepository } from "../../../access/policies/repositories.ts"
import type { Me } from "../../../access/policies/site.ts"
import type { Transaction } from "../../../core/database/database.ts"
import { lockRow } from "../../../core/database/lock.ts"
import { refuse } from "../../../core/errors.ts"
import type { Services } from "../../../core/services.ts"
import { branchRef, type ObjectId, objectId, type RefCommand, type Repository } from "../../../git/index.ts"
import { withoutIdentity } from "../../code/commits/identity.ts"
import { editIssue } from "../../planning/issues/edit.ts"
import { lockForIssues, lockIssue } from "../../planning/issues/lock.ts"
import { setState } from "../../planning/issues/state.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { ALIGN_AFTER, preparePull, requireNotBlocked, writePull, writeRefsOf } from "../pulls/create.ts"
import { assessCommit, writeHead } from "../pulls/heads.ts"
import { HELD, openGate, type Ready, textsOf, writeRefsOfUpdate } from "../pulls/offers/ready.ts"
import type { OfferedSeries } from "../pulls/offers/series.ts"
import type { PullWithIssue } from "../pulls/present.ts"
import { alignPull, headRef } from "../pulls/refs.ts"
import { findPull, updatePull } from "../pulls/store.ts"
import { topicsOf } from "../pulls/topics.ts"
import { type Change, readSeries } from "./series.ts"
import { findByIdentity, findChangesAt, findMembers, type Member, placeChange } from "./store.ts"

/** A series that is pushed to `refs/for/BRANCH`: a pull request for each of its changes, the lower ones first. */

type Known = NonNullable<Awaited<ReturnType<typeof findByIdentity.first>>>

/** A change with the pull request that it has already. */
interface Placed extends Change {
  /** The open one that the pusher made of it. */
  readonly own: Known | undefined
  /** The one that has this very commit, of somebody else. */
  readonly foreignId: number | undefined
}

/**
 * Makes ready what a series asks for: changes that the pusher has pushed before are updated, others are opened, and those of somebody else with the very same commits
 * are stood on. Gives words against a series that `readSeries` refuses, with a change that was merged, or with nothing new.
 */
export async function prepareSeries(
  services: Services,
  found: OnRepository & Me,
  series: OfferedSeries,
): Promise<readonly Ready[] | string> {
  const { repository, base, id, asked, command } = series
  if (asked.title !== undefined || asked.description !== undefined)
    return "the titles and descriptions of a stack are those of its commits: push without -o title and -o description"
  const tip = await services.git.references.resolve(repository, branchRef(base))
  if (tip === undefined) return `the branch ${base} is gone`
  const changes = await readSeries(services, repository, { branch: base, from: tip, to: id })
  if (typeof changes === "string") return changes
  const placed = await place(services, found, base, changes)
  if (typeof placed === "string") return placed
  const gate = await openGate(services, found)
  const isOpening = placed.some(({ own, foreignId }) => own === undefined && foreignId === undefined)
  if (isOpening && (await gate?.isHeld(services, services.database.read, found))) return HELD
  const context = { services, found, repository, base, tip, gate, ref: command.ref, ids: new Map<string, number>() }
  for (const { commit, foreignId } of placed) if (foreignId !== undefined) context.ids.set(commit.id, foreignId)
  const rows = new Map(
    (
      await membersAt(
        services,
        placed.flatMap(({ own }) => own?.id ?? []),
      )
    ).map((member) => [member.id, member]),
  )
  const belowOf = ({ below }: Placed): number | null | undefined => {
    const lower = placed.find(({ commit }) => commit.id === below)
    return below === undefined ? null : (lower?.foreignId ?? lower?.own?.id)
  }
  const ready: Ready[] = []
  let isNew = false
  for (const change of placed) {
    const { own, foreignId, commit, below } = change
    if (foreignId !== undefined) continue
    const row = own && rows.get(own.id)
    const isSame =
      own?.head_id === commit.id && own.stands_on === (below ?? "") && row?.change_id != null && row.below_id === belowOf(change)
    isNew ||= !isSame
    ready.push(isSame && own ? unchanged(context, own) : await (own ? update(context, change, own) : open(context, change)))
  }
  if (!isNew) return "no new changes: each of these commits is the head of its pull request already"
  const dropped = await droppedBy(services, found.me.id, placed, [...rows.values()])
  const last = ready.pop()
  return last ? [...ready, withDropped(context, last, dropped, asked.closesDropped)] : []
}

const membersAt = async ({ database }: Services, pullIds: readonly number[]): Promise<readonly Member[]> =>
  pullIds.length === 0 ? [] : findMembers(database.read, { pullIds })

/** Finds the pull request of each change. Gives words where one was merged. */
async function place(
  { database }: Services,
  { repository, me }: OnRepository & Me,
  base: string,
  changes: readonly Change[],
): Promise<readonly Placed[] | string> {
  const db = database.read
  const at = { repositoryId: repository.id, baseBranch: base }
  const heads = await findChangesAt(db, { ...at, commits: changes.map(({ commit }) => commit.id) })
  const placed: Placed[] = []
  for (const change of changes) {
    const topic = topicsOf(me.name) + change.id
    const own = await findByIdentity.first(db, { ...at, topic, authorId: me.id })
    if (own?.is_merged === 1)
      return `change ${change.id} was merged as #${own.number}: rebase the series onto ${base}, without it, and push again`
    const open = own?.is_closed === 0 ? own : undefined
    const here = heads.filter(({ head_id }) => head_id === change.commit.id)
    const foreignId = here.some(({ id }) => id === open?.id) ? undefined : here[0]?.id
    placed.push({ ...change, own: foreignId === undefined ? open : undefined, foreignId })
  }
  return placed.every(({ foreignId }) => foreignId !== undefined) ? "these commits are pull requests of somebody else already" : placed
}

interface Context {
  readonly services: Services
  readonly found: OnRepository & Me
  readonly repository: Repository
  readonly base: string
  readonly tip: ObjectId
  readonly gate: Awaited<ReturnType<typeof openGate>>
  readonly ref: RefCommand["ref"]
  /** The pull requests of the commits, as far as they are known: a new one has its id once it is written. */
  readonly ids: Map<string, number>
}

/** Stores where a change stands, once those below it are written. */
async function placeIn(tx: Transaction, { ids }: Context, { id, commit, below }: Change, pullId: number): Promise<void> {
  ids.set(commit.id, pullId)
  await placeChange(tx, { pullId, changeId: id, belowId: (below && ids.get(below)) ?? null, note: "" })
}

/** A pull request for a change that has no open one. */
async function open(context: Context, change: Placed): Promise<Ready> {
  const { services, found, repository, base, tip, gate, ref } = context
  const { commit, below } = change
  const topic = topicsOf(found.me.name) + change.id
  const { title, body } = textsOf(commit)
  const options = { base, head: topic, title: title || topic, body: withoutIdentity(body) }
  const prepared = await preparePull(services, found, {
    base: { on: found, repository, name: base, tip: below ?? tip },
    head: { repository, name: topic, tip: commit.id },
  })
  return {
    ref,
    async write(tx) {
      const made = await writePull(tx, services, found, options, prepared)
      await updatePull(tx, made.pull.id, { stands_on: below ?? "" })
      await placeIn(tx, context, change, made.pull.id)
      await gate?.requireFewOpened(tx, services, found)
      return made
    },
    finish: (made) => writeRefsOf(services, prepared, made),
    done: ({ issue }) => ({
      written: { ref: headRef(issue.number), oldId: null, newId: commit.id, forced: false },
      line: `Pull request #${issue.number} was opened:`,
    }),
  }
}

/** The new commit of a change. Its title and description follow the commit's, unless they were edited here. */
async function update(context: Context, change: Placed, known: Known): Promise<Ready> {
  const { services, found, repository, ref } = context
  const { git, now, jobs } = services
  const { commit, below } = change
  const { number, title, content, is_closed: _, ...pull } = known
  const before = objectId(pull.head_id)
  const moved = { ...pull, stands_on: below ?? "" }
  const isMoved = before !== commit.id
  const head = await assessCommit(services, { pull: moved, base: repository, id: commit.id })
  const said = textsOf(await git.objects.readCommit(repository, before))
  const says = textsOf(commit)
  const texts = {
    ...(title === said.title && says.title !== title && says.title !== "" && { title: says.title }),
    ...(content === withoutIdentity(said.body) && withoutIdentity(says.body) !== content && { body: withoutIdentity(says.body) }),
  }
  return {
    ref,
    async write(tx) {
      const at = now()
      const locked = await lockForIssues(tx, found.repository.id)
      await requireNotBlocked(tx, found)
      const issue = await lockIssue(tx, { id: pull.issue_id, repository_id: locked.id })
      const current = await lockRow(tx, "pulls", pull.id)
      const isAsRead = current?.head_id === pull.head_id && current.base_branch === pull.base_branch && current.stands_on === pull.stands_on
      if (issue.is_closed === 1 || !isAsRead) throw refuse.conflict("the series has just changed; look at it again")
      await updatePull(tx, pull.id, { stands_on: moved.stands_on, ...(!isMoved && { mergeability: "checking" }) })
      if (isMoved) {
        const pushed = { commits: [before, commit.id], isForced: true }
        await writeHead(tx, services, head, { pusher: found.me, pushed, now: at })
      }
      await jobs.enqueue(tx, alignPull, { pullId: pull.id }, { runAt: at + ALIGN_AFTER })
      if (Object.keys(texts).length > 0) await editIssue(tx, services, { ...found, repository: locked, issue }, texts)
      await placeIn(tx, context, change, pull.id)
      return madeOf(tx, pull, issue)
    },
    finish: () => writeRefsOfUpdate(services, repository, { head, number }),
    done: () => ({
      written: { ref: headRef(number), oldId: before, newId: commit.id, forced: isMoved },
      line: `Pull request #${number} was updated:`,
    }),
  }
}

const madeOf = async (tx: Transaction, pull: PullWithIssue["pull"], issue: PullWithIssue["issue"]): Promise<PullWithIssue> => ({
  pull: (await findPull.first(tx, { id: pull.id })) ?? pull,
  issue: (await findIssueById.first(tx, { id: issue.id })) ?? issue,
})

/** A change that is as it was. */
function unchanged({ ref, ids }: Context, known: Known): Ready {
  const { number, title: _, content: __, is_closed: ___, ...pull } = known
  const head = objectId(pull.head_id)
  ids.set(head, pull.id)
  return {
    ref,
    async write(tx) {
      const issue = await findIssueById.first(tx, { id: pull.issue_id })
      if (!issue) throw refuse.notFound()
      return { pull, issue }
    },
    finish: async () => {},
    done: () => ({
      written: { ref: headRef(number), oldId: head, newId: head, forced: false },
      line: `Pull request #${number} is unchanged:`,
    }),
  }
}

/** The pusher's open changes that stood below some of the series, and are not among it any more. */
async function droppedBy(
  services: Services,
  authorId: number,
  placed: readonly Placed[],
  rows: readonly Member[],
): Promise<readonly Member[]> {
  const kept = new Set(placed.flatMap(({ own, foreignId }) => own?.id ?? foreignId ?? []))
  const dropped = new Map<number, Member>()
  let next = rows.flatMap(({ below_id }) => below_id ?? [])
  while (next.length > 0) {
    const lower = await membersAt(
      services,
      next.filter((id) => !kept.has(id) && !dropped.has(id)),
    )
    const open = lower.filter(({ author_id, is_closed }) => author_id === authorId && is_closed === 0)
    for (const member of open) dropped.set(member.id, member)
    next = open.flatMap(({ below_id }) => below_id ?? [])
  }
  return [...dropped.values()].toSorted((a, b) => a.number - b.number)
}

/** Tells of the changes that a series no longer has, and closes them where that was asked for. */
function withDropped({ services, found }: Context, last: Ready, dropped: readonly Member[], closes: boolean): Ready {
  if (dropped.length === 0) return last
  const names = dropped.map(({ number }) => `#${number}`).join(", ")
  const isOne = dropped.length === 1
  const note = closes
    ? `${names} ${isOne ? "is" : "are"} not part of this series any more: closed.`
    : `${names} ${isOne ? "is" : "are"} not part of this series any more, and ${isOne ? "stays" : "stay"} open (-o close-dropped closes ${isOne ? "it" : "them"}).`
  return {
    ...last,
    async write(tx) {
      const made = await last.write(tx)
      if (!closes) return made
      const { owner, me } = found
      for (const { issue_id } of dropped) {
        const repository = await lockForIssues(tx, found.repository.id)
        const issue = await lockIssue(tx, { id: issue_id, repository_id: repository.id })
        if (issue.is_closed === 0) await setState(tx, services, { issue, repository, owner, closed: true, actor: me, now: services.now() })
      }
      return made
    },
    done: (made) => ({ ...last.done(made), notes: [note] }),
  }
}
