import { Mode } from "../../../access/modes.ts"
import { permissionOn, reaches, unitMode } from "../../../access/permission.ts"
import { findRepositoryById, findUserById } from "../../../access/store.ts"
import type { User } from "../../../core/actor.ts"
import type { Handle, Transaction } from "../../../core/database/database.ts"
import { defineJob } from "../../../core/jobs/jobs.ts"
import { int64, oneOf } from "../../../core/record.ts"
import Type, { type Static } from "../../../core/schema.ts"
import type { Services } from "../../../core/services.ts"
import { findRelease } from "../../code/releases/store.ts"
import { GHOST } from "../../people/users/present.ts"
import { findIssueById } from "../../planning/issues/store.ts"
import { BROADCAST, DIRECT } from "../kinds.ts"
import { compose, type MailContent } from "./compose.ts"
import { findComment, findConfirmedAddress, findRemarks, findVerdict } from "./store.ts"

/** The subject of a mail, by ids: rows are looked up when it is sent. */
const Event = {
  about: oneOf([...BROADCAST, ...DIRECT, "offered", "released"]),
  /** 0 where the mail is about the repository itself. */
  issueId: int64(),
  repositoryId: int64(),
  /** 0 where there is none. */
  commentId: int64(),
  actorId: int64(),
  releaseId: Type.Optional(int64()),
}
const EventRecord = Type.Object(Event)
type Event = Static<typeof EventRecord>

/** Queues one mail per receiver of an event, so that each is retried on its own. */
export const fanOutJob = defineJob({
  kind: "mail.spread",
  payload: Type.Object({ ...Event, receivers: Type.Array(int64()) }),
  run: async ({ receivers, ...event }, { context }) => {
    await context.database.write(async (tx) => {
      for (const receiverId of receivers) await context.jobs.enqueue(tx, sendJob, { ...event, receiverId })
    })
  },
})

/**
 * Queues a mail to each of the receivers in the transaction of the event. Does nothing, and asks for none, where no mail server is configured.
 */
export async function queueMails(
  tx: Transaction,
  { config, jobs }: Pick<Services, "config" | "jobs">,
  event: Event,
  findReceivers: () => Promise<readonly { readonly id: number }[]>,
): Promise<void> {
  if (config.mail.host === "") return
  const receivers = await findReceivers()
  if (receivers.length > 0) await jobs.enqueue(tx, fanOutJob, { ...event, receivers: receivers.map(({ id }) => id) })
}

/** Sends a mail, if its receiver may still see its subject. */
export const sendJob = defineJob({
  kind: "mail.send",
  payload: Type.Object({ ...Event, receiverId: int64() }),
  timeoutSeconds: 120,
  run: async ({ receiverId, ...event }, { context, id, signal }) => {
    const { database, mailer, site, secrets } = context
    const mail = await loadContent(database.read, event, receiverId)
    if (!mail) return
    await mailer.send(compose({ site, secrets }, mail, id), signal)
  },
})

/** The content of a mail, or undefined where it is not to be sent: the receiver can't be reached or may not see the subject, or it is gone. */
async function loadContent(db: Handle, event: Event, receiverId: number): Promise<MailContent | undefined> {
  const receiver = await findUserById.first(db, { id: receiverId })
  const repository = await findRepositoryById.first(db, { id: event.repositoryId })
  const owner = repository && (await findUserById.first(db, { id: repository.owner_id }))
  if (!receiver || !repository || !owner) return undefined
  const address = await addressOf(db, receiver)
  const permission = await permissionOn(
    db,
    { kind: "user", user: receiver, credential: { kind: "password" }, basic: false },
    { repository, owner },
  )
  if (address === undefined || !reaches(permission)) return undefined
  const actor = (await findUserById.first(db, { id: event.actorId })) ?? GHOST
  const content = { about: event.about, receiver, address, repository, owner, actor }
  if (event.releaseId !== undefined) {
    const release = await findRelease.first(db, { repositoryId: repository.id, id: event.releaseId })
    const isShown = release?.is_draft === 0 && unitMode(permission, repository, "repo.releases") >= Mode.read
    return isShown ? { ...content, release } : undefined
  }
  if (event.issueId === 0) return content
  const issue = await findIssueById.first(db, { id: event.issueId })
  const comment = event.commentId === 0 ? undefined : await findComment.first(db, { id: event.commentId })
  if (!issue || (event.commentId !== 0 && !comment)) return undefined
  if (unitMode(permission, repository, issue.is_pull === 1 ? "repo.pulls" : "repo.issues") < Mode.read) return undefined
  return { ...content, issue, comment, review: await reviewOf(db, event, comment?.review_id ?? null) }
}

/** The verdict and the line comments of a review. */
async function reviewOf(db: Handle, { about, actorId }: Event, id: number | null): Promise<MailContent["review"]> {
  const review = about === "reviewed" && id !== null ? await findVerdict.first(db, { id }) : undefined
  return id === null || !review ? undefined : { state: review.state, remarks: await findRemarks(db, { reviewId: id, authorId: actorId }) }
}

/** A user's address for mail: the primary one, once it is confirmed and while the account is active. */
export async function addressOf(db: Handle, user: User): Promise<string | undefined> {
  if (user.kind !== "person" || user.is_active === 0 || user.prohibit_login === 1) return undefined
  return (await findConfirmedAddress.first(db, { userId: user.id }))?.email
}
