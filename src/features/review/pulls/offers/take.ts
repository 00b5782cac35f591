import type { Pull } from "../../../../access/policies/pulls.ts"
import type { OnRepository } from "../../../../access/policies/repositories.ts"
import type { Me } from "../../../../access/policies/site.ts"
import { lockRow } from "../../../../core/database/lock.ts"
import { Refusal, refuse } from "../../../../core/errors.ts"
import type { Services } from "../../../../core/services.ts"
import { movableBy, notMovable } from "../../../../core/task-token.ts"
import {
  branchRef,
  type ObjectId,
  objectId,
  type RefCommand,
  type RefName,
  type Repository,
  type TakenOffers,
  type WrittenRef,
} from "../../../../git/index.ts"
import type { OfferTaker } from "../../../code/pushes/offers.ts"
import { asRefusal } from "../../../code/pushes/refusals.ts"
import { repositoryHtmlUrl } from "../../../code/repositories/urls.ts"
import { editIssue } from "../../../planning/issues/edit.ts"
import { lockForIssues, lockIssue } from "../../../planning/issues/lock.ts"
import { findIssueById } from "../../../planning/issues/store.ts"
import { ALIGN_AFTER, preparePull, requireNotBlocked, writePull, writeRefsOf } from "../create.ts"
import { assessCommit, writeHead } from "../heads.ts"
import type { PullWithIssue } from "../present.ts"
import { commitsBetween } from "../pushed.ts"
import { alignPull, headRef } from "../refs.ts"
import { findOpenOffer } from "../store.ts"
import { topicsOf } from "../topics.ts"
import { HELD, openGate, type Ready, textsOf, writeRefsOfUpdate } from "./ready.ts"
import { type OfferOptions, readOfferOptions, readTarget } from "./request.ts"
import { seriesTakers } from "./series.ts"

/** The most pull requests that one push opens or updates. */
const MOST_OFFERS = 20

type Judged = Parameters<OfferTaker["judge"]>[0]

/** Gives why offers are refused: to people whom the owner has blocked, and where they have no base or no topic, come twice, or are too many for one push. */
export async function judge({ services, on, commands, options }: Judged): Promise<ReadonlyMap<RefName, string>> {
  const db = services.database.read
  const refused = new Map<RefName, string>()
  const { user: me } = on.pusher
  try {
    await requireNotBlocked(db, { ...on, me, actor: on.pusher })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return new Map(commands.map(({ ref }) => [ref, error.message]))
  }
  const asked = readOfferOptions(options)
  // Of a token that may move some branches only, the topic must be what one of these could be called.
  const isMovable = movableBy(on.pusher)
  const own = topicsOf(me.name)
  const seen = new Set<string>()
  for (const [index, { ref }] of commands.entries()) {
    const target =
      index < MOST_OFFERS
        ? await readTarget(db, { repositoryId: on.repository.id, login: me.name }, ref, asked)
        : `more than ${MOST_OFFERS} pull requests in one push; push them in parts`
    if (typeof target === "string") refused.set(ref, target)
    else if (isMovable && (target.topic === undefined || !isMovable(branchRef(target.topic.slice(own.length)))))
      refused.set(ref, String(notMovable(ref)))
    else if (seen.has(`${target.base}:${target.topic ?? ""}`)) refused.set(ref, "the same topic comes twice in one push")
    else seen.add(`${target.base}:${target.topic ?? ""}`)
  }
  return refused
}

/** Opens or updates a pull request for each; of an atomic push for all or none. */
export async function take({ services, on, commands, options, atomic }: Parameters<OfferTaker["take"]>[0]): Promise<TakenOffers> {
  const { git, site } = services
  const found = { ...on, me: on.pusher.user, actor: on.pusher }
  const repository = git.at(on.repository.storage, on.repository.object_format)
  const asked = readOfferOptions(options)
  const at = `${repositoryHtmlUrl(site, on.owner.name, on.repository.name)}/pulls`
  const refused = new Map<RefName, string>()
  const written = new Map<RefName, WrittenRef>()
  const lines: string[] = []
  const together = atomic ? [commands] : commands.map((command) => [command])
  for (const group of together) {
    try {
      const ready: Ready[] = []
      for (const command of group) {
        const made = await prepare(services, found, { repository, command, asked })
        if (typeof made === "string") refused.set(command.ref, made)
        else ready.push(...made)
      }
      if (group.some(({ ref }) => refused.has(ref))) for (const { ref } of ready) refused.set(ref, "atomic push failed")
      else
        for (const { one, pull } of await writeAll(services, ready)) {
          await one.finish(pull)
          const { written: reference, line, notes = [] } = one.done(pull)
          written.set(one.ref, reference)
          lines.push("", line, `  ${at}/${pull.issue.number}`, ...notes, "")
        }
    } catch (error) {
      const words = wordsFor(services, error)
      for (const { ref } of group) refused.set(ref, words)
    }
  }
  return { refused, written, lines }
}

/** Writes them in one transaction. */
const writeAll = ({ database }: Services, ready: readonly Ready[]) =>
  database.write(async (tx) => {
    const made: { readonly one: Ready; readonly pull: PullWithIssue }[] = []
    for (const one of ready) made.push({ one, pull: await one.write(tx) })
    return made
  })

function wordsFor({ log }: Services, error: unknown): string {
  const { kind, message } = asRefusal(error)
  if (kind !== "internal" && message !== "") return message
  log.error({ err: error }, "what was offered could not be taken")
  return "internal error"
}

interface Offer {
  readonly repository: Repository
  readonly command: RefCommand
  readonly asked: OfferOptions
}

/** Reads what an offer needs from git, or gives words against it. One without a topic is a series, of which each commit becomes a pull request. */
async function prepare(services: Services, found: OnRepository & Me, offer: Offer): Promise<readonly Ready[] | string> {
  const { command, asked } = offer
  const db = services.database.read
  const target = await readTarget(db, { repositoryId: found.repository.id, login: found.me.name }, command.ref, asked)
  if (typeof target === "string") return target
  if (command.newId === null) return "there is nothing to delete"
  const { base, topic } = target
  const { newId: id } = command
  if (topic === undefined) {
    const [take] = seriesTakers.of(services)
    return take ? take(services, found, { ...offer, base, id }) : "no series are taken here"
  }
  const open = await findOpenOffer.first(db, { repositoryId: found.repository.id, baseBranch: base, topic, authorId: found.me.id })
  const ready = await (open
    ? prepareUpdate(services, found, { ...offer, pull: open, id })
    : prepareNew(services, found, { ...offer, target: { base, topic }, id }))
  return typeof ready === "string" ? ready : [ready]
}

/** A pull request of a topic that has no open one. Its title and description are those of its last commit, unless the push has others. */
async function prepareNew(
  services: Services,
  found: OnRepository & Me,
  {
    repository,
    command,
    asked,
    target,
    id,
  }: Offer & { readonly target: { readonly base: string; readonly topic: string }; readonly id: ObjectId },
): Promise<Ready | string> {
  const db = services.database.read
  const tip = await services.git.references.resolve(repository, branchRef(target.base))
  if (tip === undefined) return `the branch ${target.base} is gone`
  const gate = await openGate(services, found)
  if (await gate?.isHeld(services, db, found)) return HELD
  const { title, body } = textsOf(await services.git.objects.readCommit(repository, id))
  const options = {
    base: target.base,
    head: target.topic,
    title: asked.title ?? (title || target.topic),
    body: asked.description ?? body,
  }
  const prepared = await preparePull(services, found, {
    base: { on: found, repository, name: target.base, tip },
    head: { repository, name: target.topic, tip: id },
  })
  return {
    ref: command.ref,
    async write(tx) {
      const made = await writePull(tx, services, found, options, prepared)
      await gate?.requireFewOpened(tx, services, found)
      return made
    },
    finish: (made) => writeRefsOf(services, prepared, made),
    done: ({ issue }) => ({
      written: { ref: headRef(issue.number), oldId: null, newId: id, forced: false },
      line: `Pull request #${issue.number} was opened:`,
    }),
  }
}

/** New commits for an open one; title and description change only where the push has them. */
async function prepareUpdate(
  services: Services,
  found: OnRepository & Me,
  { repository, command, asked, pull, id }: Offer & { readonly pull: Pull; readonly id: ObjectId },
): Promise<Ready | string> {
  const { git, now } = services
  const before = objectId(pull.head_id)
  const texts = {
    ...(asked.title !== undefined && { title: asked.title }),
    ...(asked.description !== undefined && { body: asked.description }),
  }
  const isSame = before === id
  if (isSame && Object.keys(texts).length === 0) return "new commit is same with old commit"
  const isForced = !isSame && !(await git.history.isAncestor(repository, before, id))
  if (isForced && !asked.isForced)
    return "the pull request has commits that this would drop: request `force-push` push option (-o force-push=true)"
  const head = isSame ? undefined : await assessCommit(services, { pull, base: repository, id })
  const commits = isForced ? [before, id] : isSame ? [] : await commitsBetween(git, repository, { from: before, to: id })
  return {
    ref: command.ref,
    async write(tx) {
      const at = now()
      const locked = await lockForIssues(tx, found.repository.id)
      await requireNotBlocked(tx, found)
      const issue = await lockIssue(tx, { id: pull.issue_id, repository_id: locked.id })
      const current = await lockRow(tx, "pulls", pull.id)
      if (issue.is_closed === 1 || current?.head_id !== pull.head_id || current.base_branch !== pull.base_branch)
        throw refuse.conflict("the head of the pull request has just changed; look at it again")
      if (head) {
        await writeHead(tx, services, head, { pusher: found.me, pushed: { commits, isForced }, now: at })
        await services.jobs.enqueue(tx, alignPull, { pullId: pull.id }, { runAt: at + ALIGN_AFTER })
      }
      if (Object.keys(texts).length > 0) await editIssue(tx, services, { ...found, repository: locked, issue }, texts)
      return { pull, issue: (await findIssueById.first(tx, { id: issue.id })) ?? issue }
    },
    finish: async ({ issue: { number } }) => head && writeRefsOfUpdate(services, repository, { head, number }),
    done: ({ issue }) => ({
      written: { ref: headRef(issue.number), oldId: before, newId: id, forced: isForced },
      line: `Pull request #${issue.number} was updated:`,
    }),
  }
}
